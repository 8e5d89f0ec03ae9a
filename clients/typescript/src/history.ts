/** The versions of a record, with the records before and after it in a chain of corrections. */
import { Conflict, NotFound } from "./errors.js";
import type { CallOptions } from "./fields.js";
import type { RecordVersion } from "./openapi.js";
import type { Operations, ShownRecord } from "./operations.js";

/** A record's content from `when` to the next version. */
export interface Version {
  readonly recordId: string;
  readonly number: number;
  readonly when: string;
  readonly who: string | undefined;
  readonly why: string | undefined;
  readonly action: RecordVersion["action"];
  /** A fact's object; else the payload. Undefined where the version may not be seen. */
  readonly content: unknown;
}

/** The newest version first. Raises NotFound for a record deleted, absent or out of sight. */
export async function historyOf(client: Operations, recordId: string, options: CallOptions): Promise<Version[]> {
  const history: Version[] = [];
  const seen = new Set<string>();
  for (let id = await latest(client, recordId, options); id !== undefined && !seen.has(id);) {
    seen.add(id);
    try {
      const { versions, replaced } = await versionsOf(client, id, options);
      history.push(...versions.reverse());
      id = replaced;
    } catch (error) {
      if (id !== recordId && error instanceof NotFound) break; // the predecessor is gone
      throw error;
    }
  }
  return history;
}

async function latest(client: Operations, id: string, options: CallOptions): Promise<string | undefined> {
  try {
    return (await client.retrieveById(id, { ...options, resolve: "latest" })).id;
  } catch (error) {
    if (error instanceof NotFound || error instanceof Conflict) return id; // its successor is gone or out of sight
    throw error;
  }
}

async function versionsOf(client: Operations, id: string, options: CallOptions) {
  const versions: Version[] = [];
  let replaced: string | undefined;
  for (let cursor: string | undefined; ;) {
    const page = await client.readVersions(id, { ...options, cursor });
    for (const each of page.versions) {
      const { number, valid_from: when, action, rationale: why } = each;
      const then = each.withheld ? undefined : await client.retrieveById(id, { ...options, asOf: when });
      versions.push({
        recordId: id,
        number,
        when,
        who: each.principal ?? each.actor,
        why,
        action,
        content: said(then),
      });
      replaced = then?.payload?.kind === "semantic" ? then.payload.revision?.supersedes : replaced;
    }
    if ((cursor = page.next_cursor) === undefined) return { versions, replaced };
  }
}

function said(record: ShownRecord | undefined): unknown {
  const payload = record?.payload ?? undefined;
  return payload?.kind === "semantic" ? payload.object : payload;
}
