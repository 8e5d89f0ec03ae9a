/** Values too large for a request or a reply: uploaded before the request, fetched by link after the reply. */
import { createHash } from "node:crypto";
import { MembraneError, UnexpectedReply } from "./errors.js";
import { jsonText, parsedJson } from "./json.js";

/** Bytes of a request's body as a JSON string, the form in Lambda's event, which takes 6 MB in all. */
export const ROOM_BYTES = 5 * 1024 * 1024;
const MOST_UPLOADS = 4;
const LONGEST_VALUE_BYTES = 10_485_760;

/** Fields of any JSON that requests may upload. */
export const UPLOADABLE: ReadonlySet<string> = new Set([
  "active_constraints",
  "args",
  "args_schema",
  "conditions",
  "constraints",
  "content",
  "context",
  "document",
  "guards",
  "inputs_schema",
  "object",
  "outputs_schema",
  "params",
  "result",
]);

/** Uploaded as fields of the request alone: the content of a capture, not of a message. */
const OF_REQUESTS: ReadonlySet<string> = new Set(["content", "document"]);

/** Fields whose text is JSON text already. */
const JSON_TEXT: ReadonlySet<string> = new Set(["active_constraints", "args"]);

/** Fields of any JSON. Inside the value, everything is the writer's own, so a lookalike of a link is no link. */
export const ANY_JSON: ReadonlySet<string> = new Set([
  ...[...UPLOADABLE].filter((each) => each !== "active_constraints" && !OF_REQUESTS.has(each)),
  "added",
  "after",
  "before",
  "current_value",
  "detail",
  "explanation",
  "query",
  "tools",
  "value",
]);

export interface Link {
  readonly url: string;
  readonly sha256: string;
  readonly size: number;
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly field: string;
  readonly text: string;
}

/** A value that the service takes as an upload, with the scope of the new record or document. */
type Uploadable = Place & { scope: string | undefined };

export const digest = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * The body's JSON text; over ROOM_BYTES, claims of uploads replace the largest values.
 *
 * `upload` stores a JSON text, for a record of a scope if the body names one, and gives the upload's id. Raises MembraneError for a value over LONGEST_VALUE_BYTES.
 */
export async function fitted(
  body: object,
  upload: (json: string, index: number, scope: string | undefined) => Promise<string>,
  values: (body: Record<string, unknown>) => Uploadable[] = valuesOfReports,
): Promise<string> {
  let text = jsonText(body);
  if (escapedBytes(text) <= ROOM_BYTES) return text;
  const copy = parsedJson(text) as Record<string, unknown>;
  const places = values(copy).sort((a, b) => b.text.length - a.text.length);
  for (const [index, { holder, field, text: json, scope }] of places.slice(0, MOST_UPLOADS).entries()) {
    const size = Buffer.byteLength(json);
    if (size > LONGEST_VALUE_BYTES)
      throw new MembraneError(`${field}: ${size} bytes of JSON; ${LONGEST_VALUE_BYTES} are the most`);
    holder[field] = { $upload: await upload(json, index, scope) };
    text = jsonText(copy);
    if (escapedBytes(text) <= ROOM_BYTES) break;
  }
  return text;
}

/** The reply with linked values in place of their links; `fetched` gives the text behind a link. */
export async function followed<T>(reply: T, fetched: (link: Link) => Promise<string>): Promise<T> {
  for (const [holder, field, link] of linksIn(reply)) {
    const text = await fetched(link);
    if (digest(text) !== link.sha256)
      throw new UnexpectedReply(`${field}: the linked value is not the one that was meant`);
    holder[field] = parsedJson(text);
  }
  return reply;
}

/** The places of links, however deep the reply is nested. */
function linksIn(reply: unknown): [Record<string, unknown>, string, Link][] {
  const found: [Record<string, unknown>, string, Link][] = [];
  const open = [reply];
  for (const value of open) {
    if (typeof value !== "object" || value === null) continue;
    const holder = value as Record<string, unknown>;
    for (const [field, each] of Object.entries(holder)) {
      const link = linkIn(each);
      if (link) found.push([holder, field, link]);
      // The keys of a topic's `fields` are names from its writers.
      else if (field === "fields") for (const inner of Object.values(each as object)) open.push(inner);
      // The items of a document's list are the writers' own, and never replaced by links.
      else if (!ANY_JSON.has(field) && field !== "items") open.push(each);
    }
  }
  return found;
}

function linkIn(value: unknown): Link | undefined {
  const isHolder = typeof value === "object" && value !== null && "$blob" in value && Object.keys(value).length === 1;
  return isHolder ? (value.$blob as Link) : undefined;
}

/** The values of the documents in a request, or in each operation of a batch. Items of a list are never uploaded. */
export function valuesOfDocuments(body: Record<string, unknown>): Uploadable[] {
  const parts = Array.isArray(body.operations) ? (body.operations as Record<string, unknown>[]) : [body];
  return parts
    .filter((part) => part?.value !== undefined)
    .map((part) => ({ holder: part, field: "value", text: jsonText(part.value), scope: scopeOf(part) }));
}

/** The uploadable values of a request, or of each item of a batch. */
export function valuesOfReports(body: Record<string, unknown>): Uploadable[] {
  const parts = Array.isArray(body.items) ? (body.items as Record<string, unknown>[]) : [body];
  return parts.flatMap((part) => uploadable(part, true).map((place) => ({ ...place, scope: scopeOf(part) })));
}

function scopeOf(part: Record<string, unknown>): string | undefined {
  const { scope } = ((part?.record ?? part) || {}) as { scope?: unknown };
  return typeof scope === "string" && scope ? scope : undefined;
}

function uploadable(value: unknown, isRequest = false): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.entries(holder).flatMap(([field, each]) => {
    const isUploaded = UPLOADABLE.has(field) && (isRequest || !OF_REQUESTS.has(field));
    if (!isUploaded || each === null) return uploadable(each);
    const isJsonText = typeof each === "string" && JSON_TEXT.has(field);
    return [{ holder, field, text: isJsonText ? each : jsonText(each) }];
  });
}

const escapedBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
