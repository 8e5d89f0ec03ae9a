import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { InvalidCertificate, StillRunning, checkCertificate, signedText } from "../../src/index.js";
import { client, ok } from "../replies.js";

const STATE = { id: "e1", state: "listing", dry_run: true, found: [], removed: [], unreadable: 0 };
const finding = (id: string) => ({ kind: "record", id, ground: "is_of", action: "erase" }) as const;
const looked = (state: string, ids: string[] = [], next_cursor?: string) =>
  ok({ ...STATE, state, spellings: [], findings: ids.map(finding), next_cursor });
const LINES = ["r1", "r2", "r3"].map((id) => `{"action":"erase","ground":"is_of","id":"${id}","kind":"record"}\n`);

/** A certificate over three entries, with the entries of these ids. */
const certificate = (...ids: string[]): any => ({
  certificate: {
    reason: "Straße",
    erasure: "e1",
    entries: 3,
    entries_sha256: createHash("sha256").update(LINES.join("")).digest("hex"),
  },
  signature: { key_id: "k", algorithm: "ECDSA_SHA_256", value: "AA==" },
  entries: ids.map(finding),
});

test("a forgotten target is listed to the end of the last page, under its user", async () => {
  const answers = [ok(STATE, {}, 202), looked("listed", ["r1"], "1"), looked("listed", ["r2"])];
  const { membrane, asked } = client(answers, { scope: "s" });

  const ended = await membrane.forget({ user: "eve" });

  assert.deepEqual(asked[0]!.body, { user: "eve", dry_run: true });
  assert.deepEqual(
    asked.slice(1).map(({ url }) => url.searchParams.get("user")),
    ["eve", "eve"],
  );
  assert.deepEqual(
    ended.findings.map((each) => each.id),
    ["r1", "r2"],
  );
});

test("ids stand without the scope of the client", async () => {
  const { membrane, asked } = client([ok(STATE, {}, 202), looked("done")], { scope: "s" });

  await membrane.forget({ ids: ["r1"], dryRun: false, reason: "request 7" });

  assert.deepEqual(asked[0]!.body, { ids: ["r1"], scope: null, dry_run: false, reason: "request 7" });
});

test("the wait ends when the pauses add up", async () => {
  const { membrane } = client([ok(STATE, {}, 202), looked("removing")]);
  const seen: string[] = [];

  const waiting = membrane.forget({ scope: "s", waitMs: 1, onProgress: ({ state }) => seen.push(state) });

  await assert.rejects(waiting, (error: Error) => error instanceof StillRunning && error.erasureId === "e1");
  assert.deepEqual(seen, ["removing", "removing"]);
});

test("a record and a target are not forgotten by one call", () => {
  const { membrane, asked } = client([ok({})]);
  const forget = membrane.forget.bind(membrane) as (...given: unknown[]) => Promise<unknown>;

  assert.throws(() => forget("r1"), TypeError);
  assert.throws(() => forget(undefined, { why: "asked to", user: "eve" }), TypeError);
  assert.throws(() => forget({ scope: "s" }, { why: "asked to" }), TypeError);
  assert.equal(asked.length, 0);
});

for (const target of [{}, { scope: "" }, { subject: " ", user: "eve" }, { ids: [], user: "eve" }]) {
  test(`the target ${JSON.stringify(target)} is refused`, async () => {
    const { membrane, asked } = client([ok({})], { user: "alice" });

    await assert.rejects(membrane.forget(target), TypeError);
    assert.equal(asked.length, 0);
  });
}

test("a certificate has the entries of all pages, and is checked by their hash", async () => {
  const pages = [{ ...certificate("r1", "r2"), next_cursor: "1" }, certificate("r3")];
  const { membrane } = client(pages.map((page) => ok(page)));

  assert.deepEqual(await membrane.certificate("e1"), certificate("r1", "r2", "r3"));
  for (const ids of [["r1", "r2"], ["r1", "r2", "r4"], ["r3", "r2", "r1"]]) {
    assert.throws(() => checkCertificate(certificate(...ids)), InvalidCertificate);
  }
  for (const none of [{}, { entries: [] }, null]) {
    assert.throws(() => checkCertificate(none as any), InvalidCertificate);
  }
});

test("the signed text has sorted keys, no spaces and no escapes beyond JSON's", () => {
  const { entries_sha256 } = certificate().certificate;

  assert.equal(
    signedText(certificate()),
    `{"entries":3,"entries_sha256":"${entries_sha256}","erasure":"e1","reason":"Straße"}`,
  );
});
