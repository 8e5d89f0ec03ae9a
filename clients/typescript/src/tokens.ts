/** The consistency tokens of a client's own writes: a read with the token of a write sees the write. */

/** The most that a request takes. */
export const MOST_TOKENS = 100;

/** The index has a record after a few seconds, and each token makes a retrieval read its record. */
export const KEPT_MS = 60_000;

export class Tokens {
  /** By token when it came, the newest last. */
  readonly #writtenAtMs = new Map<string, number>();

  /** Keep the tokens of a reply and of its results. */
  keep(reply: unknown): void {
    if (typeof reply !== "object" || reply === null) return;
    const { consistency_token, consistency_tokens, results } = reply as Record<string, unknown>;
    for (const token of [consistency_token, consistency_tokens ?? []].flat()) {
      if (typeof token !== "string") continue;
      this.#writtenAtMs.delete(token);
      this.#writtenAtMs.set(token, performance.now());
    }
    const surplus = Math.max(0, this.#writtenAtMs.size - MOST_TOKENS);
    for (const token of [...this.#writtenAtMs.keys()].slice(0, surplus)) this.#writtenAtMs.delete(token);
    if (Array.isArray(results)) results.forEach((each) => this.keep(each));
  }

  /** A request's tokens: the caller's, and the newest of the last minute up to MOST_TOKENS. */
  with(given: readonly string[]): string[] {
    const oldestMs = performance.now() - KEPT_MS;
    const recent = [...this.#writtenAtMs].filter(([, atMs]) => atMs >= oldestMs).map(([token]) => token);
    const newestFirst = new Set([...recent, ...given].reverse());
    return [...newestFirst].slice(0, MOST_TOKENS).reverse();
  }
}
