import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "js-yaml";
import { Membrane } from "../../src/index.js";
import { ROUTES } from "../../src/routes.js";
import { client, ok } from "../replies.js";

interface Operation {
  operationId: string;
  parameters?: object[];
  requestBody?: { content: Record<string, { schema: object }> };
}
const document = load(readFileSync("../../infra/openapi.yaml", "utf8")) as any;
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
/** The method of an operation: `RetrieveByID` is retrieveById. */
const named = (id: string) => id[0]!.toLowerCase() + id.slice(1).replace("ID", "Id");
const resolved = (node: any): any =>
  node?.$ref
    ? node.$ref
        .slice(2)
        .split("/")
        .reduce((place: any, name: string) => place[name], document)
    : node;
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

test("each operation of the document has a method", () => {
  const missing = operations
    .map((each) => named(each.operation.operationId))
    .filter((name) => !(name in Membrane.prototype));

  assert.ok(operations.length > 50);
  assert.deepEqual(missing, []);
});

for (const { method, path, operation } of operations) {
  const parameters = (operation.parameters ?? []).map(resolved);
  const schema = resolved(operation.requestBody?.content["application/json"]?.schema);
  const body = Object.keys((schema?.anyOf ? resolved(schema.anyOf[0]) : schema)?.properties ?? {});
  const inside = (place: string) => parameters.filter((each) => each.in === place).map((each) => each.name as string);

  test(`${operation.operationId} sends every field to where the document has it`, async () => {
    const parts = Object.entries(ROUTES[operation.operationId as "Pin"].reply ?? {});
    const reply = Object.fromEntries(parts.map(([name, kind]) => [name, (kind as string) === "array" ? [] : {}]));
    const { membrane, asked } = client([ok(reply)], { readYourWrites: false });
    const isAsked = (name: string) => name !== "idempotency_key";
    const names = [...inside("path"), ...inside("query"), ...body].filter(isAsked);
    const fields = Object.fromEntries(names.map((name) => [camel(name), `${name}!`]));

    await membrane.call(operation.operationId as "Pin", fields as any);

    const { url, method: used, headers, body: sent } = asked[0]!;
    assert.equal(used, method);
    assert.equal(url.pathname, path.replace(/\{(\w+)\}/g, "$1!"));
    const query = new Set(inside("query"));
    assert.deepEqual(new Set(url.searchParams.keys()), query);
    for (const [name, value] of url.searchParams) assert.equal(value, `${name}!`);
    const inBody = body.filter((name) => isAsked(name) && !query.has(name));
    const isSent = schema && (method !== "DELETE" || inBody.length > 0);
    assert.deepEqual(sent, isSent ? Object.fromEntries(inBody.map((name) => [name, `${name}!`])) : undefined);
    assert.equal(headers.has("idempotency-key"), inside("header").includes("Idempotency-Key"));
    assert.equal(headers.get("authorization"), "Bearer secret");
  });
}
