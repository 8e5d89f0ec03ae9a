/** One request over `fetch`, sent again after failures that may pass. */
import { ConnectionFailed, TimedOut, UnexpectedReply, errorOf } from "./errors.js";

export type Fetch = typeof globalThis.fetch;

/** Deadline, attempts and signal of a call. */
export interface Delivery {
  /** Milliseconds for each attempt, the reply's body included. */
  readonly timeoutMs: number;
  /** Attempts after the first. */
  readonly maxRetries: number;
  /** Ends the call, and the wait between attempts, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a second attempt is safe after every failure; if not, only after a refusal without effects. */
  readonly isRepeatable: boolean;
}

export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export interface Incoming {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A reply whose success stays open: `body` in place of `text`. */
export interface Opened extends Incoming {
  readonly body: ReadableStream<Uint8Array> | null;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A longer `Retry-After` ends the call with the reply's error. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * The reply to a request: a read, or a write under an idempotency key.
 *
 * A repeatable delivery sends again on connection errors, timeouts, 408, 429 and 5xx. Any further delivery sends again
 * only after a refusal without effects. A status outside of 2xx and `accepted` raises: an ApiError from 400 on, else
 * UnexpectedReply. Raises ConnectionFailed, TimedOut and the signal's reason, too.
 */
export function send(
  request: Outgoing,
  delivery: Delivery,
  fetch: Fetch,
  accepted: readonly number[] = [],
): Promise<Incoming> {
  return retried(() => once(request, delivery, fetch), delivery, accepted);
}

/** The first success of the attempts; raises as `send` does. */
export async function retried<Success extends Incoming>(
  attempted: () => Promise<Success | Error>,
  delivery: Delivery,
  accepted: readonly number[] = [],
): Promise<Success> {
  for (let attempt = 0; ; attempt++) {
    delivery.signal?.throwIfAborted();
    const result = await attempted();
    if (!(result instanceof Error) && (isSuccess(result.status) || accepted.includes(result.status))) return result;
    const wait = waitMs(attempt, retryAfterMs(result), Math.random());
    const isSafe = delivery.isRepeatable || isWithoutEffects(result);
    if (attempt >= delivery.maxRetries || !isSafe || !isTransient(result) || wait === undefined) throw failure(result);
    await pause(wait, delivery.signal);
  }
}

/**
 * Milliseconds until the next attempt: full jitter below a doubling bound, after the server's `Retry-After`.
 *
 * Undefined where the server asks for more than a minute.
 */
export function waitMs(attempt: number, retryAfter: number, random: number): number | undefined {
  if (retryAfter > LONGEST_RETRY_AFTER_MS) return undefined;
  return retryAfter + random * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
}

async function once(request: Outgoing, delivery: Delivery, fetch: Fetch): Promise<Incoming | Error> {
  const deadline = AbortSignal.timeout(delivery.timeoutMs);
  try {
    const reply = await fetched(request, delivery, fetch, deadline);
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  } catch (cause) {
    return loss(cause, delivery, deadline);
  }
}

/** The reply whose success stays open until `deadline`; a refusal is read to the end. */
export async function open(
  request: Outgoing,
  delivery: Delivery,
  fetch: Fetch,
  deadline: AbortSignal,
): Promise<Opened | Error> {
  try {
    const reply = await fetched(request, delivery, fetch, deadline);
    const { status, headers } = reply;
    if (isSuccess(status)) return { status, headers, text: "", body: reply.body };
    return { status, headers, text: await reply.text(), body: null };
  } catch (cause) {
    return loss(cause, delivery, deadline);
  }
}

function fetched(request: Outgoing, delivery: Delivery, fetch: Fetch, deadline: AbortSignal): Promise<Response> {
  const signal = delivery.signal ? AbortSignal.any([delivery.signal, deadline]) : deadline;
  const { method, url, headers, body } = request;
  // A followed redirect turns a POST into a GET, whose reply would pass for the write's.
  const redirect = "manual";
  return fetch(url, { method, headers, signal, redirect, ...(body === undefined ? {} : { body }) });
}

/** The error of a lost reply; raises the signal's reason instead where the signal ended the call. */
export function loss(cause: unknown, delivery: Delivery, deadline: AbortSignal): Error {
  delivery.signal?.throwIfAborted();
  if (deadline.aborted) return new TimedOut(`no reply within ${delivery.timeoutMs} ms`, { cause });
  return new ConnectionFailed(`no connection: ${reason(cause)}`, { cause });
}

/** The reason of a failed `fetch`, whose own message is "fetch failed": the error's cause has it. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function isTransient(result: Incoming | Error): boolean {
  return result instanceof Error || result.status === 408 || result.status === 429 || result.status >= 500;
}

/** Whether the request was throttled, or the service itself, not the gateway, asks for a later attempt. */
function isWithoutEffects(result: Incoming | Error): boolean {
  if (result instanceof Error || result.status < 400) return false;
  if (result.status === 429) return true;
  return result.headers.has("retry-after") && errorOf(result.status, result.text, undefined).code !== undefined;
}

function failure(result: Incoming | Error): Error {
  if (result instanceof Error) return result;
  if (result.status >= 400) return errorOf(result.status, result.text, requestIdOf(result.headers));
  return new UnexpectedReply(`status ${result.status}: the API never redirects; check the client's url`);
}

export function requestIdOf(headers: Headers): string | undefined {
  return headers.get("apigw-requestid") ?? headers.get("x-amzn-requestid") ?? undefined;
}

/** Milliseconds of `Retry-After`, which is a count of seconds or a date; 0 without the header. */
function retryAfterMs(result: Incoming | Error): number {
  const text = result instanceof Error ? null : result.headers.get("retry-after");
  if (text === null) return 0;
  const seconds = Number(text);
  const wait = Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1_000;
  return Number.isFinite(wait) ? Math.max(0, wait) : 0;
}

/** Ends after the milliseconds; raises the signal's reason. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
