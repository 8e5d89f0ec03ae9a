/** The fields of each operation as a caller writes them: in camelCase, nested values as in the API. */
import type { operations } from "./openapi.js";

export type OperationName = keyof operations;

type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type CamelFields<T> = T extends unknown ? { [Field in keyof T as Camel<Field>]: T[Field] } : never;
type OmitEach<T, Names> = T extends unknown ? { [Field in keyof T as Exclude<Field, Names>]: T[Field] } : never;

type Json<T> = T extends { content: { "application/json": infer Content } } ? Content : never;
type Present<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
type Parameters<Name extends OperationName> = operations[Name]["parameters"];
type RequestBody<Name extends OperationName> = operations[Name] extends { requestBody?: infer Body }
  ? Json<NonNullable<Body>>
  : never;
type Success<T> = T[Extract<keyof T, 200 | 201 | 202>];

/** The JSON body of an operation's reply; undefined where a success has none. */
export type Reply<Name extends OperationName> = [Json<Success<operations[Name]["responses"]>>] extends [never]
  ? undefined
  : Json<Success<operations[Name]["responses"]>>;

/** Options of a single call, in place of the client's. */
export interface CallOptions {
  /**
   * Acts for one user of the key's tenant: the key's user prefix and this text are the scope. A `user` that is there has
   * a name: undefined, null and a text without a visible character raise TypeError.
   */
  user?: string;
  /** Made for each write where absent. A repeat under the same key changes nothing. */
  idempotencyKey?: string | undefined;
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** An undefined field other than `user` is left out; null is sent as null. */
export type Fields<Name extends OperationName> = OmitEach<
  CamelFields<Present<RequestBody<Name>> & Present<Parameters<Name>["query"]> & Present<Parameters<Name>["path"]>>,
  keyof CallOptions
> &
  CallOptions;

/** A method's fields beside the positional arguments. */
export type Options<Name extends OperationName, Positional = never> = OmitEach<Fields<Name>, Positional>;

/** `task_descriptor` of `taskDescriptor`; a name in snake_case stays. */
export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The options of a call that go along with a read of a part of the same answer. */
export function readOptionsOf(options: CallOptions): CallOptions {
  const { timeoutMs, maxRetries, signal } = options;
  return { timeoutMs, maxRetries, signal, ...("user" in options ? { user: options.user } : {}) };
}
