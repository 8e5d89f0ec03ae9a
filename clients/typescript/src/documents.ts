/** Keyed documents: the path to a document, and the operations and results of a batch. */
import { urlText } from "./json.js";
import type { BatchDocuments, DeletedDocument, FoundDocuments, NamespaceList, Problem, ShownDocument } from "./openapi.js";

/** The result of an operation in a batch: the fields of the operation's reply, or `error`. */
export type DocumentResult = {
  status: number;
  error?: Problem;
  /** Of `put`, `get` and `append`. */
  document?: ShownDocument;
  /** Of `append`: the position of the newest item. */
  end?: number;
} & Partial<DeletedDocument & FoundDocuments & NamespaceList>;

/** The fields of an operation in a batch; `op` names the operation. */
export type DocumentOperation = BatchDocuments["operations"][number];

/**
 * The path of a document, with a segment for each label and one for the key, each encoded by itself.
 *
 * API Gateway decodes a path once, so that the request encodes each segment once more: "/" travels as "%252F". Raises
 * TypeError for a name that no document has.
 */
export function placeOf(namespace: readonly string[], key: string, ...further: string[]): string {
  if (!Array.isArray(namespace) || namespace.length === 0) throw new TypeError("namespace: an array of 1 to 16 labels");
  return [...namespace, key, ...further].map(encoded).join("/");
}

function encoded(name: unknown): string {
  if (typeof name !== "string" || ["", ".", ".."].includes(name))
    throw new TypeError("namespace and key: texts other than '', '.' and '..'");
  return urlText(name);
}
