// The shipment ledger. Goods lines stay in shipment_lines until ImportCompleted; then all shipments of the import are written together. Of
// the versions of a shipment that are not reversed, `shipments` has the one pushed last and `hidden_shipments` has the others. The order in
// which imports complete and are reversed does not affect that, so a batch's endings are applied before its reversals.
import type { PoolClient } from "pg";
import { copyJson, copyRows, deleteRows } from "../copyRows.js";
import type { Projection } from "../projection.js";
import { type CompletedImport, endingsOf } from "../sortedBatch.js";
import { type Reversal, reversalsIn } from "./reversals.js";

const target = { table: "shipment_lines", columns: 'import_position, "row", shipment, "values"' };

export const shipments: Projection = {
  name: "shipments",
  tables: ["shipment_lines", "shipments", "hidden_shipments"],
  shape: 2, // added hidden_shipments

  async apply(client, batch, options) {
    let lines = "";
    for (const { facts, acceptedRows } of batch.imports) {
      if (facts?.kind !== "shipments") continue;
      for (const { row, shipment, values } of acceptedRows) lines += `${facts.position}\t${row}\t${shipment ?? row}\t${copyJson(values)}\n`;
    }
    await copyRows(client, target, lines, options);
    const { completed, abandoned } = endingsOf(batch, "shipments");
    await writeShipments(client, completed);
    await deleteRows(client, "shipment_lines", [...completed, ...abandoned]);
    await removeReversed(client, reversalsIn(batch, options.skip));
  },
};

const columns = "organisation_id, shipment_id, import_position, fields, items, source_details, import_id, updated_at";
const qualifiedColumns = (table: string): string => columns.replace(/\w+/g, `${table}.$&`);
const assignmentsFrom = (table: string): string =>
  `import_position = ${table}.import_position, fields = ${table}.fields, items = ${table}.items, source_details = ${table}.source_details,
   import_id = ${table}.import_id, updated_at = ${table}.updated_at`;

/** SQL for every shipment of the completed imports, with the fields of its first line. */
const writtenSql = `
  select organisation_id, first ->> 'shipmentId' as shipment_id, import_position, first - 'item' as fields, items, source_details, import_id,
         updated_at, shipment
    from (select import_position, shipment, (array_agg("values" order by "row"))[1] as first, jsonb_agg("values" -> 'item' order by "row") as items
            from shipment_lines where import_position = any($1::bigint[]) group by import_position, shipment) as grouped
    join unnest($1::bigint[], $2::text[], $3::text[], $4::uuid[], $5::timestamptz[])
         as completed (import_position, organisation_id, source_details, import_id, updated_at) using (import_position)
   where first ->> 'shipmentId' is not null`;

/**
 * Writes the shipments of completed imports. Of two imports with the same shipment id the ledger shows the one pushed later, whichever ran
 * first. Within one import it shows the later shipment, and the earlier one is not kept.
 */
async function writeShipments(client: PoolClient, completed: readonly CompletedImport[]): Promise<void> {
  if (completed.length === 0) return;
  const positions = completed.map(({ facts }) => facts.position);
  const values = [
    positions,
    completed.map(({ facts }) => facts.organisationId),
    completed.map(({ facts }) => facts.sourceDetails),
    completed.map(({ facts }) => facts.importId),
    completed.map(({ ending }) => ending.data.at),
  ];
  await client.query(
    `insert into hidden_shipments (${columns})
     select ${qualifiedColumns("s")} from shipment_versions v join shipments s using (organisation_id, shipment_id)
      where v.import_position = any($1::bigint[]) and s.import_position < v.import_position
     on conflict do nothing`,
    [positions],
  );
  const { rowCount } = await client.query(
    `insert into shipments (${columns})
     select distinct on (organisation_id, shipment_id) ${columns} from (${writtenSql}) as written
      order by organisation_id, shipment_id, import_position desc, shipment desc
     on conflict (organisation_id, shipment_id) do update set ${assignmentsFrom("excluded")}
      where shipments.import_position < excluded.import_position`,
    values,
  );
  const { rows } = await client.query<{ count: number }>(
    "select count(*)::int from shipment_versions where import_position = any($1::bigint[])",
    [positions],
  );
  if (rowCount !== rows[0]?.count) await hideOlderVersions(client, values);
}

/** Keeps the written versions that the ledger does not show, because another one was pushed later, in `hidden_shipments`. */
async function hideOlderVersions(client: PoolClient, values: readonly unknown[]): Promise<void> {
  await client.query(
    `insert into hidden_shipments (${columns})
     select distinct on (organisation_id, shipment_id, import_position) ${columns} from (${writtenSql}) as written
      where not exists (select from shipments s where s.organisation_id = written.organisation_id and s.shipment_id = written.shipment_id
                           and s.import_position = written.import_position)
      order by organisation_id, shipment_id, import_position, shipment desc
     on conflict do nothing`,
    [...values],
  );
}

/**
 * SQL for the reversed versions. Shipments of one import with the same id are one version. `offset 0` keeps Postgres from joining thousands
 * of ranges with all shipments of the import.
 */
const reversedSql = `
  select versions.organisation_id, versions.shipment_id, versions.import_position
    from unnest($1::uuid[], $2::integer[], $3::integer[]) as named (import_id, first, last)
    join imports using (import_id)
    cross join lateral (select v.organisation_id, v.shipment_id, v.import_position from shipment_versions v
                         where v.import_position = imports.position and v.shipment between first and last offset 0) as versions`;

const allShipments = [0, 2 ** 31 - 1] as const;

async function removeReversed(client: PoolClient, events: readonly Reversal[]): Promise<void> {
  const ranges = events.flatMap(({ data: { importId, rows, shipments: numbers = [] } }) =>
    (rows === "all" ? [allShipments] : numbers).map(([first, last]) => ({ importId, first, last })),
  );
  if (ranges.length === 0) return;
  const values = [ranges.map(({ importId }) => importId), ranges.map(({ first }) => first), ranges.map(({ last }) => last)];
  const isSameVersionSql = (table: string) =>
    ["organisation_id", "shipment_id", "import_position"].map((column) => `${table}.${column} = reversed.${column}`).join(" and ");
  await client.query(`delete from hidden_shipments h using (${reversedSql}) as reversed where ${isSameVersionSql("h")}`, values);
  await client.query(
    `with last as materialized (
       select distinct on (h.organisation_id, h.shipment_id) h.*
         from (${reversedSql}) as reversed join shipments s on ${isSameVersionSql("s")}
         join hidden_shipments h on h.organisation_id = s.organisation_id and h.shipment_id = s.shipment_id
        order by h.organisation_id, h.shipment_id, h.import_position desc),
     shown_again as (
       delete from hidden_shipments h using last
        where h.organisation_id = last.organisation_id and h.shipment_id = last.shipment_id and h.import_position = last.import_position)
     update shipments s set ${assignmentsFrom("last")} from last where s.organisation_id = last.organisation_id and s.shipment_id = last.shipment_id`,
    values,
  );
  await client.query(`delete from shipments s using (${reversedSql}) as reversed where ${isSameVersionSql("s")}`, values);
}
