/** Server-sent events over `fetch`, each as the event arrives. */
import { UnexpectedReply } from "./errors.js";
import { loss, open, retried, type Delivery, type Fetch, type Outgoing } from "./transport.js";

const EVENT_STREAM = /^text\/event-stream\s*(;|$)/i;

/**
 * The data of each event. Leaving the loop closes the connection.
 *
 * `timeoutMs` is for the reply's head, and for each wait for more of the body. Raises as `send` does.
 */
export async function* eventsOf(request: Outgoing, delivery: Delivery, fetch: Fetch): AsyncGenerator<string, void> {
  const silence = new Silence(delivery.timeoutMs);
  const attempt = () => silence.during(open(request, delivery, fetch, silence.signal));
  const { headers, body } = await retried(attempt, delivery);
  const reader = body?.getReader();
  try {
    if (!reader || !EVENT_STREAM.test(headers.get("content-type") ?? ""))
      throw new UnexpectedReply("the reply is no stream of events");
    const decoder = new EventDecoder();
    for (;;) {
      const { done, value } = await silence.during(reader.read()).catch((cause: unknown) => {
        throw loss(cause, delivery, silence.signal);
      });
      if (done) return;
      yield* decoder.decode(value);
    }
  } finally {
    // Not awaited: the cancellation of a cloned reply waits for the clone. A broken stream rejects the cancellation.
    reader?.cancel().catch(() => undefined);
  }
}

/** Aborts its signal when a wait lasts too long; the time between the waits does not count. */
class Silence {
  readonly #controller = new AbortController();

  constructor(readonly timeoutMs: number) {}

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async during<Result>(waiting: Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => this.#controller.abort(), this.timeoutMs);
    return waiting.finally(() => clearTimeout(timer));
  }
}

/** Chunks of bytes, cut anywhere, as the data of whole events; see the HTML standard, "Server-sent events". */
export class EventDecoder {
  readonly #text = new TextDecoder();
  #rest = "";
  #data: string[] = [];

  *decode(chunk: Uint8Array): Generator<string, void> {
    this.#rest += this.#text.decode(chunk, { stream: true });
    // A carriage return at the end may be the first half of a line's end.
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop()!;
    for (const line of lines) {
      const data = /^data(?:: ?(.*))?$/s.exec(line);
      if (data) this.#data.push(data[1] ?? "");
      if (line !== "" || this.#data.length === 0) continue;
      yield this.#data.join("\n");
      this.#data = [];
    }
  }
}
