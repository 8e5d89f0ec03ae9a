/** A `fetch` that answers from a list, and keeps what was asked. */
import { Membrane, type Fetch, type MembraneOptions } from "../src/index.js";

export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: any;
}

export type Told = Response | Error | ((asked: Asked) => Response | Promise<Response>);

/** Answers in their order, the last of them again and again. */
export function answering(...answers: Told[]): { fetch: Fetch; asked: Asked[] } {
  const asked: Asked[] = [];
  const fetch: Fetch = async (input, init) => {
    const { body, method = "GET" } = init ?? {};
    const text = body instanceof Uint8Array ? Buffer.from(body).toString() : body;
    const parsed = typeof text === "string" ? JSON.parse(text) : undefined;
    asked.push({ method, url: new URL(String(input)), headers: new Headers(init?.headers), body: parsed });
    const answer = answers[Math.min(asked.length, answers.length) - 1]!;
    if (answer instanceof Error) throw answer;
    const aborted = new Promise<never>((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal!.reason), { once: true });
    });
    return Promise.race([typeof answer === "function" ? answer(asked.at(-1)!) : answer.clone(), aborted]);
  };
  return { fetch, asked };
}

export const ok = (body: unknown, headers: Record<string, string> = {}, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers });

export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  ok({ title: "t", status, code, detail: `refused as ${code}` }, headers, status);

/** The reply to a write of the record with this id. */
export const written = (id = "r1"): Response =>
  ok({ record: { id, type: "semantic" }, consistency_token: `token-${id}` }, {}, 201);

export function client(answers: Told[], options: MembraneOptions = {}) {
  const { fetch, asked } = answering(...answers);
  return { asked, membrane: new Membrane({ url: "http://api.test/", apiKey: "secret", fetch, ...options }) };
}
