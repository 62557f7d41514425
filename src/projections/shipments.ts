// The shipment ledger. Goods lines wait in shipment_lines and become shipments in one step, with ImportCompleted.
import type { PoolClient } from "pg";
import { copyRows, jsonField } from "./copyRows.js";
import type { ImportFacts } from "./importFacts.js";
import type { Projection } from "./projection.js";
import type { Ending } from "./sortedBatch.js";

const target = { table: "shipment_lines", columns: 'import_position, "row", shipment, "values"' };

export const shipments: Projection = {
  name: "shipments",
  tables: ["shipment_lines", "shipments"],

  async apply(client, batch, options) {
    let lines = "";
    for (const { facts, accepted } of batch.imports) {
      if (facts?.kind !== "shipments") continue;
      for (const { row, shipment, values } of accepted) lines += `${facts.position}\t${row}\t${shipment ?? row}\t${jsonField(values)}\n`;
    }
    await copyRows(client, target, lines, options);
    for (const { facts, ended } of batch.endings) {
      if (facts?.kind !== "shipments" || !ended) continue;
      if (ended.type === "ImportCompleted") await writeShipments(client, facts, ended);
      await client.query("delete from shipment_lines where import_position = $1", [facts.position]);
    }
  },
};

/** A shipment's own fields come with its first line. Of two shipments with one id in an import, the later wins. */
async function writeShipments(client: PoolClient, facts: ImportFacts, ended: Ending): Promise<void> {
  await client.query(
    `insert into shipments (organisation_id, shipment_id, fields, items, source_details, import_id, updated_at, position)
     select distinct on (first ->> 'shipmentId') $2, first ->> 'shipmentId', first - 'item', items, $3, $4, $5, $6
       from (select shipment, (array_agg("values" order by "row"))[1] as first,
                    jsonb_agg("values" -> 'item' order by "row") as items
               from shipment_lines where import_position = $1 group by shipment) as written
      where first ->> 'shipmentId' is not null
      order by first ->> 'shipmentId', shipment desc
     on conflict (organisation_id, shipment_id) do update
        set fields = excluded.fields, items = excluded.items, source_details = excluded.source_details,
            import_id = excluded.import_id, updated_at = excluded.updated_at, position = excluded.position
      where shipments.position < excluded.position`,
    [facts.position, facts.organisationId, facts.sourceDetails, facts.importId, ended.data.at, String(ended.event.position.commit)],
  );
}
