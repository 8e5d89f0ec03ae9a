/** Client of Membrane Serverless: memory for AI agents. */
export type { ChatFrame } from "./chat.js";
export * from "./client.js";
export { Prompt } from "./client.js";
export type { Answered, MembraneOptions } from "./connection.js";
export type { DocumentOperation, DocumentResult } from "./documents.js";
export { checkCertificate, signedText } from "./erasures.js";
export type { ForgetOptions, SavedCertificate, Waiting } from "./erasures.js";
export * from "./errors.js";
export type { CallOptions, Fields, OperationName, Options, Reply } from "./fields.js";
export type { Version } from "./history.js";
export type * from "./openapi.js";
export type { ShownRecord } from "./operations.js";
export type { Following } from "./studies.js";
export type { Fetch } from "./transport.js";
