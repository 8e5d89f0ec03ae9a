/** Keyed documents against the API that MEMBRANE_URL names, with a key for all scopes. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Conflict, Membrane, NotFound } from "../../src/index.js";

const own = () => new Membrane({ scope: `test:${randomUUID()}` });
const NAMES = ["a b", "a/b", "ü", "%", "%2F", "?", "#", "*", "'()!", "x\ny", "items", "😀"];

test("a document is read back under every name", async () => {
  const membrane = own();

  for (const name of NAMES) await membrane.putDocument(["n", name], name, { name });

  for (const name of NAMES) {
    const { namespace, key, value } = await membrane.getDocument(["n", name], name);
    assert.deepEqual([namespace, key, value], [["n", name], name, { name }]);
  }
  const listed = new Set<string>();
  for await (const [, name] of membrane.namespaces({ prefix: ["n"], limit: 5 })) listed.add(name!);
  assert.deepEqual(listed, new Set(NAMES));
});

test("a version that is not there is a conflict, and a deleted document has a history", async () => {
  const membrane = own();
  await membrane.putDocument(["users"], "ann", 1, { operationId: "first" });

  await assert.rejects(membrane.putDocument(["users"], "ann", 2, { expectedVersion: 0 }), Conflict);
  await membrane.deleteDocument(["users"], "ann", { expectedVersion: 1, rationale: "left" });

  await assert.rejects(membrane.getDocument(["users"], "ann"), NotFound);
  const { deleted, history, verified } = await membrane.getDocument(["users"], "ann", { history: 5, verify: true });
  assert.deepEqual([deleted, history!.map(({ value }) => value), verified], [true, [1], true]);
  assert.equal((await membrane.readOperation("first")).version, 1);
});

test("items are appended, read and taken off in order", async () => {
  const membrane = own();

  const { end } = await membrane.appendItems(["sessions"], "s1", [1, { content: "two" }, 3]);
  const { items: off } = await membrane.deleteDocument(["sessions"], "s1", { items: 1 });

  const { items } = await membrane.getDocument(["sessions"], "s1", { items: 10 });
  assert.equal(end, 3);
  assert.deepEqual(off!.map(({ value }) => value), [3]);
  assert.deepEqual(items!.map(({ value }) => value), [1, { content: "two" }]);
});

test("a batch answers in order, and a search finds by fields page after page", async () => {
  const membrane = own();
  const puts = [1, 2, 3, 4, 5].map((score) => ({
    op: "put" as const,
    namespace: ["notes"],
    key: `n${score}`,
    value: { score },
  }));

  const results = await membrane.batchDocuments([...puts, { op: "get", namespace: ["notes"], key: "none" }]);
  const found: unknown[] = [];
  for await (const { value } of membrane.documents(["notes"], { filter: { score: { $gte: 2 } }, limit: 2 })) found.push(value);

  assert.deepEqual(results.map(({ status }) => status), [200, 200, 200, 200, 200, 404]);
  assert.deepEqual(found, [2, 3, 4, 5].map((score) => ({ score })));
});

test("a value that no request carries comes back whole", async () => {
  const membrane = own();
  const value = { log: "line\n".repeat(1_500_000) };

  await membrane.putDocument(["logs"], "build", value);

  assert.deepEqual((await membrane.getDocument(["logs"], "build")).value, value);
});
