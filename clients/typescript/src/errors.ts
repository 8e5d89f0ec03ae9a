/**
 * The errors of a call, as a tree:
 *
 *     MembraneError
 *       ConnectionFailed     no reply
 *       TimedOut             no reply within `timeoutMs`
 *       UnexpectedReply      a reply unlike the API's description, a redirect for one
 *       Gone                 a repeated write, the record deleted since
 *       StillRunning         an erasure is under way when the time to wait is over
 *       InvalidCertificate   the entries of a certificate are not what the signature covers
 *       ApiError             a reply with a status of 400 or above
 *         BadRequest 400, Unauthorized 401, Forbidden 403, NotFound 404, Conflict 409,
 *         PayloadTooLarge 413, TooManyRequests 429, ServerError 500 and above
 *
 * `code` is finer than the status: a Conflict is `FAILED_PRECONDITION`, `ALREADY_EXISTS` or `ABORTED`.
 */
import type { ChatReply, DeletedRecord, Problem } from "./openapi.js";

export class MembraneError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

export class ConnectionFailed extends MembraneError {}
export class TimedOut extends MembraneError {}
export class UnexpectedReply extends MembraneError {}

export class Gone extends MembraneError {
  constructor(readonly record: DeletedRecord) {
    super(`record ${record.id} was deleted at ${record.deleted_at}`);
  }
}

/** The time to wait is over, and the erasure goes on; `erasure(id)` reads the state later. */
export class StillRunning extends MembraneError {
  constructor(
    readonly erasureId: string,
    waitedMs: number,
  ) {
    super(`erasure ${erasureId} goes on: not ended after ${waitedMs} ms`);
  }
}

/** A certificate lacks a part, or the entries differ from `entries` and `entries_sha256`. */
export class InvalidCertificate extends MembraneError {}

/** An error reply without its status. */
export interface Refusal {
  /** Absent where the gateway refused, before the service was asked. */
  readonly code: Problem["code"] | undefined;
  readonly detail: string;
  /** By request field. */
  readonly errors: NonNullable<Problem["errors"]>;
  readonly requestId: string | undefined;
}

export class ApiError extends MembraneError implements Refusal {
  readonly code: Refusal["code"];
  readonly detail: string;
  readonly errors: Refusal["errors"];
  readonly requestId: string | undefined;

  constructor(
    readonly status: number,
    refusal: Refusal,
    /** Present where a streamed conversation failed after tools had run. */
    readonly reply?: ChatReply | undefined,
  ) {
    const fields = refusal.errors.map((each) => unsaid(each, refusal.detail)).join("");
    super(`${status} ${refusal.code ?? ""}`.trim() + `: ${refusal.detail}${fields}`);
    ({ code: this.code, detail: this.detail, errors: this.errors, requestId: this.requestId } = refusal);
  }
}

/** What the detail does not say of a refused field. */
function unsaid({ field, message }: Refusal["errors"][number], detail: string): string {
  const name = field.split(".")[0] ?? field;
  if (detail.includes(message)) return detail.includes(name) ? "" : ` (${field})`;
  return message.includes(name) ? `; ${message}` : `; ${field}: ${message}`;
}

export class BadRequest extends ApiError {}
export class Unauthorized extends ApiError {}
export class Forbidden extends ApiError {}
export class NotFound extends ApiError {}
export class Conflict extends ApiError {}
export class PayloadTooLarge extends ApiError {}
export class TooManyRequests extends ApiError {}
export class ServerError extends ApiError {}

const BY_STATUS: Record<number, typeof ApiError> = {
  400: BadRequest,
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  413: PayloadTooLarge,
  429: TooManyRequests,
};

/** The error of a reply: `application/problem+json` of the service, `{"message"}` of the gateway, or any text. */
export function errorOf(status: number, text: string, requestId: string | undefined, reply?: ChatReply): ApiError {
  const problem = object(text);
  const detail = problem.detail ?? problem.message ?? (text.slice(0, 200) || "no reason given");
  const errors = Array.isArray(problem.errors) ? problem.errors.filter((each) => typeof each?.field === "string") : [];
  const refusal = { code: problem.code, detail, errors, requestId: requestId ?? problem.request_id };
  return new (BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError))(status, refusal, reply);
}

function object(text: string): Partial<Problem> & { message?: string } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
