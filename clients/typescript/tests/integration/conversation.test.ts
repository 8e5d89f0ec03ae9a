/** Conversations, views and users, against the API that MEMBRANE_URL names, with a key for all scopes. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { BadRequest, Forbidden, Membrane, NotFound, type MemoryRecord, type Message } from "../../src/index.js";

const own = () => `test:${randomUUID()}`;

test("messages are found by later questions, with who said them", async () => {
  const membrane = new Membrane({ scope: own() });
  const session = randomUUID();

  const said = await membrane.add([{ role: "user", name: "Ada", content: "My dog is called Bello." }], { session });
  await membrane.add([{ role: "assistant", content: "A fine name for a dog." }], { session });
  const [first] = await membrane.recall("What is the dog of Ada called?", { limit: 2 });

  assert.deepEqual([said.thread_id, said.first_turn, said.next_turn], [session, 1, 2]);
  assert.equal(first!.id, said.records[0]!.id);
  assert.match(first!.text!, /Bello/);
  assert.equal(first!.who, "Ada");
  assert.ok(first!.score! > 0 && first!.when);
});

test("a conversation whose reply was lost is kept once, under the same turns", async () => {
  const membrane = new Membrane({ scope: own() });
  const options = { session: randomUUID(), idempotencyKey: randomUUID() };
  const messages: Message[] = [
    { role: "user", content: "Which tests fail?" },
    { role: "assistant", tool_calls: [{ id: "1", function: { name: "pytest", arguments: '{"path": "tests"}' } }] },
    { role: "tool", tool_call_id: "1", content: "none" },
  ];

  const once = await membrane.add(messages, options);
  const again = await membrane.add(messages, options);

  assert.deepEqual([again.first_turn, again.next_turn], [once.first_turn, once.next_turn]);
  assert.deepEqual(
    again.records.map((each) => each.id),
    once.records.map((each) => each.id),
  );
});

test("leading instructions are skipped, and later ones refused by their message's field", async () => {
  const membrane = new Membrane({ scope: own() });
  const instruction: Message = { role: "system", content: "Be brief." };
  const question: Message = { role: "user", content: "Which tests fail?", refusal: null };

  const kept = await membrane.add([instruction, question], { session: "s" });

  assert.deepEqual([kept.records.length, kept.skipped], [1, 1]);
  await assert.rejects(membrane.add([question, instruction], { session: "s" }), (error: BadRequest) => {
    return error instanceof BadRequest && error.errors.some((each) => each.field === "messages.1.role");
  });
});

test("a prompt holds what is known, and the ids for citing it", async () => {
  const membrane = new Membrane({ scope: own() });
  const { id } = await membrane.remember("billing", "runs_on", "Lambda");

  const prompt = await membrane.recall("What does billing run on?", { view: "prompt", maxTokens: 200 });

  assert.match(`${prompt}`, /Lambda/);
  assert.deepEqual(prompt.ids, [id]);
  assert.ok(prompt.text.includes(id) && prompt.tokens <= 200);
});

test("what worked last time is one question", async () => {
  const membrane = new Membrane({ scope: own() });
  const status = { status: "failure" as const };
  await membrane.ingestToolOutput("deploy", { args: { to: "eu" }, result: "timed out", ...status });
  const worked = await membrane.ingestToolOutput("deploy", { args: { to: "eu", retries: 3 }, result: "done" });
  const rated = await membrane.outcome(worked.id, "success", { reason: "three retries" });

  const found = await membrane.recall("How was it deployed to eu?", { outcome: "success" });

  assert.deepEqual(
    found.map((each) => each.id),
    [worked.id],
  );
  assert.equal((rated as MemoryRecord).id, worked.id);
});

test("a user's memories are that user's alone", async () => {
  const tenant = `tenant:${randomUUID()}`;
  const apiKey = await keyOf(tenant);
  const membrane = new Membrane({ apiKey });
  const [alice, bob] = [membrane.withOptions({ user: "alice" }), membrane.withOptions({ user: "bob" })];

  const { id, scope } = await alice.remember("likes green tea");
  await bob.add([{ role: "user", content: "I like black tea." }], { session: "s" });

  assert.equal(scope, `${tenant}:user:alice`);
  assert.deepEqual(
    (await alice.recall("Which tea?")).map((each) => each.id),
    [id],
  );
  assert.ok((await bob.recall("Which tea?")).every((each) => each.id !== id));
  const all: string[] = [];
  for await (const record of membrane.getAll({ user: "alice" })) all.push(record.id);
  assert.deepEqual(all, [id]);
  await assert.rejects(bob.forget(id, { why: "not mine" }), NotFound);
  await assert.rejects(membrane.recall("Which tea?"), Forbidden);
  await alice.forget(id, { why: "asked for" });
});

/** An API key of a tenant whose requests must name a user. */
async function keyOf(tenant: string): Promise<string> {
  const { MEMBRANE_URL, MEMBRANE_API_KEY } = process.env;
  const reply = await fetch(`${MEMBRANE_URL}/_dev/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${MEMBRANE_API_KEY}` },
    body: JSON.stringify({
      actor_id: "test",
      permissions: ["ingest", "read", "revise"],
      scopes: [`${tenant}:*`],
      max_sensitivity: "medium",
      expires_in_days: 1,
      user_prefix: `${tenant}:user:`,
      user_required: true,
    }),
  });
  const made = (await reply.json()) as { secret: string };
  assert.ok(reply.ok, JSON.stringify(made));
  return made.secret;
}
