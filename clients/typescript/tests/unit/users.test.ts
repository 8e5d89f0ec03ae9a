import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ALIASES } from "../../src/aliases.js";
import { Membrane } from "../../src/index.js";
import { client, ok, written } from "../replies.js";

const NO_NAMES: unknown[] = [undefined, null, "", " ", "\t\n", "\0\x1f\x85", "\xa0\xad", "\u034f\u061c", "\u115f\u3164\uffa0"];
NO_NAMES.push("\u1680\u180e", "\u200b", "\u200d\u200e", "\u2028\u202e\u202f", "\u2060\u2066", "\u2800", "\u3000", "\ufe0f");
NO_NAMES.push("\ufeff", "\ufff9", "\u{e0001}\u{e0100}", " \u200b\u3000 ", 0, false, ["alice"], Symbol("alice"), 1n);

const SOURCES = ["client", "operations"]
  .map((each) => readFileSync(new URL(`../../src/${each}.js`, import.meta.url), "utf8"))
  .join("\n");

/** The names of a method's parameters, as its source has them. */
function parametersOf(name: string): string[] {
  const own = ALIASES[name as keyof typeof ALIASES] ?? name;
  const [, listed] = new RegExp(`^ {4}(?:async )?\\*?${own}\\((.*)\\) \\{$`, "m").exec(SOURCES)!;
  return listed!.split(",").map((each) => each.split("=")[0]!.trim());
}

/** Every call of a client, with the method's own parameters in place and these options. */
function* callsOf(membrane: Membrane, options: object): Generator<[string, () => unknown]> {
  const samples: Record<string, unknown> = { namespace: ["x"], operation: "Retrieve", options, fields: options, "...rest": options };
  for (const holder of [Membrane.prototype, Object.getPrototypeOf(Membrane.prototype)]) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (name === "constructor" || name === "withOptions") continue;
      const method = holder[name] as (...args: unknown[]) => unknown;
      yield [name, () => method.apply(membrane, parametersOf(name).map((each) => samples[each] ?? "x"))];
    }
  }
}

async function begun(result: unknown): Promise<void> {
  const steps = result as Partial<AsyncGenerator>;
  await (steps.next ? steps.next() : result);
}

for (const ofClient of [{}, { user: "alice", scope: "s" }]) {
  test(`no call takes a user without a name, of a client with ${JSON.stringify(ofClient)}`, async () => {
    const { membrane, asked } = client([ok({ records: [] })], ofClient);
    const names = new Set<string>();

    for (const user of NO_NAMES) {
      for (const [name, call] of callsOf(membrane, { user, why: "x" })) {
        names.add(name);
        await assert.rejects(async () => begun(call()), /^TypeError: user: /, `${name} takes ${String(user)}`);
      }
    }

    assert.ok(names.size > 90);
    assert.equal(asked.length, 0);
  });
}

test("no call takes a user that copies of the options lose", async () => {
  class Acting {
    why = "x";
    get user() {
      return "eve";
    }
  }
  const { membrane, asked } = client([ok({ records: [], results: [] })]);
  const why = { value: "x", enumerable: true };
  const inheriting = [
    new Acting(),
    Object.create({ user: "eve" }, { why }),
    Object.defineProperties({}, { user: { value: "eve" }, why }),
  ];

  for (const options of inheriting) {
    for (const [name, call] of callsOf(membrane, options))
      await assert.rejects(async () => begun(call()), /^TypeError: user: /, `${name} loses the user`);
    assert.throws(() => new Membrane(options), /^TypeError: user: /);
    assert.throws(() => membrane.withOptions(options), /^TypeError: user: /);
    await assert.rejects(membrane.ingestBatch([options as never]), /^TypeError: user: /);
    assert.throws(() => membrane.callTool("recall", options as never), /^TypeError: user: /);
  }

  assert.equal(asked.length, 0);
});

test("a value with a user of its own is stored as any other", async () => {
  class Ticket {
    get user() {
      return "eve";
    }
    toJSON() {
      return { by: this.user };
    }
  }
  const { membrane, asked } = client([written()]);

  await membrane.putDocument(["tickets"], "1", new Ticket() as never).catch(() => {});
  await membrane.ingestObservation("ticket", "is", new Ticket());
  await membrane.remember("ticket", "is", new Ticket());
  await membrane.remember("ticket", undefined as never, undefined);

  const stored = asked.slice(0, 3).map(({ body }) => body.value ?? body.object);
  assert.deepEqual(stored, Array(3).fill({ by: "eve" }));
  assert.equal(asked[3]!.body.object, "ticket");
});

test("a fact without a predicate is refused, as its options would be lost", async () => {
  const { membrane, asked } = client([written()]);

  for (const predicate of [undefined, null, 5, {}] as unknown[] as string[])
    await assert.rejects(membrane.remember("s", predicate, "o", { user: "alice" }), /^TypeError: predicate: /);

  assert.equal(asked.length, 0);
});

test("no client is made for a user without a name", () => {
  const { membrane } = client([]);

  for (const user of NO_NAMES as string[]) {
    assert.throws(() => client([], { user }), /^TypeError: user: /);
    assert.throws(() => membrane.withOptions({ user }), /^TypeError: user: /);
  }
});

test("no part of a request names a user without a name", async () => {
  const { membrane, asked } = client([ok({ results: [] })], { user: "alice", scope: "s" });

  for (const user of NO_NAMES) {
    const item = { user } as object as never;
    await assert.rejects(membrane.ingestBatch([item]), /^TypeError: user: /);
    await assert.rejects(membrane.batchDocuments([item]), /^TypeError: user: /);
    await assert.rejects(membrane.callTool("recall", item), /^TypeError: user: /);
  }

  assert.equal(asked.length, 0);
});

test("a target needs no user, and a user is a target", async () => {
  const { membrane, asked } = client([ok({ id: "e", state: "listed", found: [], removed: [], spellings: [], findings: [] })]);

  await assert.rejects(membrane.forget({}), /^TypeError: forget: /);
  await membrane.forget({ user: "eve" });

  assert.deepEqual(asked.map(({ url, body }) => body?.user ?? url.searchParams.get("user")), ["eve", "eve"]);
});

test("a name has a character that can be seen", async () => {
  const { membrane, asked } = client([written()]);
  const names = ["0", "undefined", " a", "Å", "日", "👩‍👩‍👧", "\u202ea", "\ue000"];

  for (const user of names) await membrane.ingestEvent("build", "1", { user });
  // @ts-expect-error null is no name
  await assert.rejects(membrane.ingestEvent("build", "1", { user: null }));

  assert.deepEqual(asked.map(({ body }) => body.user), names);
});
