/** Keyed documents through the client: paths, scopes, large values, and lists page by page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { digest } from "../../src/values.js";
import { client, ok, type Told } from "../replies.js";

const DOCUMENT = { namespace: ["users"], key: "ann", scope: "", version: 1 };
const WRITTEN = { document: DOCUMENT, version: 1, existed: false };
const BIG = "x".repeat(6_000_000);
const uploading: Told = ({ url }) => {
  if (url.host === "bucket.test") return new Response("");
  const opened = { upload_id: "u1", url: "http://bucket.test/u1", method: "PUT", headers: {} };
  return url.pathname === "/v1/uploads" ? ok(opened, {}, 201) : ok({ ...WRITTEN, results: [] });
};

for (const [label, travels] of [
  ["a/b", "a%252Fb"],
  ["a b", "a%2520b"],
  ["ü", "%25C3%25BC"],
  ["%2F", "%25252F"],
  ["?", "%253F"],
  ["#", "%2523"],
  ["*", "*"],
  ["\n", "%250A"],
  ["n\ud83d", "n%25EF%25BF%25BD"],
] as const) {
  test(`the label ${JSON.stringify(label)} travels as ${travels}`, async () => {
    const { membrane, asked } = client([ok(WRITTEN)]);

    await membrane.putDocument([label, "x"], label, 1);

    assert.equal(asked[0]!.url.pathname, `/v1/documents/${travels}/x/${travels}`);
  });
}

test("a document is put with the client's scope and a key of its own, and read back by its place", async () => {
  const { membrane, asked } = client([ok(WRITTEN), ok({ document: { ...DOCUMENT, value: { a: 1 } } })], { scope: "team" });

  const written = await membrane.putDocument(["users"], "ann", { a: 1 }, { expectedVersion: 0, ttlSeconds: 60 });
  const read = await membrane.getDocument(["users"], "ann", { items: 3, history: 2, verify: true });

  const [put, get] = asked;
  assert.deepEqual([put!.method, put!.url.pathname], ["PUT", "/v1/documents/users/ann"]);
  assert.deepEqual(put!.body, { scope: "team", value: { a: 1 }, expected_version: 0, ttl_seconds: 60 });
  assert.ok(put!.headers.get("idempotency-key"));
  assert.deepEqual([written.version, written.existed], [1, false]);
  assert.equal(get!.url.pathname + get!.url.search, "/v1/documents/users/ann?items=3&history=2&verify=true&scope=team");
  assert.deepEqual(read.value, { a: 1 });
});

test("a deletion has its version in the body, and the items to take off in the query", async () => {
  const { membrane, asked } = client([ok({ existed: true, version: 4 })]);

  await membrane.deleteDocument(["users"], "ann", { expectedVersion: 3, rationale: "left" });
  await membrane.deleteDocument(["users"], "ann", { items: 2 });

  assert.deepEqual(
    asked.map(({ method, url, body }) => [method, url.pathname + url.search, body]),
    [
      ["DELETE", "/v1/documents/users/ann", { expected_version: 3, rationale: "left" }],
      ["DELETE", "/v1/documents/users/ann?items=2", undefined],
    ],
  );
});

test("the items of a list are sent as they are, whatever the client's scope and their size", async () => {
  const { membrane, asked } = client([ok({ document: DOCUMENT, end: 2 })], { scope: "team" });
  const items = [{ role: "user", content: BIG, args: 1 }, "args"];

  await membrane.appendItems(["sessions"], "s1", items);

  assert.equal(asked.length, 1);
  assert.equal(asked[0]!.url.pathname, "/v1/documents/sessions/s1/items");
  assert.deepEqual(asked[0]!.body, { items, scope: "team" });
});

test("a value without room in its request is uploaded as a whole", async () => {
  const { membrane, asked } = client([uploading]);

  await membrane.putDocument(["users"], "ann", { args: BIG }, { scope: "team" });

  const [opened, put, written] = asked;
  assert.equal(opened!.body.scope, "team");
  assert.deepEqual(put!.body, { args: BIG });
  assert.deepEqual(written!.body, { scope: "team", value: { $upload: "u1" } });
});

test("the operations of a batch get the client's scope unless they name a scope or a user", async () => {
  const { membrane, asked } = client([uploading], { scope: "team" });
  const place = { namespace: ["a"], key: "k" };

  await membrane.batchDocuments(
    [
      { op: "put", ...place, value: { object: BIG } },
      { op: "get", ...place, scope: "other" },
      { op: "get", ...place, user: "ada" },
    ],
    { checkFirst: true },
  );

  assert.deepEqual(asked.at(-1)!.body, {
    operations: [
      { op: "put", ...place, value: { $upload: "u1" }, scope: "team" },
      { op: "get", ...place, scope: "other" },
      { op: "get", ...place, user: "ada" },
    ],
    check_first: true,
  });
});

test("the link of a value and of a former value is followed, a lookalike in a list is not", async () => {
  const link = (text: string) => ({ $blob: { sha256: digest(text), size: 1, url: "http://bucket.test/b" } });
  const shown = { ...DOCUMENT, value: link("1"), history: [{ value: link("1") }], items: [{ value: link("2") }] };
  const { membrane, asked } = client([ok({ document: shown }), new Response("1")]);

  const read = await membrane.getDocument(["users"], "ann", { items: 1, history: 1 });

  assert.deepEqual([read.value, read.history![0]!.value, read.items![0]!.value], [1, 1, link("2")]);
  assert.equal(asked.length, 3);
});

test("a search and a list of namespaces go on page after page", async () => {
  const found = [ok({ documents: [DOCUMENT, DOCUMENT], examined: 9, next_cursor: "c2" }), ok({ documents: [DOCUMENT], examined: 1 })];
  const listed = [ok({ namespaces: [["a"]], examined: 1, next_cursor: "c3" }), ok({ namespaces: [["b", "c"]], examined: 1 })];
  const { membrane, asked } = client([...found, ...listed]);
  const keys: string[] = [];
  const namespaces: string[][] = [];

  for await (const { key } of membrane.documents(["users"], { filter: { kind: "note" }, limit: 2 })) keys.push(key);
  for await (const labels of membrane.namespaces({ prefix: ["*", "x/y"], maxDepth: 2 })) namespaces.push(labels);

  assert.deepEqual(keys, ["ann", "ann", "ann"]);
  assert.deepEqual(namespaces, [["a"], ["b", "c"]]);
  assert.deepEqual(
    asked.slice(0, 2).map(({ body }) => body),
    [
      { filter: { kind: "note" }, limit: 2, namespace_prefix: ["users"] },
      { filter: { kind: "note" }, limit: 2, namespace_prefix: ["users"], cursor: "c2" },
    ],
  );
  assert.equal(asked[3]!.url.search, "?prefix=*&prefix=x%2Fy&max_depth=2&cursor=c3");
});

test("a place that no document has is refused before the first request", async () => {
  const { membrane, asked } = client([ok(WRITTEN)]);
  const places: [unknown, string][] = [[[], "k"], ["users", "k"], [["a", ""], "k"], [["a"], ".."], [[1], "k"]];

  for (const [namespace, key] of places)
    await assert.rejects(membrane.putDocument(namespace as string[], key, 1), TypeError);
  assert.equal(asked.length, 0);
});
