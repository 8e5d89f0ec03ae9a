/**
 * Every operation of the API as a method: required fields by position, as in Membrane's own clients, the rest by name.
 */
import { messagesOf } from "./chat.js";
import type { Answered } from "./connection.js";
import { placeOf, type DocumentResult } from "./documents.js";
import { Gone, UnexpectedReply } from "./errors.js";
import { readOptionsOf, type CallOptions, type Fields, type OperationName, type Options, type Reply } from "./fields.js";
import { messagesJson } from "./json.js";
import type {
  Answer,
  ChatMessage,
  DeletedRecord,
  GoneReply,
  Graph,
  IngestBatch,
  MemoryRecord,
  Message,
  RecordInput,
  RecordList,
  RedactedRecord,
  TrustInput,
  WrittenReply,
} from "./openapi.js";

/** A record as a read shows it: redacted above the key's sensitivity. */
export type ShownRecord = MemoryRecord | RedactedRecord;

export abstract class Operations {
  /** One request of any operation. Raises the errors of errors.ts. */
  abstract call<Name extends OperationName>(operation: Name, fields: Fields<Name>): Promise<Answered<Reply<Name>>>;

  // --- reports of agents

  ingestEvent(eventKind: string, ref: string, options: Options<"IngestEvent", "eventKind" | "ref"> = {}) {
    return this.#written("IngestEvent", { ...options, eventKind, ref });
  }

  ingestToolOutput(toolName: string, options: Options<"IngestToolOutput", "toolName"> = {}) {
    return this.#written("IngestToolOutput", { ...options, toolName });
  }

  ingestObservation(
    subject: string,
    predicate: string,
    object: unknown,
    options: Options<"IngestObservation", "subject" | "predicate" | "object"> = {},
  ) {
    return this.#written("IngestObservation", { ...options, subject, predicate, object });
  }

  ingestOutcome(
    targetRecordId: string,
    outcomeStatus: Fields<"IngestOutcome">["outcomeStatus"],
    options: Options<"IngestOutcome", "targetRecordId" | "outcomeStatus"> = {},
  ) {
    return this.#written("IngestOutcome", { ...options, targetRecordId, outcomeStatus });
  }

  ingestWorkingState(
    threadId: string,
    state: Fields<"IngestWorkingState">["state"],
    options: Options<"IngestWorkingState", "threadId" | "state"> = {},
  ) {
    return this.#written("IngestWorkingState", { ...options, threadId, state });
  }

  /**
   * Messages of one conversation, in order, after those that it has: all of them, or none.
   *
   * NaN and infinities become texts, and bytes base64.
   */
  async ingestMessages(messages: Message[], options: Options<"IngestMessages", "messages">) {
    return this.#body("IngestMessages", { ...options, messages: messagesJson(messages) });
  }

  /** Anything that a runtime saw: kept as evidence, linked to the entities that `content` names. */
  captureMemory(content: unknown, options: Options<"CaptureMemory", "content" | "source"> & { source?: string | undefined } = {}) {
    return this.#body("CaptureMemory", { ...options, source: options.source ?? "", content });
  }

  /** A full record of any type, also a record that the service returned. */
  ingestRecord(record: RecordInput, options: CallOptions = {}) {
    return this.#written("IngestRecord", { ...options, record });
  }

  /** At most 100 requests with the name of the `rpc`; the results have the same order. */
  async ingestBatch(items: IngestBatch["items"], options: CallOptions = {}) {
    return (await this.call("IngestBatch", { ...options, items })).body.results;
  }

  /** Where to put a value of `size` bytes of JSON text; the client uploads large values of requests by itself. */
  openUpload(size: number, sha256: string, options: Options<"OpenUpload", "size" | "sha256"> = {}) {
    return this.#body("OpenUpload", { ...options, size, sha256 });
  }

  // --- reading

  /** The records worth knowing for a task or, without a task, the most salient. */
  async retrieve(
    taskDescriptor?: string | null,
    options: Options<"Retrieve", "taskDescriptor" | "view" | "maxTokens"> = {},
  ): Promise<ShownRecord[]> {
    return recordsOf(await this.retrieveWithSelection(taskDescriptor, options)) as ShownRecord[];
  }

  /** The whole answer: records with scores, a selection among skills and plans, a receipt and the next page's cursor. */
  async retrieveWithSelection(
    taskDescriptor?: string | null,
    options: Options<"Retrieve", "taskDescriptor"> = {},
  ): Promise<Answer> {
    return this.#whole(await this.#body("Retrieve", { ...options, taskDescriptor }), options);
  }

  /** A page of the graph: the roots for a task, and the records that relations connect with the roots. */
  async retrieveGraph(
    taskDescriptor?: string | null,
    options: Options<"RetrieveGraph", "taskDescriptor"> = {},
  ): Promise<Graph> {
    const page = await this.#body("RetrieveGraph", { ...options, taskDescriptor });
    for (const node of page.nodes) node.record = await this.#followed(node.record, options);
    return page;
  }

  async retrieveById(id: string, options: Options<"RetrieveByID", "id"> & { trust?: TrustInput | undefined } = {}) {
    const { trust, ...rest } = options;
    const narrowed = { maxSensitivity: trust?.max_sensitivity ?? undefined, scope: trust?.scopes, ...rest };
    return (await this.#body("RetrieveByID", { ...narrowed, id })).record;
  }

  /** A page of the records of a scope, or of all, by salience; with a `state`, removed or retracted records. */
  async listRecords(options: Options<"ListRecords"> = {}): Promise<RecordList> {
    return this.#whole(await this.#body("ListRecords", options), options);
  }

  readAudit(id: string, options: Options<"ReadAudit", "id"> = {}) {
    return this.#body("ReadAudit", { ...options, id });
  }

  readVersions(id: string, options: Options<"ReadVersions", "id"> = {}) {
    return this.#body("ReadVersions", { ...options, id });
  }

  readThread(threadId: string, options: Options<"ReadThread", "threadId"> = {}) {
    return this.#body("ReadThread", { ...options, threadId });
  }

  /** The reasons for a retrieval's answer. */
  readReceipt(id: string, options: CallOptions = {}) {
    return this.#body("ReadReceipt", { ...options, id });
  }

  previewDecay(options: Options<"PreviewDecay"> = {}) {
    return this.#body("PreviewDecay", options);
  }

  /** Starts the export of a scope, or of every scope of the key. */
  async createExport(options: Options<"CreateExport"> = {}) {
    return (await this.#body("CreateExport", options)).export;
  }

  /** The state of an export, with links to a page of the parts of a finished file. */
  readExport(id: string, options: Options<"ReadExport", "id"> = {}) {
    return this.#body("ReadExport", { ...options, id });
  }

  async listExports(options: CallOptions = {}) {
    return (await this.#body("ListExports", options)).exports;
  }

  async getMetrics(options: Options<"GetMetrics"> = {}) {
    return (await this.#body("GetMetrics", options)).snapshot;
  }

  health(options: CallOptions = {}) {
    return this.#body("Health", options);
  }

  // --- revising

  supersede(id: string, newRecord: RecordInput, actor?: string, rationale?: string, options: CallOptions = {}) {
    return this.#written("Supersede", { ...options, id, newRecord, actor, rationale });
  }

  fork(id: string, forkedRecord: RecordInput, actor?: string, rationale?: string, options: CallOptions = {}) {
    return this.#written("Fork", { ...options, id, forkedRecord, actor, rationale });
  }

  merge(ids: string[], mergedRecord: RecordInput, actor?: string, rationale?: string, options: CallOptions = {}) {
    return this.#written("Merge", { ...options, ids, mergedRecord, actor, rationale });
  }

  retract(id: string, actor?: string, rationale?: string, options: CallOptions = {}) {
    return this.#written("Retract", { ...options, id, actor, rationale });
  }

  contest(id: string, contestingRef?: string, actor?: string, rationale?: string, options: CallOptions = {}) {
    return this.#written("Contest", { ...options, id, contestingRef, actor, rationale });
  }

  resolve(
    id: string,
    resolution: Fields<"Resolve">["resolution"],
    options: Options<"Resolve", "id" | "resolution"> = {},
  ) {
    return this.#written("Resolve", { ...options, id, resolution });
  }

  reclassify(id: string, options: Options<"Reclassify", "id">) {
    return this.#written("Reclassify", { ...options, id });
  }

  // --- entities

  /** A page of the entities with a name that begins with `q`; `similarTo` suggests entities for a merge. */
  listEntities(options: Options<"ListEntities"> = {}) {
    return this.#body("ListEntities", options);
  }

  /** The entity, and the newest facts about the entity. */
  readEntity(id: string, options: Options<"ReadEntity", "id"> = {}) {
    return this.#body("ReadEntity", { ...options, id });
  }

  /** A page of the records that mention the entity, the newest first. */
  listMentions(id: string, options: Options<"ListMentions", "id"> = {}) {
    return this.#body("ListMentions", { ...options, id });
  }

  /** Let the entity absorb up to 10 others; gives the entity with all names. */
  mergeEntities(id: string, entityIds: string[], options: Options<"MergeEntities", "id" | "entityIds"> = {}) {
    return this.#written("MergeEntities", { ...options, id, entityIds });
  }

  /** Release an absorbed entity; gives the entity that had absorbed the other. */
  splitEntity(id: string, entityId: string, options: Options<"SplitEntity", "id" | "entityId"> = {}) {
    return this.#written("SplitEntity", { ...options, id, entityId });
  }

  // --- learning

  /** What the ended threads of a scope would become; with `dryRun: false`, makes it now. */
  consolidate(options: Options<"Consolidate"> = {}) {
    return this.#body("Consolidate", options);
  }

  /** A page of the traces, skills and plans that were made of evidence, the newest first. */
  listConsolidations(options: Options<"ListConsolidations"> = {}) {
    return this.#body("ListConsolidations", options);
  }

  // --- fading

  reinforce(id: string, actor?: string, rationale?: string, options: CallOptions = {}) {
    return this.#written("Reinforce", { ...options, id, actor, rationale });
  }

  penalize(id: string, amount: number, actor?: string, rationale?: string, options: CallOptions = {}) {
    return this.#written("Penalize", { ...options, id, amount, actor, rationale });
  }

  pin(id: string, options: Options<"Pin", "id"> = {}) {
    return this.#written("Pin", { ...options, id });
  }

  unpin(id: string, options: Options<"Unpin", "id"> = {}) {
    return this.#written("Unpin", { ...options, id });
  }

  changeLifecycle(id: string, options: Options<"ChangeLifecycle", "id">) {
    return this.#written("ChangeLifecycle", { ...options, id });
  }

  async deleteRecord(id: string, options: Options<"DeleteRecord", "id"> = {}): Promise<void> {
    await this.call("DeleteRecord", { ...options, id });
  }

  restoreRecord(id: string, options: Options<"RestoreRecord", "id"> = {}) {
    return this.#written("RestoreRecord", { ...options, id });
  }

  // --- erasures

  /** Start to list a target, or with `dryRun: false` to erase; `forget` waits for the end. */
  startErasure(options: Options<"StartErasure"> = {}) {
    return this.#body("StartErasure", options);
  }

  /** A page of an erasure; the erasure of a user is read under the user. */
  readErasure(id: string, options: Options<"ReadErasure", "id"> = {}) {
    return this.#body("ReadErasure", { ...options, id });
  }

  readCertificate(id: string, options: Options<"ReadCertificate", "id"> = {}) {
    return this.#body("ReadCertificate", { ...options, id });
  }

  // --- studies

  /** Start to study a text or Markdown of at most 10 MiB; `studySteps` follows the job. */
  startStudy(document: string, title: string, options: Options<"StartStudy", "document" | "title"> = {}) {
    return this.#body("StartStudy", { ...options, document, title });
  }

  /** The state of a study or of a removal. */
  readStudy(id: string, options: CallOptions = {}) {
    return this.#body("ReadStudy", { ...options, id });
  }

  /** Cancel a study under way: the service removes everything that the job has made. */
  cancelStudy(id: string, options: CallOptions = {}) {
    return this.#body("CancelStudy", { ...options, id });
  }

  /** Go on with a failed or interrupted job where the job stopped. */
  resumeStudy(id: string, options: CallOptions = {}) {
    return this.#body("ResumeStudy", { ...options, id });
  }

  /** Start to count, or with `dryRun: false` to take back, what rests on a document alone. */
  removeDocument(documentId: string, options: Options<"RemoveDocument", "documentId"> = {}) {
    return this.#body("RemoveDocument", { ...options, documentId });
  }

  // --- keyed documents

  /**
   * Write a document: any JSON but null of at most 10 MiB, in a namespace of 1 to 16 labels.
   *
   * `index` is what a search by `query` finds: true for all texts, or paths such as `tags[*]`. Raises Conflict unless
   * the document has `expectedVersion`; 0 = there must be no document.
   */
  async putDocument(namespace: string[], key: string, value: unknown, options: Options<"PutDocument", "path" | "value"> = {}) {
    return this.#body("PutDocument", { ...options, path: placeOf(namespace, key), value });
  }

  /**
   * The document, with the newest `items` of the list and `history` versions; NotFound where there is none.
   *
   * A reply has at most 5 MiB of items and versions. To read older items, send `next_items_before` of the reply as
   * `itemsBefore`; for versions, `next_history_before` as `historyBefore`.
   */
  async getDocument(namespace: string[], key: string, options: Options<"GetDocument", "path"> = {}) {
    return (await this.#body("GetDocument", { ...options, path: placeOf(namespace, key) })).document;
  }

  /** Delete the document, or take off the newest `items` of the list; an absent document is no error. */
  async deleteDocument(namespace: string[], key: string, options: Options<"DeleteDocument", "path"> = {}) {
    return this.#body("DeleteDocument", { ...options, path: placeOf(namespace, key) });
  }

  /** Append 1 to 100 items to the list beside the value; makes the document if it is absent. */
  async appendItems(namespace: string[], key: string, items: unknown[], options: Options<"AppendItems", "path" | "items"> = {}) {
    return this.#body("AppendItems", { ...options, path: placeOf(namespace, key, "items"), items });
  }

  /** A page of the documents in and below a namespace; with `query` the best first. */
  searchDocuments(namespacePrefix?: string[], options: Options<"SearchDocuments", "namespacePrefix"> = {}) {
    return this.#body("SearchDocuments", { ...options, namespacePrefix });
  }

  /**
   * At most 100 operations, done in order; the results have the same order.
   *
   * An operation may fail alone; with `checkFirst`, an operation that is not valid or not permitted refuses the whole
   * batch before any effect.
   */
  async batchDocuments(
    operations: Fields<"BatchDocuments">["operations"],
    options: Options<"BatchDocuments", "operations"> = {},
  ): Promise<DocumentResult[]> {
    return (await this.#body("BatchDocuments", { ...options, operations })).results as DocumentResult[];
  }

  /** A page of the namespaces with documents; `*` in `prefix` or `suffix` stands for one label. */
  listNamespaces(options: Options<"ListNamespaces"> = {}) {
    return this.#body("ListNamespaces", options);
  }

  /** What a write with an `operationId` did; NotFound without the write. */
  readOperation(operationId: string, options: CallOptions = {}) {
    return this.#body("ReadOperation", { ...options, operationId });
  }

  // --- topics

  ingestTopic(title: string, options: Options<"IngestTopic", "title"> = {}) {
    return this.#body("IngestTopic", { ...options, title });
  }

  queryTopics(q: string, options: Options<"QueryTopics", "q"> = {}) {
    return this.#body("QueryTopics", { ...options, q });
  }

  createTopic(title: string, options: Options<"CreateTopic", "title"> = {}) {
    return this.#body("CreateTopic", { ...options, title });
  }

  readTopic(id: string, options: Options<"ReadTopic", "id"> = {}) {
    return this.#body("ReadTopic", { ...options, id });
  }

  listTopics(options: Options<"ListTopics"> = {}) {
    return this.#body("ListTopics", options);
  }

  changeTopic(id: string, options: Options<"ChangeTopic", "id">) {
    return this.#body("ChangeTopic", { ...options, id });
  }

  deleteTopic(id: string, options: Options<"DeleteTopic", "id"> = {}) {
    return this.#body("DeleteTopic", { ...options, id });
  }

  restoreTopic(id: string, options: CallOptions = {}) {
    return this.#body("RestoreTopic", { ...options, id });
  }

  unmergeTopic(id: string, options: Options<"UnmergeTopic", "id"> = {}) {
    return this.#body("UnmergeTopic", { ...options, id });
  }

  appendField(
    id: string,
    fieldName: string,
    value: unknown,
    options: Options<"AppendField", "id" | "fieldName" | "value"> = {},
  ) {
    return this.#body("AppendField", { ...options, id, fieldName, value });
  }

  readField(id: string, name: string, options: Options<"ReadField", "id" | "name"> = {}) {
    return this.#body("ReadField", { ...options, id, name });
  }

  deleteField(id: string, name: string, options: CallOptions = {}) {
    return this.#body("DeleteField", { ...options, id, name });
  }

  setFieldRef(id: string, name: string, refTopicId: string | null, options: CallOptions = {}) {
    return this.#body("SetFieldRef", { ...options, id, name, refTopicId });
  }

  nestFields(id: string, options: Options<"NestFields", "id"> = {}) {
    return this.#body("NestFields", { ...options, id });
  }

  unnestFields(id: string, options: Options<"UnnestFields", "id"> = {}) {
    return this.#body("UnnestFields", { ...options, id });
  }

  promoteFields(id: string, options: Options<"PromoteFields", "id"> = {}) {
    return this.#body("PromoteFields", { ...options, id });
  }

  undoPromotion(id: string, options: Options<"UndoPromotion", "id"> = {}) {
    return this.#body("UndoPromotion", { ...options, id });
  }

  addRelationship(id: string, toTopicId: string, kind: string, options: CallOptions = {}) {
    return this.#body("AddRelationship", { ...options, id, toTopicId, kind });
  }

  removeRelationship(id: string, toTopicId: string, kind: string, options: CallOptions = {}) {
    return this.#body("RemoveRelationship", { ...options, id, toTopicId, kind });
  }

  readGraph(options: Options<"ReadGraph"> = {}) {
    return this.#body("ReadGraph", options);
  }

  reason(options: Options<"Reason"> = {}) {
    return this.#body("Reason", options);
  }

  readActions(options: Options<"ReadActions"> = {}) {
    return this.#body("ReadActions", options);
  }

  readSystemContext(options: CallOptions = {}) {
    return this.#body("ReadSystemContext", options);
  }

  changeSystemContext(systemRole: string, runtimeContext: string, options: CallOptions = {}) {
    return this.#body("ChangeSystemContext", { ...options, systemRole, runtimeContext });
  }

  // --- tools for agents

  /** The tools that the key may call, described for the API that `format` names. */
  async listTools(options: Options<"ListTools"> = {}) {
    return (await this.#body("ListTools", options)).tools;
  }

  /** The answer of a tool of any profile; a tool that had no effect answers with `is_error`. */
  callTool(name: string, args?: Fields<"CallTool">["arguments"], options: CallOptions = {}) {
    return this.#body("CallTool", { ...options, name, arguments: args });
  }

  /**
   * The answer of the service's model, which reads and writes memory with tools.
   *
   * `messages` is the text of the user, or the conversation so far. Without `timeoutMs`, the call waits at least 35
   * seconds. The scope of the client stays out. A second attempt asks the model again: under the same idempotency key,
   * equal calls of tools write nothing twice, but the model may call other tools. So the client tries again only after
   * 429, or 503 of the service with a `Retry-After`.
   */
  chat(messages: string | ChatMessage[], options: Options<"Chat", "messages"> = {}) {
    return this.#body("Chat", { ...options, messages: messagesOf(messages) });
  }

  // --- from a reply to a method's result

  async #body<Name extends OperationName>(operation: Name, fields: Fields<Name>): Promise<Reply<Name>> {
    return (await this.call(operation, fields)).body;
  }

  /** The record of a write; raises Gone where a repeat finds the record deleted. */
  async #written<Name extends Writing>(operation: Name, fields: Fields<Name>): Promise<MemoryRecord> {
    const { record } = (await this.#body(operation, fields)) as { record: MemoryRecord | DeletedRecord };
    if (!("type" in record)) throw new Gone(record);
    return record;
  }

  /** The page, with each oversized record read through its link. */
  async #whole<Page extends { records?: RecordList["records"] }>(page: Page, options: CallOptions): Promise<Page> {
    for (const [index, record] of (page.records ?? []).entries())
      page.records![index] = await this.#followed(record, options);
    return page;
  }

  /** The record as given, or an oversized record read through its link. */
  async #followed<Shown extends Linked>(record: Shown, options: CallOptions): Promise<Shown | ShownRecord> {
    if (!record.link) return record;
    const asOf = new URL(record.link, "http://api").searchParams.get("as_of") ?? undefined;
    return this.retrieveById(record.id, { ...readOptionsOf(options), asOf });
  }
}

/** A record of a page: whole, redacted, brief, or a link to an oversized record. */
type Listed = NonNullable<Answer["records"]>[number];

/** A record that may be a link to an oversized record. */
type Linked = { id: string; link?: string };

/** The records of a retrieval, whose reply as a prompt has none. */
export function recordsOf({ records }: Answer): Listed[] {
  if (!Array.isArray(records)) throw new UnexpectedReply("the reply has no array records");
  return records;
}

/** The operations that reply with a single record. */
type Writing = {
  [Name in OperationName]: WrittenReply extends Reply<Name> ? (GoneReply extends Reply<Name> ? Name : never) : never;
}[OperationName];
