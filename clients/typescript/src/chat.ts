/** The steps of a conversation that the service's model leads. */
import { ConnectionFailed, UnexpectedReply, errorOf } from "./errors.js";
import { jsonText, parsedJson } from "./json.js";
import type { ChatMessage, ChatReply, Route } from "./openapi.js";

type Phase = "study_a" | "study_b";

interface Call {
  /** The place of the call in the log. */
  index: number;
  tool: string;
  args: Record<string, unknown>;
  /** Hints for a program that draws the graph of topics. */
  viz: Record<string, unknown>;
  /** Of a step of a study session alone. */
  phase?: Phase;
}

/** A step. Later services may add types, so a `switch` over `type` needs a `default`. */
export type ChatFrame =
  | { type: "intent"; route: Route; intent_source: string }
  | { type: "llm_round"; phase?: Phase }
  | ({ type: "tool_start" } & Call)
  | ({ type: "tool_end"; result: Record<string, unknown> } & Call)
  | { type: "reply"; text: string }
  /** The last step, with the result of `chat`. */
  | ({ type: "done" } & ChatReply);

/** A text is a single message of the user. */
export const messagesOf = (messages: string | ChatMessage[]): ChatMessage[] =>
  typeof messages === "string" ? [{ role: "user", content: messages }] : messages;

/** The frames of a stream's events. Raises the ApiError that an event reports, and ConnectionFailed without an end. */
export async function* framesOf(events: AsyncIterable<string>): AsyncGenerator<ChatFrame, void> {
  for await (const data of events) {
    const frame = parsed(data);
    if (frame.type === "error") throw failure(frame);
    yield frame as ChatFrame;
    if (frame.type === "done") return;
  }
  throw new ConnectionFailed("the stream of events ended before the last event");
}

type RawFrame = { type: string } & Record<string, unknown>;

function parsed(data: string): RawFrame {
  try {
    const frame: unknown = parsedJson(data);
    if (typeof (frame as Partial<RawFrame> | null)?.type === "string") return frame as RawFrame;
  } catch (cause) {
    throw new UnexpectedReply("an event of the stream is no JSON", { cause });
  }
  throw new UnexpectedReply("an event of the stream has no type");
}

/** The error of the frame's status, with the reply of a conversation that ended early after tools had run. */
function failure(frame: RawFrame): Error {
  if (typeof frame.status !== "number") return new UnexpectedReply("an event of the stream has no status");
  const reply = "tool_log" in frame ? (frame as unknown as ChatReply) : undefined;
  return errorOf(frame.status, jsonText({ ...reply?.stopped, ...frame }), undefined, reply);
}
