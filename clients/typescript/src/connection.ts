/** One API and one key: completes a call's fields, sends the request, and keeps the tokens of writes. */
import { randomUUID } from "node:crypto";
import { MembraneError, UnexpectedReply } from "./errors.js";
import { eventsOf } from "./events.js";
import { snake, type CallOptions } from "./fields.js";
import { jsonText, parsedJson, urlText } from "./json.js";
import type { OpenedUpload } from "./openapi.js";
import { ROUTES } from "./routes.js";
import { Tokens } from "./tokens.js";
import { requestIdOf, send, type Delivery, type Fetch, type Incoming } from "./transport.js";
import { requireUser } from "./users.js";
import { digest, fitted, followed, valuesOfDocuments, valuesOfReports } from "./values.js";

export interface MembraneOptions {
  /** Where the API is; absent: the environment's MEMBRANE_URL. */
  url?: string | undefined;
  /** Absent: the environment's MEMBRANE_API_KEY. */
  apiKey?: string | undefined;
  /** The user of every call without `user`; never undefined, see CallOptions. */
  user?: string;
  /** The scope of every call without `scope` and `user`. */
  scope?: string | undefined;
  /** For each attempt; 30,000 where absent. */
  timeoutMs?: number | undefined;
  /** Attempts after the first; 2 where absent. */
  maxRetries?: number | undefined;
  /** Whether retrievals see the newest 100 records that this client wrote in the last minute, ahead of the index; true where absent. */
  readYourWrites?: boolean | undefined;
  fetch?: Fetch | undefined;
}

/** A reply's body, with the facts of its headers. */
export interface Answered<Body> {
  readonly body: Body;
  readonly status: number;
  /** Whether the idempotency key was seen before, and nothing was changed. */
  readonly replayed: boolean;
  readonly requestId: string | undefined;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly writes: boolean;
  readonly scope: "field" | "list" | "trust" | "none";
  /** The lists and objects that every success has; null where a success has no body. */
  readonly reply: Readonly<Record<string, "array" | "object">> | null;
}

type RequestBody = Record<string, unknown>;

const KEY = /^[!-~]([ -~]{0,253}[!-~])?$/;
const API_KEY = /^[!-~]+$/;
/** The status of a repeated upload: the bucket has the value already. */
const PUT_BEFORE = 412;

/** The subject of a consistency token: retrievals take tokens of records, queries of topics take tokens of topics. */
export type Kind = "records" | "topics";

const READ_AFTER_WRITE: ReadonlySet<string> = new Set([
  ROUTES.Retrieve.path,
  ROUTES.RetrieveGraph.path,
  ROUTES.QueryTopics.path,
]);

/** The field with the requests of a batch, by path. */
const BATCHES: Readonly<Record<string, string>> = {
  [ROUTES.IngestBatch.path]: "items",
  [ROUTES.BatchDocuments.path]: "operations",
};

/** The paths whose bodies have the values of keyed documents. */
const DOCUMENTS: ReadonlySet<string> = new Set([ROUTES.PutDocument.path, ROUTES.BatchDocuments.path]);

const CHAT_STREAM: Route = { ...ROUTES.Chat, path: `${ROUTES.Chat.path}/stream` };

/**
 * Milliseconds for conversations, by path. The HTTP API ends a conversation after 29 seconds, the function URL after
 * 300. A model leads a conversation, so a second attempt may write something new.
 */
const LEAST_TIMEOUTS_MS: Readonly<Record<string, number>> = { [ROUTES.Chat.path]: 35_000, [CHAT_STREAM.path]: 310_000 };

export class Connection {
  readonly #options: MembraneOptions;
  readonly #url: string;
  readonly #apiKey: string;
  readonly #written: Readonly<Record<Kind, Tokens>>;

  constructor(options: MembraneOptions, like?: Connection) {
    requireUser(options);
    this.#options = like ? { ...like.#options, ...options } : options;
    this.#url = address(this.#options.url ?? environment("MEMBRANE_URL", "url"));
    this.#apiKey = this.#options.apiKey ?? environment("MEMBRANE_API_KEY", "apiKey");
    if (!API_KEY.test(this.#apiKey)) throw new TypeError("apiKey: printable ASCII characters without spaces");
    this.#written = like ? like.#written : { records: new Tokens(), topics: new Tokens() };
  }

  /** The user, else the scope, of a call without both. */
  get owner(): string | undefined {
    return this.#options.user ?? this.#options.scope;
  }

  async exchange<Body>(route: Route, kind: Kind, given: object): Promise<Answered<Body>> {
    const { delivery, idempotencyKey, fields } = this.#read(route, kind, given);
    const { path, query, body } = placed(route, fields);
    const upload = (json: string, index: number, scope: string | undefined) => {
      const options = { ...delivery, ...(fields.user === undefined ? {} : { user: fields.user as string }), scope };
      return this.#uploaded(json, `${idempotencyKey} ${index}`, options);
    };
    const values = DOCUMENTS.has(route.path) ? valuesOfDocuments : valuesOfReports;
    const text = body && (await fitted(body, upload, values));
    const headers = this.#headers(route.writes ? idempotencyKey : undefined, text !== undefined);
    const reply = await this.#send(
      { method: route.method, url: this.#url + path + query, headers, body: text },
      delivery,
    );
    const parsed = await followed(contentOf(reply, route), (link) => this.#fetched(link.url, delivery));
    if (route.writes) this.#written[kind].keep(parsed);
    const replayed = reply.headers.get("idempotency-replayed") === "true";
    return { body: parsed as Body, status: reply.status, replayed, requestId: requestIdOf(reply.headers) };
  }

  /** The data of each event of a streamed conversation, at `streamUrl` or at the API's address. */
  async *stream(streamUrl: string | undefined, given: object): AsyncGenerator<string, void> {
    const { delivery, idempotencyKey, fields } = this.#read(CHAT_STREAM, "records", given);
    const { path, method } = CHAT_STREAM;
    const base = streamUrl === undefined ? this.#url : secureAddress(streamUrl);
    const url = base.endsWith(path) ? base : base + path;
    const headers = { ...this.#headers(idempotencyKey, true), accept: "text/event-stream" };
    const request = { method, url, headers, body: jsonText(fields) };
    yield* eventsOf(request, delivery, this.#options.fetch ?? globalThis.fetch);
  }

  /** A call's options and complete fields. Raises TypeError for a user without a name and a key that no header carries. */
  #read(route: Route, kind: Kind, given: object): { delivery: Delivery; idempotencyKey: string; fields: RequestBody } {
    requireUser(given);
    const { timeoutMs, maxRetries, signal, idempotencyKey = randomUUID(), ...named } = given as CallOptions;
    if (!KEY.test(idempotencyKey)) throw new TypeError("idempotencyKey: 1 to 255 printable ASCII characters");
    const leastMs = LEAST_TIMEOUTS_MS[route.path];
    const delivery = {
      timeoutMs: timeoutMs ?? Math.max(this.#options.timeoutMs ?? 30_000, leastMs ?? 0),
      maxRetries: maxRetries ?? this.#options.maxRetries ?? 2,
      signal,
      isRepeatable: leastMs === undefined,
    };
    const fields = Object.fromEntries(Object.entries(named).map(([name, value]) => [snake(name), value]));
    this.#complete(route, kind, fields);
    return { delivery, idempotencyKey, fields };
  }

  #headers(idempotencyKey: string | undefined, hasBody: boolean): Record<string, string> {
    return {
      authorization: `Bearer ${this.#apiKey}`,
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    };
  }

  /** Add the client's user, else its scope, and the tokens of earlier writes. Raises TypeError for an empty scope. */
  #complete(route: Route, kind: Kind, fields: RequestBody): void {
    if (route.path === "/health") return;
    fields.user ??= this.#options.user;
    const scope = fields.user === undefined ? this.#options.scope : undefined;
    const batch = BATCHES[route.path] ?? "";
    [fields.arguments, fields[batch]].flat().forEach(requireUser);
    if (scope !== undefined) {
      const place = route.scope === "trust" ? "trust" : "scope";
      const value = { field: scope, list: [scope], trust: { scopes: [scope] }, none: undefined }[route.scope];
      if (fields[place] === undefined) fields[place] = value;
      if (fields.record) fields.record = withScope(fields.record as RequestBody, scope);
      if (Array.isArray(fields[batch])) fields[batch] = fields[batch].map((item) => scoped(item, scope));
    }
    const scopes = [fields.scope, (fields.trust as { scopes?: unknown } | null | undefined)?.scopes].flat();
    // As a change of a record, "" takes the record out of every scope.
    if (route.scope !== "none" && scopes.includes(""))
      throw new TypeError("scope: 1 character or more; undefined is the client's scope");
    if (READ_AFTER_WRITE.has(route.path) && (this.#options.readYourWrites ?? true)) {
      const tokens = this.#written[kind].with((fields.consistency_tokens as string[] | undefined) ?? []);
      if (tokens.length) fields.consistency_tokens = tokens;
    }
  }

  #send(request: Parameters<typeof send>[0], delivery: Delivery, accepted?: number[]): Promise<Incoming> {
    return send(request, delivery, this.#options.fetch ?? globalThis.fetch, accepted);
  }

  /** The text behind a reply's link. The address is signed, so no API key goes along. */
  async #fetched(url: string, delivery: Delivery): Promise<string> {
    return (await this.#send({ method: "GET", url, headers: {} }, delivery)).text;
  }

  /** The id of an upload of this JSON text; equal keys make a single upload. */
  async #uploaded(json: string, key: string, options: Delivery & { user?: string; scope: string | undefined }): Promise<string> {
    const bytes = new TextEncoder().encode(json);
    const sha256 = digest(bytes);
    const { isRepeatable: _, ...named } = options;
    const fields = { ...named, idempotencyKey: digest(`${key} ${sha256}`), size: bytes.length, sha256 };
    const { body: opened } = await this.exchange<OpenedUpload>(ROUTES.OpenUpload, "records", fields);
    await this.#send({ method: opened.method, url: opened.url, headers: opened.headers, body: bytes }, options, [
      PUT_BEFORE,
    ]);
    return opened.upload_id;
  }
}

function environment(name: string, option: string): string {
  const value = process.env[name];
  if (!value) throw new MembraneError(`${option} is missing: give the option, or set ${name}`);
  return value;
}

/** A success's JSON object, undefined where the route has none. Raises UnexpectedReply for any other text. */
function contentOf({ text }: Incoming, route: Route): RequestBody | undefined {
  if (route.reply === null && text === "") return undefined;
  const content = parse(text);
  if (kindOf(content) !== "object") throw new UnexpectedReply("the reply is no JSON object");
  for (const [name, kind] of Object.entries(route.reply ?? {})) {
    if (kindOf(content[name]) !== kind) throw new UnexpectedReply(`the reply has no ${kind} ${name}`);
  }
  return content;
}

/** The address that paths of the API follow. Raises TypeError where no request can be sent there. */
function address(url: string, option = "url"): string {
  const { protocol, origin, pathname, username, search, hash } = URL.canParse(url) ? new URL(url) : ({} as URL);
  if (!/^https?:$/.test(protocol) || username || search || hash)
    throw new TypeError(option + ": http:// or https://, a host, and no credentials, query or fragment");
  return (origin + pathname).replace(/\/+$/, "");
}

/** The address of a function URL. Raises TypeError where the API key would travel in the clear. */
function secureAddress(url: string): string {
  const secure = address(url, "streamUrl");
  if (!/^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/.test(secure))
    throw new TypeError("streamUrl: https://, but for a service on this machine");
  return secure;
}

function parse(text: string): RequestBody {
  try {
    return parsedJson(text);
  } catch (cause) {
    throw new UnexpectedReply(text === "" ? "the reply is empty" : "the reply is no JSON", { cause });
  }
}

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? "array" : value === null ? "null" : typeof value;

/** An item of a batch with the scope, where the RPC takes a scope and the item names neither scope nor user. */
function scoped(item: RequestBody, scope: string): RequestBody {
  if (item.rpc === "IngestOutcome" || item.user !== undefined) return item;
  return item.rpc === "IngestRecord"
    ? { ...item, record: withScope(item.record as RequestBody | undefined, scope) }
    : withScope(item, scope);
}

const withScope = (named: RequestBody | undefined, scope: string): RequestBody =>
  named?.scope === undefined ? { ...named, scope } : named;

/** Path, query and body of a request. Raises TypeError for an id that changes the path; `path` has several segments. */
function placed(route: Route, fields: RequestBody): { path: string; query: string; body: RequestBody | undefined } {
  const rest = { ...fields };
  const take = (name: string) => {
    const value = rest[name];
    delete rest[name];
    return value;
  };
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = take(name);
    const segments = typeof value !== "string" ? [""] : name === "path" ? value.split("/") : [value];
    if (segments.some((each) => ["", ".", ".."].includes(each))) throw new TypeError(`${name}: an id is required`);
    return segments.map(urlText).join("/");
  });
  const hasBody = !["GET", "DELETE"].includes(route.method);
  const inQuery = hasBody ? route.query : route.method === "GET" ? Object.keys(rest) : [...route.query, "user"];
  const pairs = inQuery.flatMap((name) => {
    const values = [take(name) ?? []].flat();
    return values.map((value) => `${urlText(name)}=${urlText(String(value))}`);
  });
  const isSent = hasBody || Object.values(rest).some((value) => value !== undefined);
  return { path, query: pairs.length ? `?${pairs.join("&")}` : "", body: isSent ? rest : undefined };
}
