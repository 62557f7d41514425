// What the projections need to know of an import for each of its rows. It comes from ImportRequested, is kept in memory while the import
// runs, and is otherwise read from the imports table.
import type { PoolClient } from "pg";
import type { ImportFacts, ImportSlice, SortedBatch } from "../sortedBatch.js";
import { runningTotals } from "./runningTotals.js";

/** The limit for the totals of all running imports together: some 50 MB. */
const mostNumbers = 6_000_000;

/** Facts never change, so those of a batch that was rolled back may stay. */
export type KnownImports = Map<string, ImportFacts>;

/** Fills in the facts of every slice. Returns the slices of unknown imports. */
export async function addFacts(client: PoolClient, batch: SortedBatch, known: KnownImports): Promise<ImportSlice[]> {
  for (const slice of batch.imports) {
    if (slice.requested) known.set(slice.importId, factsOf(slice.requested));
  }
  const unknown = batch.imports.filter((slice) => !known.has(slice.importId)).map((slice) => slice.importId);
  if (unknown.length > 0) {
    const { rows } = await client.query<ImportFacts>(
      `select import_id as "importId", position::text as position, organisation_id as "organisationId", kind, source_details as "sourceDetails",
              corrects is not null as "isCorrection"
         from imports where import_id = any($1::uuid[])`,
      [unknown],
    );
    for (const facts of rows) known.set(facts.importId, facts);
  }
  for (const slice of batch.imports) {
    slice.facts = known.get(slice.importId);
    if (slice.started && slice.facts?.kind === "activities") slice.facts.totals = runningTotals();
    if (slice.ended) known.delete(slice.importId);
  }
  limitRunningTotals(mostNumbers, known);
  return batch.imports.filter((slice) => slice.facts === undefined);
}

/** Beyond the limit, the imports that began last lose their totals. Their rows are summed when they complete. */
export function limitRunningTotals(numbers: number, known: KnownImports): void {
  let kept = 0;
  for (const { totals } of known.values()) {
    const size = totals?.size() ?? 0;
    if (kept + size > numbers) totals?.giveUp();
    else kept += size;
  }
}

const factsOf = ({ data, position }: NonNullable<ImportSlice["requested"]>): ImportFacts => ({
  importId: data.importId,
  position: String(position.commit),
  organisationId: data.organisationId,
  kind: data.kind,
  sourceDetails: data.sourceDetails,
  isCorrection: data.corrects !== undefined,
});
