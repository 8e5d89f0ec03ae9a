/** The client: `remember`, `recall` and the rest of the short verbs, over every operation of the API. */
import { ALIASES, type Aliases } from "./aliases.js";
import { isBlank, requireObject } from "./blanks.js";
import { framesOf, messagesOf, type ChatFrame } from "./chat.js";
import { Connection, type Answered, type MembraneOptions, type Route } from "./connection.js";
import { certificateOf, eraseTarget, erasureOf, type ForgetOptions, type SavedCertificate, type Waiting } from "./erasures.js";
import { MembraneError, UnexpectedReply } from "./errors.js";
import type { CallOptions, Fields, OperationName, Options, Reply } from "./fields.js";
import { historyOf, type Version } from "./history.js";
import type {
  BriefRecord,
  CaptureReply,
  ChatMessage,
  Consolidation,
  EntityMention,
  EntityPage,
  ErasureReply,
  FoundDocument,
  Graph,
  ListedEntity,
  MemoryRecord,
  MemoryType,
  Message,
  OutcomeStatus,
  RecordInput,
  MessagesReply,
  SemanticPayloadOutput,
  SimilarEntity,
  StudyReply,
} from "./openapi.js";
import { Operations, recordsOf, type ShownRecord } from "./operations.js";
import { ROUTES } from "./routes.js";
import { studyStepsOf, type Following } from "./studies.js";
import { refuseInheritedUsers } from "./users.js";

export interface Recalling extends Pick<Options<"Retrieve">, keyof CallOptions | "outcome" | "minScore" | "maxTokens"> {
  /** At most so many memories; 8 where absent, and none for 0. */
  limit?: number | undefined;
  /** Memories of this scope and of none; null looks into every scope of the key. */
  scope?: string | null | undefined;
  types?: MemoryType[] | undefined;
}

/** Memories as a single text for a system message. */
export class Prompt {
  constructor(
    readonly text: string,
    /** The records in the text, for citing. */
    readonly ids: readonly string[],
    readonly tokens: number,
  ) {}

  toString(): string {
    return this.text;
  }
}

const PAGE = 100;

export class Membrane extends Operations {
  readonly #connection: Connection;

  constructor(options: MembraneOptions | Connection = {}) {
    super();
    this.#connection = options instanceof Connection ? options : new Connection(options);
  }

  /** The same client with some options changed; both clients see the writes of both. */
  withOptions(options: MembraneOptions): Membrane {
    return new Membrane(new Connection(options, this.#connection));
  }

  // --- short verbs

  /** Keep a text, or a fact as subject, predicate and object. Raises the errors of errors.ts, as every method does. */
  remember(text: string, options?: Remembering): Promise<MemoryRecord>;
  remember(subject: string, predicate: string, object: unknown, options?: Remembering): Promise<MemoryRecord>;
  async remember(first: string, ...rest: [Remembering?] | [string, unknown, Remembering?]): Promise<MemoryRecord> {
    if (typeof rest[0] === "string" || rest.slice(1).some((each) => each !== undefined)) {
      const [predicate, object, options] = rest as [string, unknown, Remembering?];
      if (typeof predicate !== "string") throw new TypeError("predicate: a text, between subject and object");
      requireObject(object);
      return this.ingestObservation(first, predicate, object, options);
    }
    if (isBlank(String(first ?? ""))) throw new TypeError("text: a note needs a text");
    const options = rest[0] ?? {};
    const subject = options.user ?? options.scope ?? this.#connection.owner ?? "user";
    return this.ingestObservation(subject, "noted", first, { ...options, onConflict: options.onConflict ?? "keep" });
  }

  /** Keep messages of a conversation, in order, after the session's earlier messages. */
  add(messages: Message[], options: Options<"IngestMessages", "messages">): Promise<MessagesReply> {
    return this.ingestMessages(messages, options);
  }

  /** Keep anything as evidence, linked to the entities that `content` names; `reason` says why the content matters. */
  async capture(content: unknown, options: Capturing = {}): Promise<CaptureReply> {
    if (isBlank(content)) throw new TypeError("content: a capture needs a content");
    const { reason: reasonToRemember, ...rest } = options;
    return this.captureMemory(content, { ...rest, reasonToRemember });
  }

  /** Memories for a question, the best first; `view: "prompt"` gives a single text for a system message. */
  recall(question: string, options: Recalling & { view: "prompt" }): Promise<Prompt>;
  recall(question: string, options?: Recalling & { view?: "brief" | undefined }): Promise<BriefRecord[]>;
  async recall(question: string, options: Recalling & { view?: "brief" | "prompt" | undefined } = {}) {
    const { scope, types, limit = 8, view = "brief", ...rest } = options;
    const trust = typeof scope === "string" ? { scopes: [scope] } : scope;
    const fields = { ...rest, limit, view, trust, memoryTypes: types, taskDescriptor: question };
    const { body } = await this.call("Retrieve", fields);
    if (view === "prompt") {
      if (!body.prompt) throw new UnexpectedReply("the reply has no object prompt");
      return new Prompt(body.prompt.text, body.prompt.ids, body.prompt.tokens);
    }
    const found = recordsOf(body) as BriefRecord[];
    for (let cursor = body.next_cursor; cursor !== undefined && found.length < limit;) {
      const { body: further } = await this.call("Retrieve", { ...fields, cursor, limit: limit - found.length });
      found.push(...(recordsOf(further) as BriefRecord[]));
      cursor = further.next_cursor;
    }
    return found.slice(0, limit);
  }

  /** The records for a task as roots, and records that relations connect with the roots, each with a path from a root. */
  graph(task?: string | null, options: Exploring = {}): Promise<Graph> {
    const { scope, ...rest } = options;
    const trust = typeof scope === "string" ? { scopes: [scope] } : scope;
    return this.retrieveGraph(task, { ...rest, trust });
  }

  /** Say how an episode ended. The memories of the answer with `receiptId`, above all `usedIds`, get credit. */
  outcome(
    recordId: string,
    status: OutcomeStatus,
    options: CallOptions & Pick<Options<"IngestOutcome">, "reason" | "receiptId" | "usedIds"> = {},
  ) {
    return this.ingestOutcome(recordId, status, options);
  }

  /** Supersede a fact by the same fact with another object; gives the new record. */
  async correct(recordId: string, object: unknown, options: CallOptions & { why: string }): Promise<MemoryRecord> {
    requireObject(object);
    const { why, ...rest } = options;
    const { idempotencyKey: _, ...reading } = rest;
    const old = await this.retrieveById(recordId, reading);
    if (old.payload?.kind !== "semantic")
      throw new MembraneError(`record ${recordId} is no fact that can be corrected`);
    return this.supersede(recordId, replacement(old as MemoryRecord, old.payload, object, why), undefined, why, rest);
  }

  /** Delete a record; `erase` removes the content for good. */
  forget(recordId: string, options: Deleting): Promise<void>;
  /** List, or with `dryRun: false` erase, a target; gives the ended erasure with all findings. */
  forget(target: ForgetOptions): Promise<ErasureReply>;
  forget(first: string | ForgetOptions, options?: Deleting): Promise<void | ErasureReply> {
    if (typeof first === "object" && first !== null && options === undefined) return eraseTarget(this, first);
    if (typeof first !== "string" || typeof options?.why !== "string")
      throw new TypeError("forget: a record's id with { why }, or a target alone");
    const { why, ...rest } = options;
    return this.deleteRecord(first, { ...rest, rationale: why });
  }

  /** An erasure with all findings: as of now, or with `waitMs` at the end. */
  erasure(id: string, options: CallOptions & Waiting = {}): Promise<ErasureReply> {
    return erasureOf(this, id, options);
  }

  /** The signed certificate of an erasure that is done, with all entries, for a file. */
  certificate(id: string, options: CallOptions = {}): Promise<SavedCertificate> {
    return certificateOf(this, id, options);
  }

  /** The versions of a record, of its successors and of its predecessors, the newest first. */
  history(recordId: string, options: CallOptions = {}): Promise<Version[]> {
    return historyOf(this, recordId, options);
  }

  /**
   * The steps of `chat`, each as the step arrives; `done`, the last step, has the reply of `chat`.
   *
   * `streamUrl` is the stack's output `ChatStreamUrl`, by HTTPS or on this machine: the API key goes to the address.
   * Without `streamUrl`, the HTTP API gives all steps at the end. The first step sends the request; leaving the loop
   * closes the connection. `timeoutMs` is for each wait, at least 310 seconds where absent. Raises the error of a
   * failed conversation after the last step; `reply` of the error is present where tools had run.
   */
  chatStream(messages: string | ChatMessage[], options: Streaming = {}): AsyncGenerator<ChatFrame, void> {
    const { streamUrl, ...rest } = options;
    return framesOf(this.#connection.stream(streamUrl, { ...rest, messages: messagesOf(messages) }));
  }

  /**
   * Start to study a text or Markdown of at most 10 MiB: sections become topics, paragraphs become fields.
   *
   * `source` is a path or an address, and with the scope the identity of the document; without a source the title is.
   * A second study of the same document changes what differs. The job goes on in the service.
   */
  study(document: string, title: string, options: Options<"StartStudy", "document" | "title"> = {}): Promise<StudyReply> {
    return this.startStudy(document, title, options);
  }

  /** The states of a study or of a removal, each as the state changes; the last has ended. */
  studySteps(id: string, options: CallOptions & Following = {}): AsyncGenerator<StudyReply, void> {
    return studyStepsOf(this, id, options);
  }

  /** All records of a user, a scope or some types, the most salient first. */
  async *getAll(
    options: CallOptions & { scope?: string | undefined; types?: MemoryType[] | undefined } = {},
  ): AsyncGenerator<ShownRecord> {
    const { types: type, ...rest } = options;
    for (let cursor: string | undefined; ;) {
      const page = await this.listRecords({ ...rest, type, limit: PAGE, cursor });
      yield* page.records as ShownRecord[];
      if ((cursor = page.next_cursor) === undefined) return;
    }
  }

  /** All entities with a name that begins with `q`; with `similarTo`, suggestions for a merge. */
  async *entities(options: Options<"ListEntities", "cursor"> = {}): AsyncGenerator<ListedEntity | SimilarEntity> {
    for await (const page of this.pages("ListEntities", options)) yield* page.entities;
  }

  /** The entity, and the newest facts about the entity. */
  entity(id: string, options: Options<"ReadEntity", "id"> = {}): Promise<EntityPage> {
    return this.readEntity(id, options);
  }

  /** All records that mention the entity, the newest first. */
  async *mentions(id: string, options: Options<"ListMentions", "id" | "cursor"> = {}): AsyncGenerator<EntityMention> {
    for await (const page of this.pages("ListMentions", { ...options, id })) yield* page.mentions;
  }

  /** All traces, skills and plans that were made of evidence, the newest first. */
  async *consolidations(options: Options<"ListConsolidations", "cursor"> = {}): AsyncGenerator<Consolidation> {
    for await (const page of this.pages("ListConsolidations", options)) yield* page.consolidations;
  }

  /** All documents in and below a namespace, `limit` a request; with `query` the best first. */
  async *documents(
    namespacePrefix?: string[],
    options: Options<"SearchDocuments", "namespacePrefix" | "cursor"> = {},
  ): AsyncGenerator<FoundDocument> {
    for await (const page of this.pages("SearchDocuments", { ...options, namespacePrefix })) yield* page.documents;
  }

  /** All namespaces with documents, sorted. */
  async *namespaces(options: Options<"ListNamespaces", "cursor"> = {}): AsyncGenerator<string[]> {
    for await (const page of this.pages("ListNamespaces", options)) yield* page.namespaces;
  }

  /** The pages of an operation whose replies have a `next_cursor`. */
  async *pages<Name extends OperationName>(operation: Name, fields: Fields<Name>): AsyncGenerator<Reply<Name>> {
    for (let cursor: string | undefined; ;) {
      const next = cursor === undefined ? fields : { ...fields, cursor };
      const { body } = await this.call(operation, next);
      yield body;
      cursor = (body as { next_cursor?: string } | undefined)?.next_cursor;
      if (cursor === undefined) return;
    }
  }

  // --- one request

  override call<Name extends OperationName>(operation: Name, fields: Fields<Name>): Promise<Answered<Reply<Name>>> {
    const route: Route = ROUTES[operation];
    const kind = /^\/v1\/(topics|ingest$|query|reason)/.test(route.path) ? "topics" : "records";
    return this.#connection.exchange(route, kind, fields);
  }
}

[Operations.prototype, Membrane.prototype].forEach(refuseInheritedUsers);

export interface Membrane extends Aliases {}
for (const [alias, name] of Object.entries(ALIASES)) {
  Object.defineProperty(Membrane.prototype, alias, { value: Membrane.prototype[name] });
}

/** The same fact with a new object; equal for equal records, so a repeated correction is an equal request. */
function replacement(old: MemoryRecord, fact: SemanticPayloadOutput, object: unknown, why: string): RecordInput {
  const { type, sensitivity, scope, tags, confidence } = old;
  const { decay, deletion_policy, pinned } = old.lifecycle;
  const { revision: _state, evidence: _evidence, ...same } = fact;
  const lifecycle = { decay, deletion_policy, pinned };
  // The reason is the source; the service adds time and actor.
  const provenance: RecordInput["provenance"] = { sources: [{ kind: "observation", ref: why || "correction" }] };
  return { type, sensitivity, scope, tags, confidence, provenance, lifecycle, payload: { ...same, object } };
}

type Capturing = Options<"CaptureMemory", "content" | "reasonToRemember" | "source"> & {
  reason?: string | undefined;
  source?: string | undefined;
};
type Exploring = Options<"RetrieveGraph", "taskDescriptor" | "trust" | "consistencyTokens"> & {
  /** Memories of this scope and of none; null looks into every scope of the key. */
  scope?: string | null | undefined;
};
type Deleting = CallOptions & { why: string; erase?: boolean | undefined };
type Streaming = Options<"Chat", "messages"> & { streamUrl?: string | undefined };
type Remembering = Options<"IngestObservation", "subject" | "predicate" | "object">;
