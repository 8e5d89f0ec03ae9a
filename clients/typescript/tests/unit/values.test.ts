import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "js-yaml";
import { ANY_JSON, UPLOADABLE, digest } from "../../src/values.js";
import { UnexpectedReply } from "../../src/index.js";
import { client, ok, written, type Told } from "../replies.js";

const document = load(readFileSync("../../infra/openapi.yaml", "utf8")) as any;
const name = (node: any) =>
  String(node?.$ref ?? "")
    .split("/")
    .at(-1)!;
const resolved = (node: any): any =>
  node?.$ref
    ? node.$ref
        .slice(2)
        .split("/")
        .reduce((place: any, each: string) => place[each], document)
    : node;

/** Each property below a schema, with its own schema. */
function* properties(schema: any, seen = new Set<any>()): Generator<[string, any]> {
  const node = resolved(schema);
  if (typeof node !== "object" || node === null || seen.has(node)) return;
  seen.add(node);
  for (const [field, each] of Object.entries(node.properties ?? {})) {
    yield [field, each];
    yield* properties(each, seen);
  }
  for (const part of ["anyOf", "oneOf", "allOf"]) for (const each of node[part] ?? []) yield* properties(each, seen);
  for (const part of ["items", "additionalProperties"]) yield* properties(node[part], seen);
}

const reads = (node: any): boolean =>
  ["JsonValue", "JsonObject"].some((each) => name(node).startsWith(each)) ||
  [...(node.anyOf ?? []), ...(node.oneOf ?? [])].some(reads);
const isAnyJson = (node: any): boolean => {
  const { description: _, additionalProperties, ...rest } = node;
  if (additionalProperties !== undefined && additionalProperties !== true) return false;
  const isBare = Object.keys(rest).length === 0;
  return (
    reads(node) ||
    isBare ||
    (rest.type === "object" && Object.keys(rest).length === 1) ||
    (rest.items && isAnyJson(rest.items))
  );
};
const replies = Object.values<any>(document.paths).flatMap((methods) =>
  Object.values<any>(methods).flatMap((operation) =>
    Object.entries<any>(operation.responses).flatMap(([status, reply]) =>
      status < "300" && reply.content ? [reply.content["application/json"].schema] : [],
    ),
  ),
);

test("the fields of any JSON in replies are those that the document leaves open", () => {
  const open = new Set<string>();
  const shaped = new Set<string>();
  for (const schema of replies) {
    // The results of a batch of documents have the fields of the operations' replies.
    if (name(schema) === "BatchedDocuments") continue;
    for (const [field, node] of properties(schema)) {
      if (isAnyJson(node)) open.add(field);
      else if (!properties(node).next().done) shaped.add(field);
    }
  }

  assert.deepEqual([...open].sort(), [...ANY_JSON].sort());
  assert.deepEqual(
    [...shaped].filter((field) => ANY_JSON.has(field)),
    [],
  );
});

test("the fields that are uploaded are those that may claim an upload", () => {
  const claims = (node: any): boolean =>
    ["JsonValue-Input", "JsonObject-Input", "UploadClaim"].includes(name(node)) || (node.anyOf ?? []).some(claims);
  const found = new Set<string>();
  for (const each of Object.values<any>(document.components.schemas)) {
    for (const [field, node] of Object.entries<any>(each.properties ?? {})) if (claims(node)) found.add(field);
  }

  // The value of a constraint is uploaded with all constraints: a topic's `value` may not be.
  assert.deepEqual([...UPLOADABLE, "value"].sort(), [...found].sort());
});

const big = "x".repeat(6_000_000);
const uploading: Told = (request) => {
  if (request.url.pathname === "/v1/uploads") {
    return ok(
      { upload_id: "u1", url: "http://bucket.test/u1", method: "PUT", headers: { "if-none-match": "*" } },
      {},
      201,
    );
  }
  return request.url.host === "bucket.test" ? new Response("") : written();
};

test("a value without room in its request is uploaded first, without the API key", async () => {
  const { membrane, asked } = client([uploading]);

  await membrane.ingestToolOutput("build", { result: { log: big }, args: { n: 1 }, user: "alice" });

  const [opened, put, report] = asked;
  const text = JSON.stringify({ log: big });
  assert.deepEqual(opened!.body, { size: text.length, sha256: digest(text), user: "alice" });
  assert.deepEqual(put!.body, { log: big });
  assert.deepEqual(
    [put!.method, put!.headers.get("authorization"), put!.headers.get("if-none-match")],
    ["PUT", null, "*"],
  );
  assert.deepEqual([report!.body.result, report!.body.args], [{ $upload: "u1" }, { n: 1 }]);
});

test("the content of a capture is uploaded, the content of a message never", async () => {
  const { membrane, asked } = client([uploading]);

  await membrane.captureMemory({ args: big }).catch(() => undefined);
  await membrane.ingestMessages([{ role: "user", content: big }], { session: "s1" }).catch(() => undefined);

  const bodies = asked.filter((each) => each.url.host !== "bucket.test").map((each) => each.body);
  const [, capture, messages] = bodies;
  assert.deepEqual(capture.content, { $upload: "u1" });
  assert.equal(messages.messages[0].content, big);
});

test("one idempotency key leads to one upload, also where the value lies there already", async () => {
  const { membrane, asked } = client([
    (request) => (request.url.host === "bucket.test" ? new Response("", { status: 412 }) : (uploading as any)(request)),
  ]);
  const options = { result: big, idempotencyKey: "k" };

  await membrane.ingestToolOutput("build", options);
  await membrane.ingestToolOutput("build", options);
  await membrane.ingestToolOutput("build", { ...options, idempotencyKey: "l" });

  const opened = asked
    .filter((each) => each.url.pathname === "/v1/uploads")
    .map((each) => each.headers.get("idempotency-key"));
  assert.equal(opened[0], opened[1]);
  assert.notEqual(opened[0], opened[2]);
});

test("quotes count as the two bytes that they are in the function's event", async () => {
  const { membrane, asked } = client([uploading]);

  await membrane.ingestToolOutput("build", { result: '"'.repeat(1_500_000) });

  assert.equal(asked.length, 3);
});

test("a value that no upload takes is refused by its field", async () => {
  const { membrane, asked } = client([uploading]);

  await assert.rejects(
    membrane.ingestObservation("a", "b", "x".repeat(10_485_760)),
    /^MembraneError: object: 10485762 bytes/,
  );
  assert.equal(asked.length, 0);
});

const linked = (text: string, sha256 = digest(text)) => ({
  $blob: { sha256, size: text.length, url: "http://bucket.test/b" },
});

test("a link in a reply is followed without the API key", async () => {
  const text = JSON.stringify({ log: ["ä"] });
  const record = { id: "r", payload: { kind: "episodic", tool_graph: [{ tool: "t", result: linked(text) }] } };
  const { membrane, asked } = client([ok({ record }), new Response(text)]);

  const read = (await membrane.retrieveById("r")) as any;

  assert.deepEqual(read.payload.tool_graph[0].result, { log: ["ä"] });
  assert.equal(asked[1]!.headers.get("authorization"), null);
});

test("a link to another content than was meant is an UnexpectedReply", async () => {
  const record = { id: "r", payload: { kind: "semantic", object: linked("1", digest("2")) } };
  const { membrane } = client([ok({ record }), new Response("1")]);

  await assert.rejects(
    membrane.retrieveById("r"),
    (error) => error instanceof UnexpectedReply && /object/.test(error.message),
  );
});

test("what a writer made to look like a link is not followed", async () => {
  const forged = linked("1");
  const record = {
    id: "r",
    payload: {
      kind: "semantic",
      object: { inner: forged, result: forged },
      validity: { conditions: { value: forged } },
    },
  };
  const { membrane, asked } = client([ok({ record })]);

  const read = (await membrane.retrieveById("r")) as any;

  assert.deepEqual(read.payload.object, { inner: forged, result: forged });
  assert.equal(asked.length, 1);
});

test("links of a topic are followed whatever its fields are called", async () => {
  const fields = { value: { history: [{ value: linked("7") }] }, args: { history: [{ value: 0 }] } };
  const topic = { fields, salience_parts: {}, absorbed: [], access_trail: [], topic_history: [] };
  const { membrane, asked } = client([ok(topic), new Response("7")]);

  const read = (await membrane.readTopic("t")) as any;

  assert.equal(read.fields.value.history[0].value, 7);
  assert.equal(asked.length, 2);
});
