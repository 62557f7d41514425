// The shipment ledger. Goods lines are kept in shipment_lines until ImportCompleted, which writes all shipments of the import at once.
import type { PoolClient } from "pg";
import { copyRows, deleteRows, jsonField } from "../copyRows.js";
import type { Projection } from "../projection.js";
import { type CompletedImport, endingsOf } from "../sortedBatch.js";

const target = { table: "shipment_lines", columns: 'import_position, "row", shipment, "values"' };

export const shipments: Projection = {
  name: "shipments",
  tables: ["shipment_lines", "shipments", "hidden_shipments"],
  shape: 2, // hidden_shipments

  async apply(client, batch, options) {
    let lines = "";
    for (const { facts, accepted } of batch.imports) {
      if (facts?.kind !== "shipments") continue;
      for (const { row, shipment, values } of accepted) lines += `${facts.position}\t${row}\t${shipment ?? row}\t${jsonField(values)}\n`;
    }
    await copyRows(client, target, lines, options);
    const { completed, abandoned } = endingsOf(batch, "shipments");
    await writeShipments(client, completed);
    await deleteRows(client, "shipment_lines", [...completed, ...abandoned]);
  },
};

/**
 * A shipment's fields are those of its first line. Of two imports with the same shipment id the one that was pushed later wins, whichever
 * ran first. Within one import the later shipment wins.
 */
async function writeShipments(client: PoolClient, completed: readonly CompletedImport[]): Promise<void> {
  if (completed.length === 0) return;
  await client.query(
    `insert into shipments (organisation_id, shipment_id, fields, items, source_details, import_id, updated_at, import_position)
     select distinct on (organisation_id, first ->> 'shipmentId')
            organisation_id, first ->> 'shipmentId', first - 'item', items, source_details, import_id, updated_at, import_position
       from (select import_position, shipment, (array_agg("values" order by "row"))[1] as first,
                    jsonb_agg("values" -> 'item' order by "row") as items
               from shipment_lines where import_position = any($1::bigint[]) group by import_position, shipment) as written
       join unnest($1::bigint[], $2::text[], $3::text[], $4::uuid[], $5::timestamptz[])
            as completed (import_position, organisation_id, source_details, import_id, updated_at) using (import_position)
      where first ->> 'shipmentId' is not null
      order by organisation_id, first ->> 'shipmentId', import_position desc, shipment desc
     on conflict (organisation_id, shipment_id) do update
        set fields = excluded.fields, items = excluded.items, source_details = excluded.source_details,
            import_id = excluded.import_id, updated_at = excluded.updated_at, import_position = excluded.import_position
      where shipments.import_position < excluded.import_position`,
    [
      completed.map(({ facts }) => facts.position),
      completed.map(({ facts }) => facts.organisationId),
      completed.map(({ facts }) => facts.sourceDetails),
      completed.map(({ facts }) => facts.importId),
      completed.map(({ ended }) => ended.data.at),
    ],
  );
}
