/** The consistency tokens of a client's own writes: a read with the token of a write sees the write. */

/** The most that a request takes. */
export const MOST_TOKENS = 20;

export class Tokens {
  #newest: string[] = [];

  /** Keep the tokens of a reply and of its results. */
  keep(reply: unknown): void {
    if (typeof reply !== "object" || reply === null) return;
    const { consistency_token, consistency_tokens, results } = reply as Record<string, unknown>;
    const found = [consistency_token, consistency_tokens ?? []].flat().filter((each) => typeof each === "string");
    if (found.length) this.#newest = newest([...this.#newest, ...found]);
    if (Array.isArray(results)) results.forEach((each) => this.keep(each));
  }

  /** A request's tokens: the caller's, and the newest kept tokens up to MOST_TOKENS. */
  with(given: readonly string[]): string[] {
    return newest([...this.#newest, ...given]);
  }
}

function newest(tokens: readonly string[]): string[] {
  const inOrder = [...new Set([...tokens].reverse())].slice(0, MOST_TOKENS);
  return inOrder.reverse();
}
