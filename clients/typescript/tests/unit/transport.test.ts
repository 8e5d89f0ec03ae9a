import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, beforeEach, mock, test } from "node:test";
import {
  ApiError,
  BadRequest,
  Conflict,
  ConnectionFailed,
  Forbidden,
  MembraneError,
  NotFound,
  PayloadTooLarge,
  ServerError,
  TimedOut,
  TooManyRequests,
  Unauthorized,
  UnexpectedReply,
} from "../../src/index.js";
import { errorOf } from "../../src/errors.js";
import { waitMs } from "../../src/transport.js";
import { client, ok, refusal, written, type Told } from "../replies.js";

beforeEach(() => mock.method(Math, "random", () => 0));
afterEach(() => mock.restoreAll());

const passing: Record<string, Told> = {
  "a lost connection": new TypeError("fetch failed"),
  "408": refusal(408, "ABORTED"),
  "429": refusal(429, "RESOURCE_EXHAUSTED"),
  "500": ok({ message: "Internal Server Error" }, {}, 500),
  "503": refusal(503, "UNAVAILABLE"),
};
for (const [name, failure] of Object.entries(passing)) {
  test(`after ${name} a write is sent again under the same key`, async () => {
    const { membrane, asked } = client([failure, failure, written()]);

    const record = await membrane.remember("it rained");

    const keys = asked.map((each) => each.headers.get("idempotency-key"));
    assert.equal(record.id, "r1");
    assert.equal(keys.length, 3);
    assert.match(keys[0]!, /^[0-9a-f-]{36}$/);
    assert.deepEqual(new Set(keys).size, 1);
  });
}

test("every call has a key of its own, and reads have none", async () => {
  const { membrane, asked } = client([written()]);

  await membrane.pin("r1");
  await membrane.pin("r1");
  await membrane.retrieveById("r1");

  const [first, second, read] = asked.map((each) => each.headers.get("idempotency-key"));
  assert.notEqual(first, second);
  assert.equal(read, null);
});

test("a caller's own key is sent as it is", async () => {
  const { membrane, asked } = client([written()]);

  await membrane.remember("it rained", { idempotencyKey: "weather of today" });

  assert.equal(asked[0]!.headers.get("idempotency-key"), "weather of today");
  assert.equal("idempotency_key" in asked[0]!.body, false);
});

test("a key that a header would alter is refused before anything is sent", async () => {
  const { membrane, asked } = client([written()]);

  for (const idempotencyKey of ["", " a", "a ", "ä", "a\nb", "a".repeat(256)]) {
    await assert.rejects(async () => membrane.remember("it rained", { idempotencyKey }), /idempotencyKey/);
  }
  assert.equal(asked.length, 0);
});

test("attempts end after as many retries as the client or the call allows", async () => {
  const { membrane, asked } = client([refusal(503, "UNAVAILABLE")], { maxRetries: 1 });

  await assert.rejects(membrane.getMetrics(), ServerError);
  await assert.rejects(membrane.getMetrics({ maxRetries: 0 }), ServerError);

  assert.equal(asked.length, 3);
});

for (const [status, kind] of [
  [400, BadRequest],
  [401, Unauthorized],
  [403, Forbidden],
  [404, NotFound],
  [409, Conflict],
  [413, PayloadTooLarge],
] as const) {
  test(`${status} is a ${kind.name}, and is not tried again`, async () => {
    const { membrane, asked } = client([refusal(status, "ALREADY_EXISTS", { "apigw-requestid": "q7" })]);

    const error = await membrane.pin("r1").catch((each: unknown) => each);

    assert.ok(error instanceof kind && error instanceof ApiError && error instanceof MembraneError);
    assert.equal(error.name, kind.name);
    assert.deepEqual([error.status, error.code, error.requestId], [status, "ALREADY_EXISTS", "q7"]);
    assert.match(error.message, /refused as ALREADY_EXISTS/);
    assert.equal(asked.length, 1);
  });
}

for (const [detail, errors, said] of [
  ["limit: too many", { limit: "too many", f: "is no word" }, "; f: is no word"],
  ["does not go with q", { similar_to: "does not go with q" }, " (similar_to)"],
  ["a is required", { a: "a is required", b: "b is required" }, "; b is required"],
  ["ids[0] is empty", { "ids.0": "ids[0] is empty" }, ""],
] as const) {
  test(`each message of the refusal "${detail}" stands once`, () => {
    const fields = Object.entries(errors).map(([field, message]) => ({ field, message }));

    const error = errorOf(400, JSON.stringify({ code: "C", detail, errors: fields }), undefined);

    assert.equal(error.message, `400 C: ${detail}${said}`);
  });
}

test("the error of an event or an item, which have no headers, has the problem's id of the request", () => {
  const error = errorOf(503, JSON.stringify({ detail: "no model", request_id: "q7" }), undefined);

  assert.equal(error.requestId, "q7");
});

test("a redirected write is an UnexpectedReply, not the record behind the redirect", async () => {
  const methods: string[] = [];
  const server = createServer((request, reply) => {
    methods.push(request.method!);
    const isFirst = request.url !== "/moved";
    reply.writeHead(isFirst ? 302 : 200, isFirst ? { location: "/moved" } : {});
    reply.end(isFirst ? "" : JSON.stringify({ record: { id: "r1", type: "semantic" } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { fetch } = globalThis;
  const { membrane } = client([], { fetch, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });

  const call = membrane.remember("it rained");

  await assert.rejects(call, (error) => error instanceof UnexpectedReply && /302/.test(error.message)).finally(() => {
    server.closeAllConnections();
    server.close();
  });
  assert.deepEqual(methods, ["POST"]);
});

for (const status of [301, 304, 307]) {
  test(`${status} is an UnexpectedReply, also where a success has no body`, async () => {
    const { membrane, asked } = client([new Response(null, { status })]);

    await assert.rejects(membrane.forget("r1", { why: "w" }), UnexpectedReply);
    assert.equal(asked.length, 1);
  });
}

for (const errors of [null, "a", ["a", null], [{}]]) {
  test(`a refusal with ${JSON.stringify(errors)} as its errors by field is still a BadRequest`, async () => {
    const { membrane } = client([ok({ code: "INVALID_ARGUMENT", detail: "no", errors }, {}, 400)]);

    await assert.rejects(membrane.pin("r1"), { name: "BadRequest", message: "400 INVALID_ARGUMENT: no" });
  });
}

test("an error names the fields that do not fit", async () => {
  const errors = [{ field: "messages.0.role", message: "must not be system" }];
  const { membrane } = client([ok({ status: 400, code: "INVALID_ARGUMENT", detail: "no", errors }, {}, 400)]);

  await assert.rejects(membrane.pin("r1"), (error: ApiError) => {
    assert.deepEqual(error.errors, errors);
    return error.message.includes("messages.0.role: must not be system");
  });
});

test("what the gateway says is the detail, and its code is undefined", async () => {
  const { membrane } = client([ok({ message: "Forbidden" }, {}, 403)]);

  await assert.rejects(membrane.pin("r1"), { detail: "Forbidden", code: undefined, status: 403 });
});

test("neither an error nor a client shows the API key", async () => {
  const { membrane } = client([new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") })]);

  const error: unknown = await membrane.pin("r1", { maxRetries: 0 }).catch((each: unknown) => each);

  assert.ok(error instanceof ConnectionFailed);
  assert.match(error.message, /ECONNREFUSED/);
  assert.equal(inspect([error, membrane], { depth: 9, showHidden: true }).includes("secret"), false);
});

test("the wait before another attempt is anything below a bound that doubles up to 8 seconds", () => {
  for (let attempt = 0; attempt < 12; attempt++) {
    const bound = Math.min(8_000, 500 * 2 ** attempt);
    for (const random of [0, 0.25, 0.5, 0.999]) assert.equal(waitMs(attempt, 0, random), random * bound);
  }
});

test("Retry-After is waited for first, and more than a minute is not waited for", async () => {
  const { membrane, asked } = client([refusal(429, "RESOURCE_EXHAUSTED", { "retry-after": "61" }), written()]);

  assert.equal(waitMs(0, 7_000, 0.5), 7_250);
  assert.equal(waitMs(0, 60_001, 0.5), undefined);
  await assert.rejects(membrane.pin("r1"), TooManyRequests);
  assert.equal(asked.length, 1);
});

test("a second of Retry-After passes before the next attempt", async () => {
  const times: number[] = [];
  const timed = (answer: Response) => () => {
    times.push(performance.now());
    return answer;
  };
  const { membrane } = client([timed(refusal(503, "UNAVAILABLE", { "retry-after": "1" })), timed(written())]);

  await membrane.pin("r1");

  assert.ok(times[1]! - times[0]! >= 990);
});

test("a reply that does not come in time is tried again, then is TimedOut", async () => {
  const never = () => new Promise<Response>(() => {});
  const { membrane, asked } = client([never], { timeoutMs: 20, maxRetries: 1 });
  const alive = setInterval(() => {}, 1_000);

  await assert.rejects(membrane.pin("r1"), TimedOut).finally(() => clearInterval(alive));

  assert.equal(asked.length, 2);
});

test("a signal ends a call while it waits, with its own reason", async () => {
  const stop = new AbortController();
  const { membrane, asked } = client([refusal(429, "RESOURCE_EXHAUSTED", { "retry-after": "50" })]);

  const call = membrane.pin("r1", { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 5);

  await assert.rejects(call, /enough/);
  assert.equal(asked.length, 1);
  await assert.rejects(membrane.pin("r1", { signal: stop.signal }), /enough/);
  assert.equal(asked.length, 1);
});
