import assert from "node:assert/strict";
import { test } from "node:test";
import { Gone, Membrane, MembraneError, UnexpectedReply } from "../../src/index.js";
import { client, ok, refusal, written } from "../replies.js";

test("address and key come from the environment where no option gives them", () => {
  const { MEMBRANE_URL, MEMBRANE_API_KEY } = process.env;
  try {
    delete process.env.MEMBRANE_URL;
    process.env.MEMBRANE_API_KEY = "k";
    assert.throws(
      () => new Membrane(),
      (error: Error) => error instanceof MembraneError && /MEMBRANE_URL/.test(error.message),
    );
    assert.ok(new Membrane({ url: "http://api.test" }));
    process.env.MEMBRANE_URL = "http://api.test";
    delete process.env.MEMBRANE_API_KEY;
    assert.throws(() => new Membrane(), /MEMBRANE_API_KEY/);
  } finally {
    Object.assign(process.env, {
      ...(MEMBRANE_URL && { MEMBRANE_URL }),
      ...(MEMBRANE_API_KEY && { MEMBRANE_API_KEY }),
    });
  }
});

test("a text is a fact that its user noted, beside all others", async () => {
  const { membrane, asked } = client([written()], { user: "alice" });

  await membrane.remember("likes tea");
  await membrane.remember("auth", "keeps", 0, { user: "bob", onConflict: "replace", tags: [] });

  const first = {
    subject: "alice",
    predicate: "noted",
    object: "likes tea",
    onConflict: "keep",
  };
  const { onConflict, ...sent } = first;
  assert.deepEqual(asked[0]!.body, { ...sent, on_conflict: onConflict, user: "alice" });
  assert.deepEqual(asked[1]!.body, {
    subject: "auth",
    predicate: "keeps",
    object: 0,
    on_conflict: "replace",
    tags: [],
    user: "bob",
  });
});

test("an empty note is refused before anything is sent", async () => {
  const { membrane, asked } = client([written()]);

  for (const text of ["", " \n", "\u200b", "\u2060", "\ufeff", "\u200d", "\0", null, undefined]) {
    await assert.rejects(membrane.remember(text as string), { name: "TypeError", message: /^text: / });
    await assert.rejects(membrane.remember("a", "b", text), { name: "TypeError", message: /^object: / });
    await assert.rejects(membrane.correct("r1", text, { why: "w" }), { name: "TypeError", message: /^object: / });
    if (typeof text === "string")
      await assert.rejects(membrane.capture(text), { name: "TypeError", message: /^content: / });
  }

  assert.equal(asked.length, 0);
});

test("undefined is not sent, null and zero are", async () => {
  const { membrane, asked } = client([ok({ records: [] })]);

  await membrane.retrieve("x", { minScore: 0, subject: null, predicate: undefined });

  assert.deepEqual(asked[0]!.body, { task_descriptor: "x", min_score: 0, subject: null });
});

test("a number that JSON would turn into null is refused, with its field", async () => {
  const { membrane, asked } = client([ok({ records: [] })]);

  await assert.rejects(membrane.retrieve("x", { minScore: NaN }), /min_score: NaN/);
  assert.equal(asked.length, 0);
});

test("a value that JSON would lose is refused, with its field", async () => {
  const { membrane, asked } = client([written()]);
  const lost = [
    new Map([["a", 1]]), new Set([1]), new Error("lost"), /lost/, () => 1, Symbol("s"),
    new Date(NaN), new Uint8Array(1), Promise.resolve(),
    new Map([["a", 1]]).values(), new URLSearchParams("a=1"), new Headers({ a: "1" }), new Blob(["a"]), new FormData(),
  ];

  for (const value of lost) {
    await assert.rejects(membrane.remember("a", "b", value), { name: "TypeError", message: /^object: / });
    await assert.rejects(membrane.capture({ deep: [value] }), { name: "TypeError", message: /^content\.deep\.0: / });
  }

  const shared = { x: 1 };
  for (const [value, path] of [
    [NaN, "object"], [Object(NaN), "object"], [[undefined], "object.0"], [[, 1], "object.0"], [{ a: Object(Infinity) }, "object.a"],
    [{ a: [shared, { b: shared, c: [1, undefined] }] }, "object.a.1.c.1"], [{ toJSON: () => [NaN] }, "object.0"],
  ] as const) {
    const refused = (error: Error) => error instanceof TypeError && error.message.startsWith(`${path}: `);
    await assert.rejects(membrane.remember("a", "b", value), refused, path);
  }

  assert.equal(asked.length, 0);
  class Named {
    readonly [Symbol.toStringTag] = "Named";
    readonly name = "Ada";
  }
  const kept = { left: [null], empty: {}, bare: Object.create(null), of: [Object(1), Object("a"), new Named()] };
  await membrane.remember("a", "b", { at: new Date(0), none: undefined, url: new URL("http://a.test"), ...kept });
  assert.deepEqual(asked[0]!.body.object, {
    at: "1970-01-01T00:00:00.000Z",
    url: "http://a.test/",
    left: [null],
    empty: {},
    bare: {},
    of: [1, "a", { name: "Ada" }],
  });
});

test("a message has the values that clients of model providers dump", async () => {
  const { membrane, asked } = client([ok({ records: [], consistency_tokens: [] }, {}, 201)]);
  const bytes = new Uint8Array([0, 0x89, 0x50, 0x4e, 0x47, 0xff]).subarray(1);
  const parts = [
    { type: "tool_use", input: { x: [NaN, Object(Infinity)], y: -Infinity, n: 12345678901234567890n } },
    { image: { source: { bytes } }, thoughtSignature: Buffer.from(bytes), at: new Date(0), none: undefined },
  ];
  const send = (content: unknown) => membrane.add([{ role: "assistant", content } as never], { session: "s" });

  await send(parts);

  assert.deepEqual(asked[0]!.body.messages[0].content, [
    { type: "tool_use", input: { x: ["NaN", "Infinity"], y: "-Infinity", n: 12345678901234567890 } },
    { image: { source: { bytes: "iVBOR/8=" } }, thoughtSignature: "iVBOR/8=", at: "1970-01-01T00:00:00.000Z" },
  ]);
  for (const value of [new Map(), [undefined], new Float64Array(1), () => 1])
    await assert.rejects(send([{ value }]), /^TypeError: messages\.0\.content\.0\.value/);
  assert.equal(asked.length, 1);
});

test("an integer of any size is read and written exactly", async () => {
  const text = '{"id": -9007199254740993, "safe": 9007199254740991, "big": [12345678901234567890], "x": 1e400}';
  const others = '{"a": 0.12345678901234567, "b": 1.5e-1234567890123456, "c": "\\"12345678901234567890", "d": ""}';
  const said = `{"record": {"id": "r1", "type": "semantic", "payload": {"object": ${text}, "others": ${others}}}}`;
  const sent: string[] = [];
  const { membrane } = client([], {
    fetch: async (_, init) => (sent.push(String(init?.body)), new Response(said)),
  });

  const { payload } = (await membrane.retrieveById("r1")) as any;
  const { x, ...object } = payload.object;
  await membrane.remember("a", "b", object);

  assert.deepEqual(object, { id: -9007199254740993n, safe: 9007199254740991, big: [12345678901234567890n] });
  assert.equal(x, Infinity);
  assert.deepEqual(payload.others, JSON.parse(others));
  assert.match(sent[1]!, /"object":\{"id":-9007199254740993,"safe":9007199254740991,"big":\[12345678901234567890\]\}/);
});

test("a bigint is an integer in a program whose bigints become texts", async () => {
  const { membrane, asked } = client([written()]);
  const prototype = BigInt.prototype as { toJSON?: () => string };
  prototype.toJSON = function () {
    return String(this);
  };

  await membrane.remember("a", "b", { n: 123n }).finally(() => delete prototype.toJSON);

  assert.deepEqual(asked[0]!.body.object, { n: 123 });
});

test("a reply may be nested to any depth", async () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const { membrane } = client([new Response(`{"record": {"id": "r1", "new": ${deep}}}`)]);

  assert.equal((await membrane.retrieveById("r1")).id, "r1");
});

test("half a surrogate pair becomes the replacement character", async () => {
  const { membrane, asked } = client([ok({ record: { type: "semantic" } })]);

  for (const [given, sent] of [
    ["Tea \ud83c!", "Tea \ufffd!"],
    ["a\udf75b", "a\ufffdb"],
    ["\ud83c\ud83c\udf75", "\ufffd\u{1f375}"],
    ["\\ud83c \u{1f375} \u0000 \"", "\\ud83c \u{1f375} \u0000 \""],
  ] as const) {
    await membrane.ingestObservation("Ada", "says", { [given]: [given] });
    assert.deepEqual(asked.at(-1)!.body.object, { [sent]: [sent] });
    await membrane.retrieveById(given, { user: given });
    assert.equal(decodeURIComponent(asked.at(-1)!.url.pathname), `/v1/records/${sent}`);
    assert.equal(asked.at(-1)!.url.searchParams.get("user"), sent);
  }
});

test("the client's scope holds where a call names neither scope nor user", async () => {
  const { membrane, asked } = client([ok({ records: [], results: [], record: { type: "semantic" } })], { scope: "s" });
  const last = () => asked.at(-1)!;

  await membrane.ingestEvent("build", "1");
  assert.equal(last().body.scope, "s");
  await membrane.ingestEvent("build", "1", { scope: "t" });
  assert.equal(last().body.scope, "t");
  await membrane.ingestEvent("build", "1", { user: "alice" });
  assert.deepEqual([last().body.scope, last().body.user], [undefined, "alice"]);
  await membrane.retrieve("x");
  assert.deepEqual(last().body.trust, { scopes: ["s"] });
  await membrane.listRecords();
  assert.equal(last().url.search, "?scope=s");
  await membrane.retrieveById("r", { trust: { scopes: ["t", "u"], max_sensitivity: "low" } });
  assert.equal(last().url.search, "?max_sensitivity=low&scope=t&scope=u");
  const record = { type: "semantic", sensitivity: "low", payload: {} } as any;
  await membrane.ingestRecord(record);
  assert.equal(last().body.record.scope, "s");
  await membrane.ingestBatch([
    { rpc: "IngestEvent", source: "ci", event_kind: "build", ref: "1" },
    { rpc: "IngestRecord", record },
    { rpc: "IngestOutcome", source: "ci", target_record_id: "r", outcome_status: "success" },
  ]);
  const [event, full, outcome] = last().body.items;
  assert.deepEqual([event.scope, full.record.scope, outcome.scope], ["s", "s", undefined]);
  await membrane.reclassify("r", { tags: [] });
  assert.deepEqual(last().body, { tags: [] });
});

test("the user goes into the query where a request has no body, and never to the sign of life", async () => {
  const { membrane, asked } = client([ok({ records: [], status: "ok" })], { user: "a b+c" });

  await membrane.listRecords();
  await membrane.deleteRecord("r", { rationale: "why", erase: true });
  await membrane.deleteRecord("r");
  await membrane.health();

  assert.equal(asked[0]!.url.search, "?user=a%20b%2Bc");
  assert.deepEqual([asked[1]!.url.search, asked[1]!.body], ["?erase=true&user=a%20b%2Bc", { rationale: "why" }]);
  assert.equal(asked[2]!.body, undefined);
  assert.equal(asked[3]!.url.search, "");
});

test("an id that would lead to another path is refused", async () => {
  const { membrane, asked } = client([ok({ earlier: [] })]);

  for (const id of ["", ".", "..", undefined as any])
    await assert.rejects(membrane.deleteRecord(id), /id: an id is required/);
  await membrane.readThread("a/b?c#d");

  assert.deepEqual(
    asked.map((each) => each.url.pathname),
    ["/v1/threads/a%2Fb%3Fc%23d/state"],
  );
});

test("retrievals carry the tokens of the newest 100 records, queries of topics those of topics", async () => {
  let count = 0;
  const { membrane, asked } = client([
    (request) => {
      if (request.url.pathname === "/v1/topics") return ok({ topic_id: "t", consistency_token: "of a topic" });
      if (request.url.pathname === "/v1/ingest/batch")
        return ok({ results: [{ consistency_token: "a" }, { error: {} }, { consistency_token: "b" }] });
      return request.url.pathname.startsWith("/v1/ingest/")
        ? written(`${count++}`)
        : ok({ records: [], candidates: [] });
    },
  ]);

  for (let each = 0; each < 105; each++) await membrane.ingestEvent("build", `${each}`);
  await membrane.createTopic("t");
  await membrane.ingestBatch([]);
  await membrane.retrieve("x", { consistencyTokens: ["token-104", "own"] });
  await membrane.withOptions({ user: "u" }).queryTopics("x");
  await membrane.withOptions({ readYourWrites: false }).retrieve("x");

  const [retrieval, query, without] = asked.slice(-3).map((each) => each.body.consistency_tokens);
  assert.deepEqual(retrieval, [
    ...Array.from({ length: 96 }, (_, each) => `token-${each + 8}`),
    "a",
    "b",
    "token-104",
    "own",
  ]);
  assert.deepEqual(query, ["of a topic"]);
  assert.equal(without, undefined);
});

test("a token is sent for a minute", async (context) => {
  let nowMs = 0;
  context.mock.method(performance, "now", () => nowMs);
  const { membrane, asked } = client([written("r"), ok({ records: [] }), ok({ records: [] })]);

  await membrane.ingestEvent("build", "1");
  nowMs = 60_000;
  await membrane.retrieve("x");
  nowMs = 60_001;
  await membrane.retrieve("x");

  const sent = asked.slice(1).map((each) => each.body.consistency_tokens);
  assert.deepEqual(sent, [["token-r"], undefined]);
});

test("a repeat whose record was deleted is Gone, and a replay shows", async () => {
  const gone = { record: { id: "r", deleted_at: "2026-01-01T00:00:00Z" } };
  const { membrane } = client([ok(gone, { "idempotency-replayed": "true" })]);

  await assert.rejects(membrane.pin("r", { idempotencyKey: "k" }), (error: Gone) => error.record.id === "r");
  const { replayed, status, body } = await membrane.call("Pin", { id: "r" });
  assert.deepEqual([replayed, status, body], [true, 200, gone]);
});

const CALLS: Record<string, (membrane: Membrane) => Promise<unknown>> = {
  remember: (membrane) => membrane.remember("x"),
  add: (membrane) => membrane.add([], { session: "s" }),
  recall: (membrane) => membrane.recall("x"),
  "recall as a prompt": (membrane) => membrane.recall("x", { view: "prompt" }),
  retrieve: (membrane) => membrane.retrieve("x"),
  correct: (membrane) => membrane.correct("r", 1, { why: "w" }),
  history: (membrane) => membrane.history("r"),
  getAll: (membrane) => membrane.getAll().next(),
  ingestBatch: (membrane) => membrane.ingestBatch([]),
  getMetrics: (membrane) => membrane.getMetrics(),
  listTools: (membrane) => membrane.listTools(),
  callTool: (membrane) => membrane.callTool("recall"),
};
const EMPTY = { record: null, records: null, results: null, versions: null, snapshot: null, prompt: null };
for (const [name, call] of Object.entries(CALLS)) {
  for (const text of ["", "<html>", "null", "[]", '"x"', "{}", JSON.stringify(EMPTY)]) {
    test(`a success of ${name} with the body '${text}' is an UnexpectedReply`, async () => {
      await assert.rejects(call(client([new Response(text)]).membrane), UnexpectedReply);
    });
  }
}

test("a record is forgotten where the reply is empty, and not where a page of a stranger comes", async () => {
  const { membrane } = client([new Response(null, { status: 204 }), new Response("<html>")]);

  await membrane.forget("r", { why: "w" });
  await assert.rejects(membrane.forget("r", { why: "w" }), UnexpectedReply);
});

test("entities and mentions come page after page", async () => {
  const { membrane, asked } = client([
    ok({ entities: [{ id: "a" }], next_cursor: "c" }),
    ok({ entities: [{ id: "b" }] }),
    ok({ mentions: [{ record: { id: "r" } }] }),
    ok({ entity: { id: "a" }, facts: [], topics: [] }),
  ]);

  const found: string[] = [];
  for await (const each of membrane.entities({ q: "x" })) found.push(each.id);
  for await (const each of membrane.mentions("a", { limit: 5 })) found.push(each.record.id);
  const { entity } = await membrane.entity("a");

  assert.deepEqual([...found, entity.id], ["a", "b", "r", "a"]);
  assert.deepEqual(
    asked.map(({ url }) => url.pathname + url.search),
    ["/v1/entities?q=x", "/v1/entities?q=x&cursor=c", "/v1/entities/a/mentions?limit=5", "/v1/entities/a"],
  );
});

test("pages follow the cursor, with the same fields", async () => {
  const { membrane, asked } = client([
    ok({ topic_ids: ["t"], topics: [1], next_cursor: "c" }),
    ok({ topic_ids: ["u"], topics: [2] }),
  ]);

  const pages: unknown[] = [];
  for await (const page of membrane.pages("ListTopics", { scope: "s" })) pages.push(page.topics);

  assert.deepEqual(pages, [[1], [2]]);
  assert.deepEqual(
    asked.map((each) => each.url.search),
    ["?scope=s", "?scope=s&cursor=c"],
  );
});

test("a record that its page had no room for is read by its link, as of the page's instant", async () => {
  const short = { id: "big", type: "episodic", size: 7_000_000, link: "/v1/records/big?as_of=2026-01-01T00:00:00Z" };
  const { membrane, asked } = client([
    ok({ records: [{ id: "a", type: "semantic" }, short] }),
    ok({ record: { id: "big", type: "episodic" } }),
  ]);

  const records = await membrane.retrieve("x", { user: "alice" });

  assert.deepEqual(
    records.map((each) => each.id),
    ["a", "big"],
  );
  assert.equal(
    asked[1]!.url.pathname + asked[1]!.url.search,
    "/v1/records/big?user=alice&as_of=2026-01-01T00%3A00%3A00Z",
  );
});

test("recall asks for brief memories, page by page up to its limit", async () => {
  const { membrane, asked } = client([
    ok({ records: Array(100).fill({ id: "r" }), next_cursor: "c" }),
    ok({ records: Array(20).fill({ id: "s" }), next_cursor: "d" }),
  ]);

  const found = await membrane.recall("x", { limit: 120, types: ["episodic"], outcome: "success", scope: "s" });

  const { cursor, limit, ...same } = asked[1]!.body;
  assert.deepEqual(asked[0]!.body, { ...same, limit: 120 });
  assert.deepEqual([cursor, limit, found.length], ["c", 20, 120]);
  assert.deepEqual(same, {
    task_descriptor: "x",
    memory_types: ["episodic"],
    outcome: "success",
    trust: { scopes: ["s"] },
    view: "brief",
  });
});

test("recall as a prompt is a text with its ids", async () => {
  const { membrane, asked } = client([ok({ prompt: { text: "Known: tea", ids: ["r"], tokens: 4 } })]);

  const prompt = await membrane.recall("x", { view: "prompt", maxTokens: 50 });

  assert.equal(`${prompt}`, "Known: tea");
  assert.deepEqual([prompt.ids, prompt.tokens], [["r"], 4]);
  assert.deepEqual(asked[0]!.body, { task_descriptor: "x", limit: 8, view: "prompt", max_tokens: 50 });
});

test("a graph is asked for with a scope and hops, and a node too large is read by its link", async () => {
  const record = { id: "big", type: "semantic", size: 9, link: "/v1/records/big?as_of=2026-01-02T00:00:00Z" };
  const path = [{ from_id: "r", predicate: "mentioned_in" }];
  const page = { nodes: [{ record: { id: "r" }, root: true, hop: 0, path: [] }, { record, root: false, hop: 1, path }] };
  const { membrane, asked } = client([
    ok({ ...page, edges: [], root_ids: ["r"] }),
    ok({ record: { id: "big", type: "semantic" } }),
  ]);

  const graph = await membrane.graph("who owns it?", { scope: "s", maxHops: 2, predicates: ["mentioned_in"] });

  assert.deepEqual(graph.root_ids, ["r"]);
  assert.deepEqual(graph.nodes[1]!.record, { id: "big", type: "semantic" });
  assert.deepEqual(graph.nodes[1]!.path, path);
  assert.deepEqual(
    asked.map(({ url }) => url.pathname),
    ["/v1/retrieve/graph", "/v1/records/big"],
  );
  assert.deepEqual(asked[0]!.body, {
    task_descriptor: "who owns it?",
    trust: { scopes: ["s"] },
    max_hops: 2,
    predicates: ["mentioned_in"],
  });
});

test("a graph sees the client's own writes", async () => {
  const written = { record: { id: "r", type: "episodic" }, consistency_token: "t1" };
  const { membrane, asked } = client([ok(written, {}, 201), ok({ nodes: [], edges: [], root_ids: [] })]);

  await membrane.ingestEvent("build", "15");
  await membrane.graph("q");

  assert.deepEqual(asked[1]!.body.consistency_tokens, ["t1"]);
});

test("a capture says why its content matters", async () => {
  const reply = { primary_record: { id: "r1" }, created_records: [], edges: [], consistency_tokens: ["t1"] };
  const { membrane, asked } = client([ok(reply, {}, 201)]);

  assert.deepEqual(await membrane.capture({ project: "acme" }, { sourceKind: "agent_turn", reason: "decided" }), reply);

  assert.equal(asked[0]!.url.pathname, "/v1/capture");
  assert.deepEqual(asked[0]!.body, {
    content: { project: "acme" },
    source_kind: "agent_turn",
    reason_to_remember: "decided",
    source: "",
  });
});

test("tools are listed in the form of a model's API", async () => {
  const tools = [{ name: "recall", input_schema: { type: "object" } }];
  const { membrane, asked } = client([ok({ tools })], { user: "alice", scope: "s" });

  assert.deepEqual(await membrane.listTools({ format: "anthropic", profile: "memstate" }), tools);

  const { method, url, headers } = asked[0]!;
  assert.deepEqual([method, url.pathname], ["GET", "/v1/tools"]);
  assert.deepEqual(Object.fromEntries(url.searchParams), { format: "anthropic", profile: "memstate", user: "alice" });
  assert.ok(!headers.has("idempotency-key"));
});

test("a tool is called with the arguments as a model gave them", async () => {
  const answer = { result: { error: "no such record" }, text: "no such record", is_error: true };
  const { membrane, asked } = client([ok(answer)]);
  const args = { query: "tea", maxResults: 3, nested: { someName: null } };

  assert.deepEqual(await membrane.callTool("recall", args, { idempotencyKey: "call-1" }), answer);
  await membrane.callTool("a/b");

  const [first, second] = asked;
  assert.deepEqual([first!.method, first!.url.pathname], ["POST", "/v1/tools/recall"]);
  assert.deepEqual(first!.body, { arguments: args });
  assert.equal(first!.headers.get("idempotency-key"), "call-1");
  assert.deepEqual([second!.url.pathname, second!.body], ["/v1/tools/a%2Fb", {}]);
  assert.ok(second!.headers.has("idempotency-key"));
});

test("a tool acts for the user of the client or the call, whomever its arguments name", async () => {
  const { membrane, asked } = client([ok({ result: {}, text: "" })], { user: "alice" });
  const args = { query: "tea", user: "eve" };

  await membrane.callTool("recall", { query: "tea" });
  await membrane.callTool("recall", args);
  await membrane.callTool("recall", { query: "tea" }, { user: "bob" });

  assert.deepEqual(
    asked.map((each) => each.body),
    [
      { arguments: { query: "tea" }, user: "alice" },
      { arguments: args, user: "alice" }, // which the service refuses
      { arguments: { query: "tea" }, user: "bob" },
    ],
  );
});

test("messages go to their session, in order", async () => {
  const reply = { thread_id: "s1", first_turn: 1, next_turn: 3, records: [], consistency_tokens: [] };
  const { membrane, asked } = client([ok(reply, {}, 201)], { user: "alice" });
  const messages = [
    { role: "user" as const, content: "Hello" },
    { role: "assistant" as const, content: null, tool_calls: [{ id: "1", function: { name: "look" } }] },
  ];

  assert.deepEqual(await membrane.add(messages, { session: "s1" }), reply);

  assert.equal(asked[0]!.url.pathname, "/v1/messages");
  assert.deepEqual(asked[0]!.body, { messages, session: "s1", user: "alice" });
  assert.ok(asked[0]!.headers.has("idempotency-key"));
});

test("a correction keeps the fact and changes its object alone", async () => {
  const record = {
    id: "r",
    type: "semantic",
    sensitivity: "low",
    confidence: 0.7,
    salience: 0.1,
    scope: "s",
    created_at: "2026-01-01T00:00:00Z",
    lifecycle: {
      decay: { curve: "exponential", half_life_seconds: 60 },
      last_reinforced_at: "2026-01-02T00:00:00Z",
      deletion_policy: "never",
    },
    provenance: { sources: [] },
    payload: {
      kind: "semantic",
      subject: "a",
      predicate: "b",
      object: 1,
      validity: { mode: "global" },
      revision: { status: "active" },
    },
    audit_log: [],
  };
  const { membrane, asked } = client([ok({ record }), written("new")]);

  await membrane.correct("r", 2, { why: "counted again" });

  assert.deepEqual(asked[1]!.body, {
    rationale: "counted again",
    new_record: {
      type: "semantic",
      sensitivity: "low",
      confidence: 0.7,
      scope: "s",
      provenance: { sources: [{ kind: "observation", ref: "counted again" }] },
      lifecycle: { decay: { curve: "exponential", half_life_seconds: 60 }, deletion_policy: "never" },
      payload: {
        kind: "semantic",
        subject: "a",
        predicate: "b",
        object: 2,
        validity: { mode: "global" },
      },
    },
  });
});

test("what is no fact is not corrected", async () => {
  const { membrane, asked } = client([ok({ record: { id: "r", payload: { kind: "episodic" } } })]);

  await assert.rejects(membrane.correct("r", 2, { why: "w" }), /record r is no fact/);
  assert.equal(asked.length, 1);
});

test("a conflict is not tried again", async () => {
  const { membrane, asked } = client([refusal(409, "ABORTED")]);

  await assert.rejects(membrane.pin("r"), { code: "ABORTED" });
  assert.equal(asked.length, 1);
});

const ADDRESSES = ["", "/v1", "api.test", "ftp://api.test", "http://", "http://[::1", "http://a:b@api.test"];
for (const url of [...ADDRESSES, "http://api.test?x", "http://api.test#x"]) {
  test(`the address '${url}' is refused before anything is sent, with the option's name`, () => {
    assert.throws(() => new Membrane({ url, apiKey: "secret" }), /^TypeError: url: /);
  });
}

for (const apiKey of ["", "né", "a b", "a\n", "a\u0000"]) {
  test(`the key ${JSON.stringify(apiKey)}, which no header carries, is refused without showing the key`, () => {
    assert.throws(() => new Membrane({ url: "http://api.test", apiKey }), {
      name: "TypeError",
      message: "apiKey: printable ASCII characters without spaces",
    });
  });
}

test("an address may have a port, a path and slashes at the end", async () => {
  const { membrane, asked } = client([ok({ status: "ok" })], { url: " https://api.test:8443/prod// " });

  await membrane.health();

  assert.equal(asked[0]!.url.href, "https://api.test:8443/prod/health");
});

test("a scope of null is sent, and a scope of undefined is the client's", async () => {
  const { membrane, asked } = client([ok({ records: [], results: [], record: { type: "semantic" } })], { scope: "s" });
  const last = () => asked.at(-1)!.body;
  const record = { type: "semantic", sensitivity: "low", payload: {} } as any;

  for (const [scope, sent] of [
    [null, null],
    [undefined, "s"],
  ] as const) {
    await membrane.remember("x", { scope: scope as any });
    assert.equal(last().scope, sent);
    await membrane.recall("x", { scope });
    assert.deepEqual(last().trust, sent && { scopes: [sent] });
    await membrane.retrieve("x", { trust: scope });
    assert.deepEqual(last().trust, sent && { scopes: [sent] });
    await membrane.ingestRecord({ ...record, scope });
    assert.equal(last().record.scope, sent);
    await membrane.ingestBatch([
      { rpc: "IngestEvent", source: "ci", event_kind: "build", ref: "1", scope: scope as any },
      { rpc: "IngestRecord", record: { ...record, scope } },
    ]);
    assert.deepEqual([last().items[0].scope, last().items[1].record.scope], [sent, sent]);
  }
});

test("an item of a batch for a user is not of the client's scope", async () => {
  const { membrane, asked } = client([ok({ results: [] })], { scope: "s" });
  const item = { rpc: "IngestEvent" as const, source: "ci", event_kind: "build", ref: "1" };

  await membrane.ingestBatch([{ ...item, user: "alice" }, item, { rpc: "IngestRecord" } as any]);

  assert.deepEqual(
    asked[0]!.body.items.map((each: any) => [each.user, each.scope]),
    [
      ["alice", undefined],
      [undefined, "s"],
      [undefined, undefined],
    ],
  );
});

test("an empty scope is refused before anything is sent", async () => {
  const { membrane, asked } = client([ok({ records: [] })]);
  const scope = "";

  for (const call of [
    () => membrane.remember("x", { scope }),
    () => membrane.recall("x", { scope }),
    () => membrane.add([], { session: "s", scope }),
    () => membrane.getAll({ scope }).next(),
    () => membrane.retrieveById("r", { trust: { scopes: ["s", scope] } }),
    () => membrane.withOptions({ scope }).recall("x"),
  ])
    await assert.rejects(call, /^TypeError: scope: 1 character or more/);
  assert.equal(asked.length, 0);
});

test("an empty scope as a record's new scope is sent: the record leaves every scope", async () => {
  const { membrane, asked } = client([written()]);

  await membrane.reclassify("r", { scope: "" });

  assert.deepEqual(asked[0]!.body, { scope: "" });
});

test("a limit of 0 recalls nothing, whatever the service takes 0 for", async () => {
  const { membrane } = client([ok({ records: [{ id: "r" }, { id: "s" }], next_cursor: "c" })]);

  assert.deepEqual(await membrane.recall("x", { limit: 0 }), []);
  assert.equal((await membrane.recall("x", { limit: 1 })).length, 1);
});
