/** Studies through the client: the start, the upload of a long document, and the states to the end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StudyReply } from "../../src/index.js";
import { client, ok, type Told } from "../replies.js";

const state = (name: string, done = 0): Partial<StudyReply> => ({
  id: "job1",
  state: name as StudyReply["state"],
  progress: { paragraphs: { done, total: 2 } } as StudyReply["progress"],
  made: {} as StudyReply["made"],
  removed: {} as StudyReply["removed"],
  cost: {} as StudyReply["cost"],
});
const STATES = [state("running"), state("running"), state("running", 1), state("done", 2)];

test("a document is sent with its identity and the scope of the client", async () => {
  const { membrane, asked } = client([ok(state("running"), {}, 202)], { scope: "team" });

  const { id } = await membrane.study("# Tea", "Tea", { source: "manuals/tea.md", withModel: false });

  assert.equal(id, "job1");
  assert.deepEqual([asked[0]!.method, asked[0]!.url.pathname], ["POST", "/v1/studies"]);
  assert.deepEqual(asked[0]!.body, {
    document: "# Tea",
    title: "Tea",
    source: "manuals/tea.md",
    with_model: false,
    scope: "team",
  });
});

test("a long document is uploaded and claimed in its place", async () => {
  const uploading: Told = ({ url }) => {
    const opened = { upload_id: "u1", url: "http://bucket.test/u1", method: "PUT", headers: {} };
    if (url.pathname === "/v1/uploads") return ok(opened, {}, 201);
    return url.host === "bucket.test" ? new Response("") : ok(state("running"), {}, 202);
  };
  const document = "Tea. ".repeat(1_200_000);
  const { membrane, asked } = client([uploading]);

  await membrane.study(document, "Tea");

  assert.equal(asked[1]!.body, document);
  assert.deepEqual(asked[2]!.body, { document: { $upload: "u1" }, title: "Tea" });
});

test("a job is changed by its id, and a removal counts unless the caller says otherwise", async () => {
  const { membrane, asked } = client([ok(state("running"), {}, 202)]);

  await membrane.cancelStudy("job1");
  await membrane.resumeStudy("job1");
  await membrane.removeDocument("doc1");
  await membrane.removeDocument("doc1", { dryRun: false });

  assert.deepEqual(
    asked.map(({ url, body }) => [url.pathname, body]),
    [
      ["/v1/studies/job1/cancel", {}],
      ["/v1/studies/job1/resume", {}],
      ["/v1/studies/remove", { document_id: "doc1" }],
      ["/v1/studies/remove", { document_id: "doc1", dry_run: false }],
    ],
  );
});

test("a job is followed to its end, each state once", async () => {
  const { membrane, asked } = client(STATES.map((each) => ok(each)));
  const seen: [string, number][] = [];

  for await (const { state, progress } of membrane.studySteps("job1", { everyMs: 1, user: "ada" }))
    seen.push([state, progress.paragraphs.done]);

  assert.deepEqual(seen, [
    ["running", 0],
    ["running", 1],
    ["done", 2],
  ]);
  assert.equal(asked.length, 4);
  assert.deepEqual(new Set(asked.map(({ url }) => url.pathname + url.search)), new Set(["/v1/studies/job1?user=ada"]));
});

test("a signal ends the pause between two looks", async () => {
  const { membrane } = client([ok(state("running"))]);
  const stop = new AbortController();
  const steps = membrane.studySteps("job1", { everyMs: 60_000, signal: stop.signal });

  await steps.next();
  const next = steps.next();
  stop.abort(new Error("enough"));

  await assert.rejects(next, /enough/);
});

test("a pause of no time is refused", async () => {
  const { membrane, asked } = client([ok(state("running"))]);

  await assert.rejects(membrane.studySteps("job1", { everyMs: 0 }).next(), TypeError);
  assert.equal(asked.length, 0);
});
