/** JSON without loss: what JSON cannot say is refused, and integers of any size are exact. */
import { randomUUID } from "node:crypto";
import { types } from "node:util";

/** Marks the digits of a bigint within JSON text; no writer of a value can know the mark. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}(-?[0-9]+)"`, "g");

/** An escape in JSON text; `JSON.stringify` escapes halves of surrogate pairs alone by a number from d800 on. */
const ESCAPED = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

/** Values whose content `JSON.stringify` would drop, by the tags that hold in every realm. */
const WITHOUT_JSON = /^(Map|Set|WeakMap|WeakSet|Error|DOMException|RegExp|Promise|\w*ArrayBuffer|DataView|\w+Array)$/;

/** Values that have JSON without a property: all others, such as iterators and `URLSearchParams`, would become {}. */
const WITH_JSON = /^(Object|Array|Number|String|Boolean|Null|Undefined)$/;

/** An integer of 16 digits or more, or digits in a text that look so. */
const LONG = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/;
const TOKENS = new RegExp(`"|\\\\[^]|${LONG.source}`, "g");

/**
 * The JSON text of a request; a bigint is an integer, and half a surrogate pair, as of an emoji that was cut in two,
 * becomes U+FFFD.
 *
 * Raises TypeError, with the path of the value, for values that `JSON.stringify` would turn into null or {}: NaN,
 * infinity, an invalid date, undefined in an array, a function, a symbol, a Map, a Set, an Error, a RegExp, an iterator
 * and others. An undefined field is left out. `textOf` gives the text of a value that has one in place of its JSON.
 */
export function jsonText(value: unknown, textOf?: (original: unknown) => string | undefined): string {
  let hasBigInts = false;
  const holders: Holders = new Map();
  const text = JSON.stringify(value, function (this: Record<string, unknown>, field: string, each: unknown) {
    const original = this[field];
    const instead = textOf?.(original);
    if (instead !== undefined) return instead;
    // Programs give BigInt.prototype a toJSON, which makes a text.
    if (typeof original === "bigint" || typeof each === "bigint") {
      hasBigInts = true;
      return MARK + String(typeof original === "bigint" ? original : each);
    }
    const reason = each === undefined && Array.isArray(this) ? "undefined is no JSON value" : refusal(original, each);
    if (reason) throw new TypeError([pathOf(this, field, holders), reason].filter(Boolean).join(": "));
    if (typeof each === "object") holders.set(each, [this, field]);
    return each;
  });
  const whole = text.replace(ESCAPED, (escape, half?: string) => (half === undefined ? escape : "\ufffd"));
  return hasBigInts ? whole.replace(MARKED, "$1") : whole;
}

/**
 * The messages of a conversation as JSON, with what the clients of model providers dump.
 *
 * NaN and infinities become texts, and bytes become base64: the service keeps arguments as text, and of a file the
 * size. Raises as `jsonText`.
 */
export const messagesJson = <T>(messages: T): T => parsedJson(jsonText({ messages }, textOfProvider)).messages;

function textOfProvider(original: unknown): string | undefined {
  const value = types.isNumberObject(original) ? Number(original) : original;
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (!types.isUint8Array(value)) return undefined;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
}

/** By value, the object or array that has the value, and under which name. */
type Holders = Map<unknown, [holder: unknown, field: string]>;

/** The names from the outermost value to the field, as in `tags.0`; empty for the outermost value itself. */
function pathOf(holder: unknown, field: string, holders: Holders): string {
  const names = [field];
  for (let above = holders.get(holder); above; above = holders.get(above[0])) names.unshift(above[1]);
  return names.slice(1).join("."); // JSON.stringify holds the outermost value under an empty name
}

/** Why JSON has no such value; `each` is what `toJSON` made of the original. Undefined where JSON has the value. */
function refusal(original: unknown, each: unknown): string | undefined {
  const isNumber = typeof each === "number" || types.isNumberObject(each);
  if (isNumber && !Number.isFinite(Number(each))) return `${each} is no JSON number`;
  if (typeof each === "function" || typeof each === "symbol") return `a ${typeof each} is no JSON value`;
  if (each === null && original !== null) return "an invalid date is no JSON value";
  const tag = Object.prototype.toString.call(each).slice("[object ".length, -1);
  const isLost = WITHOUT_JSON.test(tag) || (!WITH_JSON.test(tag) && Object.keys(each as object).length === 0);
  return isLost ? `${tag} is no JSON value: give an object or an array` : undefined;
}

/** The text in a path or a query, percent-encoded; half a surrogate pair becomes U+FFFD. */
export const urlText = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));

/** The value of JSON text; an integer beyond `Number.MAX_SAFE_INTEGER` is a bigint. Raises SyntaxError. */
export function parsedJson(text: string): any {
  if (!LONG.test(text)) return JSON.parse(text);
  let isInString = false;
  const marked = text.replace(TOKENS, (token) => {
    if (token === '"') isInString = !isInString;
    const isExact = isInString || token.length < 16 || Number.isSafeInteger(Number(token));
    return isExact ? token : `"${MARK}${token}"`;
  });
  return JSON.parse(marked, (_, each: unknown) =>
    typeof each === "string" && each.startsWith(MARK) ? BigInt(each.slice(MARK.length)) : each,
  );
}
