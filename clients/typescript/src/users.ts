/** A call that was meant for one user never goes out for all of them. */
import { isBlank } from "./blanks.js";

/** Raises TypeError for a user without a name: the caller, who lost the name, would read the memories of all users. */
export function requireUser(named: unknown): void {
  if (typeof named !== "object" || named === null || !("user" in named)) return;
  const { user } = named;
  if (typeof user !== "string" || isBlank(user))
    throw new TypeError("user: a name, with a character that can be seen; without a user, leave the field out");
  requireOwnUser(named);
}

/** The position of what a method stores, which may have a user of its own, by the method's name. */
const CONTENTS: Readonly<Record<string, number>> = {
  capture: 0,
  captureMemory: 0,
  correct: 1,
  ingestObservation: 2,
  putDocument: 2,
  remember: 2,
};

/**
 * Make every method of a class throw a TypeError, at once, for an argument with a `user` that the method would lose.
 *
 * A spread copies the enumerable properties of an object, and none that the object inherits, such as a getter of a
 * class.
 */
export function refuseInheritedUsers(holder: object): void {
  for (const [name, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
    if (typeof method !== "function" || name === "constructor") continue;
    const guarded = function (this: unknown, ...given: unknown[]): unknown {
      given.filter((_, at) => at !== CONTENTS[name]).forEach(requireOwnUser);
      return method.apply(this, given);
    };
    Object.defineProperty(holder, name, { value: guarded });
  }
}

const copies = (given: object, name: string): boolean => Object.prototype.propertyIsEnumerable.call(given, name);

function requireOwnUser(named: unknown): void {
  if (typeof named === "object" && named !== null && "user" in named && !copies(named, "user"))
    throw new TypeError("user: a property of the object itself; one that is inherited or hidden is lost in copies");
}
