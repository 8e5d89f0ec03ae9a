/** What the compiler must accept, and what it must refuse: a wrong expectation does not compile. */
import { test } from "node:test";
import type { MemoryRecord, Membrane, Prompt, BriefRecord, ShownRecord } from "../../src/index.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <_Equal extends true>() => undefined;

async function typed(membrane: Membrane): Promise<void> {
  const record = await membrane.remember("a", "b", { any: ["JSON"] }, { onConflict: "replace", tags: ["t"] });
  same<Same<typeof record, MemoryRecord>>();
  const shown = await membrane.retrieve("task", { memoryTypes: ["semantic"], minSalience: 0 });
  same<Same<typeof shown, ShownRecord[]>>();
  const found = await membrane.recall("task");
  same<Same<typeof found, BriefRecord[]>>();
  const prompt = await membrane.recall("task", { view: "prompt" });
  same<Same<typeof prompt, Prompt>>();
  for await (const each of membrane.getAll()) same<Same<typeof each, ShownRecord>>();
  same<Same<Membrane["ingest_event"], Membrane["ingestEvent"]>>();
  await membrane.resolve("r", "supersede", { supersededBy: "s" });
  await membrane.changeLifecycle("r", { decay: { half_life_seconds: 60 } });

  // @ts-expect-error an unknown field
  await membrane.retrieve("task", { minSalienc: 0 });
  // @ts-expect-error a field of another operation
  await membrane.ingestEvent("a", "b", { session: "t" });
  // @ts-expect-error an unknown word
  await membrane.outcome("r", "won");
  // @ts-expect-error a positional field given again by name
  await membrane.penalize("r", 1, "a", "b", { amount: 2 });
  // @ts-expect-error no reason
  await membrane.correct("r", "x", {});
}

test("requests and replies have the document's types", () => void typed);
