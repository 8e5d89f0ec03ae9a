/** Texts in which a reader sees nothing: the name of nobody, or an empty note. */

/** Nothing can be seen: blanks, controls, and characters that programs may leave out. */
const BLANK = /^[\s\p{Cc}\u2800\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]*$/u;

/** Whether the value is a text without a character that can be seen. */
export const isBlank = (value: unknown): boolean => typeof value === "string" && BLANK.test(value);

/** Raises TypeError for an empty object of a fact. */
export function requireObject(object: unknown): void {
  if ((object ?? null) === null || isBlank(object)) throw new TypeError("object: a fact needs an object");
}
