// Which import wrote which version of a shipment, and where its lines are in the import's stream. It is a projection apart from `shipments`
// because it was added later and can be filled from the event log at its own pace.
import type { PoolClient } from "pg";
import { copyRows, copyText, deleteRows } from "../copyRows.js";
import type { ApplyOptions, Projection } from "../projection.js";
import { type CompletedImport, endingsOf, type ImportSlice, type SortedBatch } from "../sortedBatch.js";

const target = { table: "shipment_versions", columns: "import_position, shipment, organisation_id, shipment_id, revisions" };

export const versions: Projection = {
  name: "versions",
  tables: ["shipment_versions", "shipment_imports"],

  async apply(client, batch, options) {
    await addLines(client, batch, options);
    const { completed, abandoned } = endingsOf(batch, "shipments");
    await addImports(client, completed);
    await deleteRows(client, "shipment_versions", abandoned);
  },
};

interface ShipmentLines {
  readonly position: string;
  readonly shipment: number;
  readonly revisions: bigint[];
}

async function addLines(client: PoolClient, batch: SortedBatch, options: ApplyOptions): Promise<void> {
  const slices = batch.imports.filter(({ facts, acceptedRows }) => facts?.kind === "shipments" && acceptedRows.length > 0);
  if (slices.length === 0) return;
  const lastKnownShipments = await lastShipments(client, slices);
  const continuedShipments: ShipmentLines[] = [];
  let newShipmentLines = "";
  for (const { facts, acceptedRows, acceptedRevisions } of slices) {
    if (!facts) continue;
    const { position, organisationId } = facts;
    const linesByShipment = new Map<number, ShipmentLines & { readonly shipmentId: unknown }>();
    for (const [index, { row, shipment = row, values }] of acceptedRows.entries()) {
      const lines = linesByShipment.get(shipment) ?? { position, shipment, revisions: [], shipmentId: values["shipmentId"] };
      lines.revisions.push(acceptedRevisions[index] ?? 0n);
      linesByShipment.set(shipment, lines);
    }
    // Shipments are numbered in the order of their first lines.
    const last = lastKnownShipments.get(position) ?? 0;
    for (const lines of linesByShipment.values()) {
      if (lines.shipment <= last) continuedShipments.push(lines);
      else if (lines.shipmentId !== undefined && lines.shipmentId !== null)
        newShipmentLines += `${position}\t${lines.shipment}\t${copyText(organisationId)}\t${copyText(lines.shipmentId)}\t{${lines.revisions.join(",")}}\n`;
    }
  }
  await copyRows(client, target, newShipmentLines, options);
  if (continuedShipments.length > 0) await addMoreLines(client, continuedShipments);
}

/** By import position, the number of the last shipment that an earlier batch added. */
async function lastShipments(client: PoolClient, slices: readonly ImportSlice[]): Promise<ReadonlyMap<string, number>> {
  const positions = slices.flatMap(({ facts, request }) => (facts && !request ? [facts.position] : []));
  if (positions.length === 0) return new Map();
  const { rows } = await client.query<{ position: string; last: number | null }>(
    `select position::text, (select max(shipment) from shipment_versions where import_position = position) as last
       from unnest($1::bigint[]) as position`,
    [positions],
  );
  return new Map(rows.map(({ position, last }) => [position, last ?? 0]));
}

/** Adds lines to shipments that an earlier batch began: the lines of one shipment may be anywhere in a file. */
async function addMoreLines(client: PoolClient, lines: readonly ShipmentLines[]): Promise<void> {
  await client.query(
    `update shipment_versions as known set revisions = known.revisions || string_to_array(more.revisions, ',')::integer[]
       from unnest($1::bigint[], $2::integer[], $3::text[]) as more (import_position, shipment, revisions)
      where known.import_position = more.import_position and known.shipment = more.shipment`,
    [lines.map(({ position }) => position), lines.map(({ shipment }) => shipment), lines.map(({ revisions }) => revisions.join(","))],
  );
}

async function addImports(client: PoolClient, completed: readonly CompletedImport[]): Promise<void> {
  if (completed.length === 0) return;
  await client.query(
    `insert into shipment_imports (import_position, import_id, organisation_id, completed_position, completed_at)
     select * from unnest($1::bigint[], $2::uuid[], $3::text[], $4::bigint[], $5::timestamptz[]) on conflict do nothing`,
    [
      completed.map(({ facts }) => facts.position),
      completed.map(({ facts }) => facts.importId),
      completed.map(({ facts }) => facts.organisationId),
      completed.map(({ ending }) => String(ending.position.commit)),
      completed.map(({ ending }) => ending.recordedAt.toISOString()),
    ],
  );
}
