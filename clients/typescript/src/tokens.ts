/** The consistency tokens of a client's own writes: a read that carries them sees these writes. */

/** A request takes so many; what was written before them is in the index by then. */
export const MOST_TOKENS = 20;

export class Tokens {
  #newest: string[] = [];

  /** Keep the tokens of a reply: its own, or those of its results. */
  keep(reply: unknown): void {
    if (typeof reply !== "object" || reply === null) return;
    const { consistency_token, consistency_tokens, results } = reply as Record<string, unknown>;
    const found = [consistency_token, consistency_tokens ?? []].flat().filter((each) => typeof each === "string");
    if (found.length) this.#newest = newest([...this.#newest, ...found]);
    if (Array.isArray(results)) results.forEach((each) => this.keep(each));
  }

  /** What a request sends: the caller's tokens, and the newest of these that there is room for. */
  with(given: readonly string[]): string[] {
    return newest([...this.#newest, ...given]);
  }
}

function newest(tokens: readonly string[]): string[] {
  const inOrder = [...new Set([...tokens].reverse())].slice(0, MOST_TOKENS);
  return inOrder.reverse();
}
