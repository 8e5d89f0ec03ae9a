import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, mock, test } from "node:test";
import {
  ApiError,
  ConnectionFailed,
  ServerError,
  TimedOut,
  TooManyRequests,
  UnexpectedReply,
  type ChatFrame,
  type MembraneOptions,
} from "../../src/index.js";
import { EventDecoder } from "../../src/events.js";
import { client, ok, refusal, type Told } from "../replies.js";

beforeEach(() => mock.method(Math, "random", () => 0));
afterEach(() => mock.restoreAll());

const REPLY = {
  reply: "Grüße, Ada ☕",
  tool_log: [{ tool: "remember", args: { text: "tea" }, result: { ok: true } }],
  model: "m",
  provider: "scripted",
  intent: "both",
  intent_source: "classifier",
  max_tool_rounds: 32,
  tokens: { used: 7, questions: 2 },
};
const STEPS = [
  { type: "intent", route: "both", intent_source: "classifier" },
  { type: "llm_round" },
  { type: "thought", words: ["of", "a", "later", "service"] },
  { type: "reply", text: "Grüße, Ada ☕" },
  { type: "done", ...REPLY },
];
const STOP = { code: "RESOURCE_EXHAUSTED", status: 429, detail: "the day's tokens are used up" };
const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8" };
const STREAM_URL = "https://id.lambda-url.eu-central-1.on.aws/v1/chat/stream";

const eventsOf = (...steps: object[]): string => steps.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");
const stream = (text: string): Response => new Response(text, { headers: EVENT_STREAM });
/** A service's `503`, where a second attempt helps. */
const later = refusal(503, "UNAVAILABLE", { "retry-after": "0" });

/** The steps before the end or the error of a stream, and the error. */
async function seen(frames: AsyncIterable<ChatFrame>): Promise<{ types: string[]; error: unknown }> {
  const types: string[] = [];
  try {
    for await (const each of frames) types.push(each.type);
    return { types, error: undefined };
  } catch (error) {
    return { types, error };
  }
}

/** Runs a test against a service on this machine, which answers with an open event stream. */
async function against(
  serve: (reply: ServerResponse) => void,
  run: (options: MembraneOptions) => Promise<void>,
): Promise<void> {
  const server = createServer((request, reply) => {
    request.resume();
    reply.writeHead(200, EVENT_STREAM);
    serve(reply);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await run({ url, fetch: globalThis.fetch }).finally(() => {
    server.closeAllConnections();
    server.close();
  });
}

test("a text is one message of the user, and a conversation is sent as given", async () => {
  const { membrane, asked } = client([ok(REPLY)], { user: "ada" });
  const conversation = [{ role: "assistant", content: "Yes?" }, { role: "user", content: "tea" }];

  const reply = await membrane.chat("hello", { profile: "agent", maxToolRounds: 4 });
  await membrane.chat(conversation, { user: "bob" });

  assert.deepEqual(reply, REPLY);
  const messages = [{ role: "user", content: "hello" }];
  assert.deepEqual(asked[0]!.body, { messages, profile: "agent", max_tool_rounds: 4, user: "ada" });
  assert.deepEqual(asked[1]!.body, { messages: conversation, user: "bob" });
});

test("the client's scope stays out of a conversation", async () => {
  const { membrane, asked } = client([ok(REPLY)], { scope: "s" });

  await membrane.chat("hello");

  assert.deepEqual(Object.keys(asked[0]!.body), ["messages"]);
});

for (const [name, failure] of Object.entries({ "429": ok({}, {}, 429), "503 of the service": later })) {
  test(`${name} is followed by a second attempt under the same key`, async () => {
    const { membrane, asked } = client([failure, ok(REPLY)]);

    await membrane.chat("hello");

    const keys = asked.map((each) => each.headers.get("idempotency-key"));
    assert.equal(keys.length, 2);
    assert.equal(new Set(keys).size, 1);
  });
}

const uncertain: Record<string, Told> = {
  "a lost connection": new TypeError("fetch failed"),
  "408": refusal(408, "ABORTED"),
  "500 of the gateway": ok({ message: "Internal Server Error" }, {}, 500),
  "503 of the gateway": ok({ message: "Service Unavailable" }, { "retry-after": "0" }, 503),
  "503 without Retry-After": refusal(503, "UNAVAILABLE"),
};
for (const [name, failure] of Object.entries(uncertain)) {
  test(`after ${name} tools may have run, so there is no second attempt`, async () => {
    const { membrane, asked } = client([failure, ok(REPLY)]);

    await assert.rejects(membrane.chat("hello", { idempotencyKey: "own" }));

    assert.equal(asked.length, 1);
  });
}

test("a conversation has more time than the client's other calls, unless the call names a time", async () => {
  const timeouts = mock.method(AbortSignal, "timeout");
  const { membrane } = client([ok(REPLY)], { timeoutMs: 1_000 });

  await membrane.chat("hello");
  await membrane.chat("hello", { timeoutMs: 5 });
  await membrane.withOptions({ timeoutMs: 90_000 }).chat("hello");

  assert.deepEqual(timeouts.mock.calls.map((each) => each.arguments[0]), [35_000, 5, 90_000]);
});

test("a stream has every step, steps of unknown types too, with the whole reply at the end", async () => {
  const { membrane, asked } = client([stream(eventsOf(...STEPS))]);

  const frames: ChatFrame[] = [];
  for await (const each of membrane.chatStream("hello", { idempotencyKey: "own" })) frames.push(each);

  assert.deepEqual(frames, STEPS);
  const { url, headers, method, body } = asked[0]!;
  assert.deepEqual([method, url.href], ["POST", "http://api.test/v1/chat/stream"]);
  assert.deepEqual(
    ["accept", "authorization", "content-type", "idempotency-key"].map((name) => headers.get(name)),
    ["text/event-stream", "Bearer secret", "application/json", "own"],
  );
  assert.deepEqual(body, { messages: [{ role: "user", content: "hello" }] });
});

for (const [streamUrl, address] of [
  [STREAM_URL, STREAM_URL],
  [STREAM_URL.replace("v1/chat/stream", ""), STREAM_URL],
  ["http://localhost:8765", "http://localhost:8765/v1/chat/stream"],
  ["http://[::1]:8765/", "http://[::1]:8765/v1/chat/stream"],
] as const) {
  test(`${streamUrl} is asked at ${address}`, async () => {
    const { membrane, asked } = client([stream(eventsOf(...STEPS))]);

    await seen(membrane.chatStream("hello", { streamUrl }));

    assert.equal(asked[0]!.url.href, address);
    assert.equal("stream_url" in asked[0]!.body, false);
  });
}

for (const streamUrl of ["", "id.on.aws", "http://id.on.aws", "http://127.0.0.1.on.aws", `${STREAM_URL}?a=b`]) {
  test(`the key does not go to '${streamUrl}'`, async () => {
    const { membrane, asked } = client([stream(eventsOf(...STEPS))]);

    await assert.rejects(membrane.chatStream("hello", { streamUrl }).next(), /TypeError.*streamUrl/);
    assert.equal(asked.length, 0);
  });
}

for (const lineEnd of ["\n", "\r\n", "\r"]) {
  test(`events are the same wherever chunks split, with ${JSON.stringify(lineEnd)} as the end of a line`, () => {
    const text = `: hello\n\nevent: step\nid: 1\ndata: {"a":\ndata:"☕"}\n\ndata\n\ndata:  ☕\n\ndata: cut off\n`;
    const bytes = new TextEncoder().encode(text.replaceAll("\n", lineEnd));
    const whole = ['{"a":\n"☕"}', "", " ☕"];

    for (let size = 1; size <= bytes.length; size++) {
      const decoder = new EventDecoder();
      const events: string[] = [];
      for (let at = 0; at < bytes.length; at += size) events.push(...decoder.decode(bytes.subarray(at, at + size)));
      assert.deepEqual(events, whole);
    }
  });
}

test("a step is given before the next step is sent, and leaving the loop closes the connection", async () => {
  let reply: ServerResponse | undefined;
  const serve = (opened: ServerResponse) => {
    reply = opened;
    reply.write(eventsOf(STEPS[0]!));
  };
  await against(serve, async (options) => {
    const frames = client([], options).membrane.chatStream("hello");

    const first = await frames.next();
    const closed = once(reply!, "close");
    reply!.write(eventsOf(STEPS[1]!));
    const second = await frames.next();
    await frames.return();
    await closed;

    assert.deepEqual([first.value, second.value], [STEPS[0], STEPS[1]]);
  });
});

test("a stream that falls silent is TimedOut, however long the caller took between two steps", async () => {
  const serve = (reply: ServerResponse) => void reply.write(eventsOf(STEPS[0]!, STEPS[1]!));
  await against(serve, async (options) => {
    const frames = client([], options).membrane.chatStream("hello", { timeoutMs: 200 });

    await frames.next();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { types, error } = await seen(frames);

    assert.deepEqual(types, ["llm_round"]);
    assert.ok(error instanceof TimedOut, String(error));
  });
});

test("a signal ends a stream with its own reason", async () => {
  const stop = new AbortController();
  const serve = (reply: ServerResponse) => void reply.write(eventsOf(STEPS[0]!));
  await against(serve, async (options) => {
    const frames = client([], options).membrane.chatStream("hello", { signal: stop.signal });

    await frames.next();
    setTimeout(() => stop.abort(new Error("enough")), 5);

    await assert.rejects(frames.next(), /enough/);
  });
});

test("a connection that breaks off is ConnectionFailed", async () => {
  const serve = (reply: ServerResponse) => reply.write(eventsOf(STEPS[0]!), () => reply.destroy());
  await against(serve, async (options) => {
    const { types, error } = await seen(client([], options).membrane.chatStream("hello"));

    assert.deepEqual(types, ["intent"]);
    assert.ok(error instanceof ConnectionFailed, String(error));
  });
});

test("an error comes after all earlier steps, with the reply of the calls so far", async () => {
  const failed = { ...REPLY, stopped: STOP, type: "error", detail: STOP.detail, status: 429 };
  const { membrane } = client([stream(eventsOf(STEPS[0]!, failed, STEPS[1]!))]);

  const { types, error } = await seen(membrane.chatStream("hello"));

  assert.deepEqual(types, ["intent"]);
  assert.ok(error instanceof TooManyRequests);
  assert.deepEqual([error.code, error.detail], [STOP.code, STOP.detail]);
  assert.deepEqual(error.reply?.tool_log, REPLY.tool_log);
});

test("an error before any tool has run has no reply", async () => {
  const failed = { type: "error", detail: "the model is not there", status: 503 };
  const { membrane, asked } = client([stream(eventsOf(failed))]);

  const { error } = await seen(membrane.chatStream("hello"));

  assert.ok(error instanceof ServerError);
  assert.deepEqual([error.message, error.reply], ["503: the model is not there", undefined]);
  assert.equal(asked.length, 1);
});

const strange: Record<string, [string, new (...given: any[]) => Error]> = {
  "without an end": [eventsOf(STEPS[0]!), ConnectionFailed],
  "cut inside the last event": [eventsOf(STEPS.at(-1)!).slice(0, -1), ConnectionFailed],
  "without a byte": ["", ConnectionFailed],
  "without JSON": ["data: no JSON\n\n", UnexpectedReply],
  "with a list": ["data: []\n\n", UnexpectedReply],
  "with null": ["data: null\n\n", UnexpectedReply],
  "with an error without a status": [eventsOf({ type: "error" }), UnexpectedReply],
};
for (const [name, [text, kind]] of Object.entries(strange)) {
  test(`a stream ${name} is ${kind.name}`, async () => {
    const { error } = await seen(client([stream(text)]).membrane.chatStream("hello"));

    assert.ok(error instanceof kind, String(error));
  });
}

test("a reply that is no stream is an UnexpectedReply", async () => {
  await assert.rejects(client([ok(REPLY)]).membrane.chatStream("hello").next(), UnexpectedReply);
});

test("a refusal before the stream is the error of the status", async () => {
  const { membrane, asked } = client([refusal(400, "INVALID_ARGUMENT"), later, stream(eventsOf(...STEPS))]);

  await assert.rejects(membrane.chatStream([]).next(), (error) => error instanceof ApiError && error.status === 400);
  const { types } = await seen(membrane.chatStream("hello"));

  assert.equal(types.length, STEPS.length);
  assert.equal(asked.length, 3);
});
