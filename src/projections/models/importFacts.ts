// What the projections need to know about an import to write its rows. The facts come from ImportRequested, stay in memory while the import
// runs, and are otherwise read from the table `imports`.
import type { PoolClient } from "pg";
import type { ImportFacts, ImportSlice, SortedBatch } from "../sortedBatch.js";
import { createRunningTotals } from "./runningTotals.js";

/** Limits the totals of all running imports together to some 50 MB. */
const maxTotalNumbers = 6_000_000;

/** By import id. Facts never change, so those of a batch that was rolled back may stay. */
export type KnownImports = Map<string, ImportFacts>;

/** Fills in the facts of every slice, and starts the totals of imports that start. Returns the slices of unknown imports. */
export async function addFacts(client: PoolClient, batch: SortedBatch, known: KnownImports): Promise<ImportSlice[]> {
  for (const slice of batch.imports) {
    if (slice.request) known.set(slice.importId, factsOf(slice.request));
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
    if (slice.start && slice.facts?.kind === "activities") slice.facts.totals = createRunningTotals();
    if (slice.ending) known.delete(slice.importId);
  }
  limitRunningTotals(maxTotalNumbers, known);
  return batch.imports.filter((slice) => slice.facts === undefined);
}

/** Beyond the limit, the imports that became known last lose their totals. Their rows are then summed in the table when they complete. */
export function limitRunningTotals(maxNumbers: number, known: KnownImports): void {
  let total = 0;
  for (const { totals } of known.values()) {
    const size = totals?.size() ?? 0;
    if (total + size > maxNumbers) totals?.drop();
    else total += size;
  }
}

const factsOf = ({ data, position }: NonNullable<ImportSlice["request"]>): ImportFacts => ({
  importId: data.importId,
  position: String(position.commit),
  organisationId: data.organisationId,
  kind: data.kind,
  sourceDetails: data.sourceDetails,
  isCorrection: data.corrects !== undefined,
});
