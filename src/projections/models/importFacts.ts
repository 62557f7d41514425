// What the projections need to know of an import for each of its rows.
import type { PoolClient } from "pg";
import type { ImportFacts, ImportSlice, SortedBatch } from "../sortedBatch.js";

/** Fills in the facts of every slice: from ImportRequested, or else from the imports table. Returns the slices of unknown imports. */
export async function addFacts(client: PoolClient, batch: SortedBatch): Promise<ImportSlice[]> {
  const earlier = batch.imports.filter(({ requested }) => !requested).map(({ importId }) => importId);
  const known = new Map((await lookUp(client, earlier)).map((facts) => [facts.importId, facts]));
  for (const slice of batch.imports) slice.facts = slice.requested ? factsOf(slice.requested) : known.get(slice.importId);
  return batch.imports.filter((slice) => slice.facts === undefined);
}

function factsOf({ data, position }: NonNullable<ImportSlice["requested"]>): ImportFacts {
  return {
    importId: data.importId,
    position: String(position.commit),
    organisationId: data.organisationId,
    kind: data.kind,
    sourceDetails: data.sourceDetails,
    isCorrection: data.corrects !== undefined,
  };
}

async function lookUp(client: PoolClient, importIds: readonly string[]): Promise<ImportFacts[]> {
  if (importIds.length === 0) return [];
  const found = await client.query<ImportFacts>(
    `/* prepared */ select import_id as "importId", position::text as position, organisation_id as "organisationId", kind,
            source_details as "sourceDetails", corrects is not null as "isCorrection"
       from imports where import_id = any($1::uuid[])`,
    [importIds],
  );
  return found.rows;
}
