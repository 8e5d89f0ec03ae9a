/** Against the API that MEMBRANE_URL names, with a key for all scopes. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import {
  Conflict,
  ConnectionFailed,
  Gone,
  Membrane,
  NotFound,
  type MemoryRecord,
  type SemanticPayloadOutput,
} from "../../src/index.js";

const own = () => `test:${randomUUID()}`;
const fact = (record: MemoryRecord) => record.payload as SemanticPayloadOutput;

test("a retrieval finds what the same client wrote just before, every time", async () => {
  const membrane = new Membrane({ scope: own() });

  for (let turn = 0; turn < 25; turn++) {
    const { id } = await membrane.remember(`door ${turn}`, "opens_with", `code ${turn}`);
    const found = await membrane.retrieve(`With which code does door ${turn} open?`, { limit: 3 });
    assert.ok(
      found.some((each) => each.id === id),
      `turn ${turn}`,
    );
  }
});

test("a write whose reply was lost is made once", async () => {
  const lost: string[] = [];
  const losing: typeof fetch = async (input, init) => {
    const reply = await fetch(input, init);
    if (init?.method !== "POST" || lost.length) return reply;
    lost.push(await reply.text());
    throw new TypeError("fetch failed");
  };
  const membrane = new Membrane({ scope: own(), fetch: losing });

  const record = await membrane.remember("the bridge is closed");

  assert.equal(JSON.parse(lost[0]!).record.id, record.id);
  const { records } = await membrane.listRecords();
  assert.deepEqual(
    records.map((each) => each.id),
    [record.id],
  );
});

test("a corrected fact is gone from retrieval, and stands in its history", async () => {
  const membrane = new Membrane({ scope: own() });
  const old = await membrane.remember("billing", "runs_on", "three servers");

  const options = { why: "moved in May", idempotencyKey: randomUUID() };
  const corrected = await membrane.correct(old.id, "Lambda", options);

  assert.equal(fact(corrected).object, "Lambda");
  assert.deepEqual(
    (await membrane.retrieve("What does billing run on?")).map((each) => each.id),
    [corrected.id],
  );
  const history = await membrane.history(old.id);
  assert.deepEqual(
    history.map((each) => [each.recordId, each.number, each.content]),
    [
      [corrected.id, 1, "Lambda"],
      [old.id, 2, "three servers"],
      [old.id, 1, "three servers"],
    ],
  );
  assert.deepEqual(await membrane.history(corrected.id), history);
  assert.match(history[1]!.why!, /moved in May/);
  assert.ok(history.every((each) => each.who && each.when));
  assert.equal((await membrane.correct(old.id, "Lambda", options)).id, corrected.id);
  assert.equal((await membrane.retrieveById(old.id, { resolve: "latest" })).id, corrected.id);
});

test("a forgotten scope is empty, and the certificate names every record", async () => {
  const scope = own();
  const membrane = new Membrane({ scope });
  const { id } = await membrane.remember("Eve likes tea");

  const listed = await membrane.forget({ scope });
  const erased = await membrane.forget({ scope, dryRun: false, reason: "request 7" });

  assert.deepEqual(
    listed.findings.map((each) => each.id),
    [id],
  );
  assert.deepEqual([listed.state, erased.state], ["listed", "done"]);
  const { certificate, entries } = await membrane.certificate(erased.id);
  assert.deepEqual(
    entries.map((each) => each.id),
    [id],
  );
  assert.equal(certificate.reason, "request 7");
  await assert.rejects(membrane.retrieveById(id), NotFound);
});

test("what was forgotten is not found, and its key's repeat is Gone", async () => {
  const membrane = new Membrane({ scope: own() });
  const idempotencyKey = randomUUID();
  const { id } = await membrane.remember("a secret", { idempotencyKey });

  await membrane.forget(id, { why: "the user asked for it" });

  await assert.rejects(membrane.retrieveById(id), NotFound);
  await assert.rejects(membrane.remember("a secret", { idempotencyKey }), Gone);
  assert.match((await membrane.readAudit(id)).audit_log.at(-1)!.rationale, /the user asked for it/);
});

test("a key that was used for another body is a Conflict with its code", async () => {
  const scope = own();
  const membrane = new Membrane({ scope });
  const idempotencyKey = randomUUID();
  await membrane.remember("one", { idempotencyKey });

  await assert.rejects(membrane.remember("two", { idempotencyKey }), (error: Conflict) => {
    return error instanceof Conflict && error.code === "ALREADY_EXISTS";
  });
  const again = await membrane.call("IngestObservation", {
    subject: scope,
    predicate: "noted",
    object: "one",
    onConflict: "keep",
    idempotencyKey,
  });
  assert.deepEqual([again.status, again.replayed], [200, true]);
});

test("getAll follows every page", async () => {
  const membrane = new Membrane({ scope: own() });
  for (const part of [0, 1, 2]) {
    const items = Array.from({ length: 70 }, (_, each) => event(`${part}:${each}`));
    assert.ok((await membrane.ingestBatch(items)).every((result) => result.status === 201));
  }

  const ids = new Set<string>();
  for await (const record of membrane.getAll({ types: ["episodic"] })) ids.add(record.id);

  assert.equal(ids.size, 210);
});

test("null is sent, undefined is not, and zero stays zero", async () => {
  const membrane = new Membrane({ scope: own() });

  const record = await membrane.ingestToolOutput("probe", { args: { depth: 0, width: null, height: undefined } });

  assert.deepEqual((record.payload as any).tool_graph[0].args, { depth: 0, width: null });
});

test("a value too large for a request goes up and comes back as it was", async () => {
  const paths = new Set<string>();
  const noting: typeof fetch = (input, init) => {
    paths.add(new URL(String(input)).pathname.split("/").slice(0, 3).join("/"));
    return fetch(input, init);
  };
  const membrane = new Membrane({ scope: own(), fetch: noting });
  const result = { log: 'line "quoted" ä\n'.repeat(450_000) };
  const options = { result, idempotencyKey: randomUUID() };

  const record = await membrane.ingestToolOutput("build", options);
  const read = await membrane.retrieveById(record.id);
  const again = await membrane.ingestToolOutput("build", options);

  assert.deepEqual((read.payload as any).tool_graph[0].result, result);
  assert.equal(again.id, record.id);
  assert.deepEqual([...paths].sort(), ["/_dev/bucket", "/v1/ingest", "/v1/records", "/v1/uploads"]);
});

test("a large write under the caller's key is made once, from whichever client and after whichever loss", async () => {
  const scope = own();
  const uploads: string[] = [];
  const losing: typeof fetch = async (input, init) => {
    const reply = await fetch(input, init);
    if (new URL(String(input)).pathname !== "/v1/uploads") throw new TypeError("fetch failed");
    uploads.push(((await reply.clone().json()) as { upload_id: string }).upload_id);
    return reply;
  };
  const large = (text: string) => `${text} ${randomUUID()}`.repeat(80_000);
  const options = { args: { log: large("in") }, result: { log: large("out") }, idempotencyKey: randomUUID() };
  const write = (fetch?: typeof globalThis.fetch) =>
    new Membrane({ scope, fetch, maxRetries: 0 }).ingestToolOutput("build", options);

  await assert.rejects(write(losing), ConnectionFailed);
  const record = await write();
  const again = await write();

  assert.equal(uploads.length, 1);
  assert.equal(again.id, record.id);
  const { records } = await new Membrane({ scope }).listRecords();
  assert.deepEqual(
    records.map((each) => each.id),
    [record.id],
  );
  const { args, result } = (again.payload as any).tool_graph[0];
  assert.deepEqual([args, result], [options.args, options.result]);
});

test("a large write under a key that another value had is a Conflict", async () => {
  const membrane = new Membrane({ scope: own() });
  const write = (letter: string, idempotencyKey: string) =>
    membrane.ingestToolOutput("build", { result: letter.repeat(6_000_000), idempotencyKey });
  const key = randomUUID();
  const { id } = await write("a", key);

  await assert.rejects(write("b", key), (error: Conflict) => error.code === "ALREADY_EXISTS");
  assert.notEqual((await write("a", randomUUID())).id, id);
});

test("topics are made, read and queried", async () => {
  const membrane = new Membrane({ scope: own() });

  const { topic_id: id } = await membrane.createTopic("Ada Lovelace", { summary: "mathematician" });
  await membrane.appendField(id, "city", "London", { whyChanged: "born there" });
  await membrane.appendField(id, "children", 0);

  const value = async (name: string) => (await membrane.readField(id, name)).history.at(-1)!.value;
  assert.deepEqual([await value("city"), await value("children")], ["London", 0]);
  const found = await membrane.queryTopics("Where does Ada Lovelace live?");
  assert.ok(found.candidates.some((each) => each.topic_id === id));
});

test("the operations that agents report by take Membrane's arguments", async () => {
  const membrane = new Membrane({ scope: own() });

  const event = await membrane.ingest_event("build", "17", { summary: "green" });
  await membrane.outcome(event.id, "success");
  const state = await membrane.ingest_working_state("thread-1", "executing", { nextActions: ["deploy"] });
  await membrane.penalize(event.id, 0.25, "ci", "it was flaky");
  await membrane.retract((await membrane.remember("x", "y", 1)).id, "ci", "wrong");

  assert.equal(((await membrane.retrieve_by_id(event.id)).payload as any).outcome, "success");
  assert.equal((await membrane.readThread("thread-1")).record.id, state.id);
  assert.equal((await membrane.getMetrics()).total_records, 3);
});

function event(ref: string) {
  return { rpc: "IngestEvent" as const, source: "test", event_kind: "build", ref };
}
