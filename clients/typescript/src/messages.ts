/** Conversations as input, and brief records. */
import type { CallOptions } from "./fields.js";
import type { DeletedRecord, MemoryRecord, MemoryType, OutcomeStatus, Sensitivity, TimestampInput } from "./openapi.js";

export interface Message {
  role: "user" | "assistant" | "tool";
  content?: string | null;
  name?: string;
  /** The instant of the message; absent: the server's time. */
  at?: TimestampInput;
  tool_calls?: { id: string; type?: "function"; function: { name: string; arguments?: string | object } }[];
  tool_call_id?: string;
}

export interface MessageOptions extends CallOptions {
  session?: string | undefined;
  threadId?: string | undefined;
  scope?: string | undefined;
  sensitivity?: Sensitivity | undefined;
  tags?: string[] | undefined;
  source?: string | undefined;
  lifecycle?: object | undefined;
}

export interface MessagesReply {
  thread_id: string;
  /** Turns count from 1. */
  first_turn: number;
  next_turn: number;
  /** In a repeat's reply, records deleted since have an id alone. */
  records: (MemoryRecord | DeletedRecord)[];
}

export const MESSAGES_ROUTE = {
  method: "POST",
  path: "/v1/messages",
  query: [],
  writes: true,
  scope: "field",
} as const;

export interface BriefMemory {
  id: string;
  type: MemoryType;
  /** Null of a redacted record. */
  text: string | null;
  score: number | null;
  salience: number;
  when: string;
  who: string | null;
  scope: string;
  tags: string[];
}

export interface PromptReply {
  prompt: { text: string; ids: string[]; tokens: number };
}

export interface RecallFields {
  view: "brief" | "prompt";
  maxTokens?: number | undefined;
  outcome?: OutcomeStatus | OutcomeStatus[] | undefined;
}
