/** Studies of documents: the states of a job, to the end. */
import type { CallOptions } from "./fields.js";
import type { StudyReply } from "./openapi.js";
import type { Operations } from "./operations.js";
import { pause } from "./transport.js";

export interface Following {
  /** Milliseconds between two looks at the job; 1,000 where absent. */
  everyMs?: number | undefined;
}

const EVERY_MS = 1_000;
const ENDED: readonly StudyReply["state"][] = ["done", "cancelled", "failed"];

/** The states of a job, each as the state changes; the last has ended. A failed job is a state, no error. */
export async function* studyStepsOf(
  client: Operations,
  id: string,
  options: CallOptions & Following,
): AsyncGenerator<StudyReply, void> {
  const { everyMs = EVERY_MS, ...rest } = options;
  if (!(everyMs > 0)) throw new TypeError("everyMs: milliseconds, more than 0");
  for (let before: string | undefined; ; await pause(everyMs, rest.signal)) {
    const state = await client.readStudy(id, rest);
    const text = JSON.stringify(state);
    if (text !== before) yield state;
    if (ENDED.includes(state.state)) return;
    before = text;
  }
}
