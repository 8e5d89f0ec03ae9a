/** Erasures: followed to the end, read with all pages, and proved by a certificate. */
import { InvalidCertificate, StillRunning } from "./errors.js";
import { readOptionsOf, type CallOptions, type Fields } from "./fields.js";
import type { CertificateReply, ErasureReply, ErasureState } from "./openapi.js";
import type { Operations } from "./operations.js";
import { pause } from "./transport.js";
import { digest } from "./values.js";

export interface Waiting {
  /** Ends the wait with StillRunning when the pauses add up; the erasure goes on in the service. */
  waitMs?: number | undefined;
  /** Gets each state read while waiting. */
  onProgress?: ((state: ErasureState) => void) | undefined;
}

/** What to erase: `scope`, `user`, `subject` or `ids`; `subject` may come with `scope` or `user`. */
export type ForgetOptions = Omit<Fields<"StartErasure">, "dryRun"> &
  Waiting & {
    /** Lists only, unless false. */
    dryRun?: boolean | undefined;
  };

/** A certificate with all entries, as a file keeps the certificate. */
export type SavedCertificate = Omit<CertificateReply, "next_cursor">;

const WAIT_MS = 900_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** The ended erasure of a target. Raises TypeError for a target that is absent or has an empty part. */
export async function eraseTarget(client: Operations, options: ForgetOptions): Promise<ErasureReply> {
  const { waitMs = WAIT_MS, onProgress, ...fields } = options;
  const { scope, subject, ids, dryRun = true } = fields;
  if (!("user" in fields) && [scope, subject, ids].every((each) => each === undefined || each === null))
    throw new TypeError("forget: a record's id, or scope, user, subject or ids");
  if (scope === "" || subject?.trim() === "" || ids?.length === 0)
    throw new TypeError("forget: an empty scope, subject or list of ids would widen the target; leave the part out");
  // The service refuses ids beside a scope: null keeps the client's scope out.
  const target = ids === undefined ? fields : { ...fields, scope: scope ?? null };
  const { id } = await client.startErasure({ ...target, dryRun });
  return erasureOf(client, id, { ...readOptionsOf(fields), waitMs, onProgress });
}

/** The erasure with all findings: as of now, or with `waitMs` at the end. */
export async function erasureOf(
  client: Operations,
  id: string,
  options: CallOptions & Waiting,
): Promise<ErasureReply> {
  const { waitMs = 0, onProgress, ...rest } = options;
  let page = await client.readErasure(id, rest);
  let next = FIRST_PAUSE_MS;
  for (let waited = 0; waitMs > 0 && !["listed", "done"].includes(page.state); ) {
    onProgress?.(page);
    if (waited >= waitMs) throw new StillRunning(id, waited);
    const milliseconds = Math.min(next, waitMs - waited);
    await pause(milliseconds, rest.signal);
    waited += milliseconds;
    next = Math.min(2 * next, LONGEST_PAUSE_MS);
    page = await client.readErasure(id, rest);
  }
  const { next_cursor: _, ...whole } = page;
  const findings = [...page.findings];
  for (let cursor = page.next_cursor; cursor !== undefined; cursor = page.next_cursor) {
    page = await client.readErasure(id, { ...rest, cursor });
    findings.push(...page.findings);
  }
  return { ...whole, findings };
}

/** The certificate with all entries; raises InvalidCertificate where the entries are not what is signed. */
export async function certificateOf(
  client: Operations,
  id: string,
  options: CallOptions,
): Promise<SavedCertificate> {
  let page = await client.readCertificate(id, options);
  const { certificate, signature } = page;
  const entries = [...page.entries];
  for (let cursor = page.next_cursor; cursor !== undefined; cursor = page.next_cursor) {
    page = await client.readCertificate(id, { ...options, cursor });
    entries.push(...page.entries);
  }
  const whole = { certificate, signature, entries };
  checkCertificate(whole);
  return whole;
}

/** Raises InvalidCertificate unless the entries have the number and the SHA-256 that the certificate names. */
export function checkCertificate(saved: SavedCertificate): void {
  const { certificate, entries } = saved ?? {};
  if (!Array.isArray(entries) || typeof certificate?.entries_sha256 !== "string")
    throw new InvalidCertificate("a part of the certificate is missing or malformed");
  if (entries.length !== certificate.entries)
    throw new InvalidCertificate(`the certificate has ${entries.length} entries of ${certificate.entries}`);
  if (digest(entries.map((entry) => `${canonicalJson(entry)}\n`).join("")) !== certificate.entries_sha256)
    throw new InvalidCertificate("the entries differ from the entries that the certificate names");
}

/** The text that the signature covers: the certificate without entries, as canonical JSON. */
export const signedText = (saved: SavedCertificate): string => canonicalJson(saved.certificate);

/** JSON with sorted keys and without spaces. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}
