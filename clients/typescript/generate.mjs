// Writes src/openapi.ts and src/routes.ts, or both files into the folder of the argument, from infra/openapi.yaml.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import openapiTS, { astToString } from "openapi-typescript";

const HEAD = "// Written by `npm run generate` from infra/openapi.yaml.\n";
const source = new URL("../../infra/openapi.yaml", import.meta.url);
const folder = process.argv[2] ?? fileURLToPath(new URL("src", import.meta.url));
const document = load(readFileSync(source, "utf8"));

/** The target of a `$ref`. */
function resolved(node) {
  if (node?.$ref === undefined) return node;
  return node.$ref
    .slice(2)
    .split("/")
    .reduce((place, name) => place[name], document);
}

/** Drop conditions beside `properties`: a validator's matter, which the generator takes for alternative types. */
function withoutConditions(node) {
  if (typeof node !== "object" || node === null) return;
  if (node.type === "object" && node.properties) ["allOf", "anyOf", "oneOf"].forEach((word) => delete node[word]);
  Object.values(node).forEach(withoutConditions);
}

/** Where a request names its scope: a field, a list in the query, its trust, or nowhere. */
function scopePlace(method, query, body) {
  const parameter = query.find((each) => each.name === "scope");
  if (parameter) return parameter.schema.type === "array" ? "list" : "field";
  // PATCH moves a record into the scope: no default may do so.
  if (method !== "PATCH" && body.scope) return "field";
  return body.trust ? "trust" : "none";
}

/** The lists and objects that all bodies of a success require, by name; null where a success has no body. */
function replyParts(responses) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const contents = successes.map(([, response]) => resolved(response).content);
  if (!contents.every(Boolean)) return null;
  const bodies = contents.flatMap((content) => {
    const schema = resolved(content["application/json"].schema);
    return (schema.anyOf ?? [schema]).map(resolved);
  });
  const parts = (bodies[0].required ?? []).map((name) => [name, resolved(bodies[0].properties[name]).type]);
  const required = ([name]) => bodies.every((body) => body.required?.includes(name));
  return Object.fromEntries(parts.filter(required).filter(([, type]) => ["array", "object"].includes(type)));
}

function route(method, path, operation) {
  const parameters = (operation.parameters ?? []).map(resolved);
  const query = parameters.filter((each) => each.in === "query");
  const schema = resolved(operation.requestBody?.content["application/json"].schema);
  return {
    method,
    path,
    query: query.map((each) => each.name),
    writes: parameters.some((each) => each.name === "Idempotency-Key"),
    scope: scopePlace(method, query, schema?.properties ?? {}),
    reply: replyParts(operation.responses),
  };
}

const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const described = route(method.toUpperCase(), path, operation);
    return `  ${operation.operationId}: ${JSON.stringify(described)},\n`;
  }),
);
withoutConditions(document.components);
const types = await openapiTS(document, {
  defaultNonNullable: false,
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  silent: true,
});
writeFileSync(`${folder}/openapi.ts`, HEAD + astToString(types));
writeFileSync(
  `${folder}/routes.ts`,
  `${HEAD}/** Method, path and query fields of every operation. */\n` +
    `export const ROUTES = {\n${routes.join("")}} as const;\n`,
);
