import type { Pool } from "pg";
import type { EventStore } from "../ports/eventStore.js";
import { compareEvidence } from "./compareEvidence.js";
import { gatherImport } from "./evidence/evidence.js";
import { createEvidence } from "./evidence/evidenceTables.js";
import { newFindings } from "./findings.js";
import { NotComparable, withSnapshot } from "./snapshot.js";

/** Whether the tables agree with the stream, as far as the projection has come. */
export type ImportVerdict =
  | { readonly verdict: "agrees" }
  | { readonly verdict: "differs"; readonly differences: readonly string[]; readonly count: number }
  | { readonly verdict: "not comparable"; readonly why: string };

interface VerdictSources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly signal: AbortSignal;
}

export async function importVerdict({ pool, eventStore, signal }: VerdictSources, importId: string): Promise<ImportVerdict> {
  return withSnapshot({ pool, signal }, async ({ client, position }): Promise<ImportVerdict> => {
    const isThere = await gatherImport(await createEvidence(client), importId, { eventStore, until: position, signal });
    if (!isThere) throw new NotComparable("the projection has not come to this import yet; try again once the projector has caught up");
    const findings = newFindings();
    await compareEvidence(client, { only: "import" }, findings);
    if (findings.count === 0) return { verdict: "agrees" };
    return { verdict: "differs", differences: findings.first.map(({ sentence }) => sentence), count: findings.count };
  }).catch((error: unknown): ImportVerdict => {
    if (error instanceof NotComparable) return { verdict: "not comparable", why: error.message };
    throw error;
  });
}
