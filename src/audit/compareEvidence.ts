// Compares what the streams say with the tables, both ways and by key.
import type { PoolClient } from "pg";
import { fieldsOf } from "../domain/imports/fields.js";
import { createDifferences, eitherSide, noteRows, readDifferences } from "../tableDifferences.js";
import { addDifferences, type Findings, shownFindings } from "./findings.js";

interface Comparison {
  readonly key: readonly string[];
  readonly columns: readonly string[];
  /** SQL for the rows of the table. */
  readonly found: string;
  /** SQL for the rows that it should have. */
  readonly wanted: string;
}

/** `scope` says whether everything is compared, or which organisation. */
const inScope = "((select everything from scope) or import_position in (select import_position from audited_imports))";
const isOfOrganisation = "((select everything from scope) or organisation_id = (select organisation from scope))";
const byRow = ["import_position", `"row"`];
const activity = [...byRow, ...fieldsOf("activity").map(({ ledgerColumn }) => ledgerColumn)];
const line = [...byRow, "shipment", `"values"`];
const rejection = [...byRow, "handle", "error", "lead", "faults", "element", "data"];
/** What follows from the rows that were accepted. A rebuild compares the other columns. */
const imports = ["import_id", "organisation_id", "kind", "status", "received", "processed", "failed", "revision"];
const ofAudited = (table: string, columns: readonly string[], condition: string) =>
  `select ${columns.map((column) => `a.${column}`).join(", ")} from ${table} a join audited_imports i using (import_position) where ${condition}`;

/** Of one import. Goods lines are in their table only while the import runs, and a failed or cancelled one has no activities. */
const ofImport: Readonly<Record<string, Comparison>> = {
  imports: {
    key: ["import_id"],
    columns: ["import_position", ...imports],
    // A command may have written the row before the projector came to the event.
    found: `select position as import_position, ${imports.join(", ")} from imports
             where (${isOfOrganisation} or import_id in (select import_id from audited_imports)) and revision = counted`,
    wanted: `select import_position, ${imports.join(", ")} from audited_imports
              where import_id not in (select import_id from imports where revision <> counted)`,
  },
  activities: {
    key: byRow,
    columns: activity,
    found: `select ${activity.join(", ")} from activities where ${inScope}`,
    wanted: ofAudited("audited_activities", activity, "i.status not in ('failed', 'cancelled')"),
  },
  shipment_lines: {
    key: byRow,
    columns: line,
    found: `select ${line.join(", ")} from shipment_lines where ${inScope}`,
    wanted: ofAudited("audited_lines", line, "i.status = 'processing'"),
  },
  rejections: {
    key: byRow,
    columns: rejection,
    found: `select import_position, "row", handle, error, lead, faults::jsonb as faults, element, data::jsonb as data from rejections where ${inScope}`,
    wanted: "select * from audited_rejections",
  },
};

const group = ["import_position", "organisation_id", "customer_id", "warehouse_code", "charge_code", "half_hour"];
const groups = group.join(", ");
const total = [...group, "quantity", "row_count", "row_numbers"];

/** The totals of the accepted activities for which this is true. The tables cut longer codes, so that they fit into an index. */
const totalsOf = (condition: string) => `
  select a.import_position, i.organisation_id, left(coalesce(a.customer_id, ''), 200) as customer_id, left(a.warehouse_code, 200) as warehouse_code,
         left(a.charge_code, 200) as charge_code, to_timestamp(a.half_hour) as half_hour, sum(a.quantity) as quantity, count(*) as row_count,
         array_agg(a."row"::bigint order by a."row") as row_numbers
    from audited_activities a join audited_imports i using (import_position)
   where i.status = 'completed' and a.half_hour is not null and ${condition} group by 1, 2, 3, 4, 5, 6`;

const shipment = ["organisation_id", "shipment_id", "fields", "items", "source_details", "import_id", "updated_at", "import_position"];

/** Of all imports together. */
const ofAll: Readonly<Record<string, Comparison>> = {
  activity_totals: {
    key: group,
    columns: total,
    found: `select ${groups}, quantity, row_count, row_numbers::bigint[] as row_numbers from activity_totals where ${inScope}`,
    wanted: totalsOf(`
      not exists (select from audited_uncounted_imports u where u.import_position = a.import_position) and
      not exists (select from audited_uncounted_activities u where u.import_position = a.import_position and u."row" = a."row")`),
  },
  activity_changes: {
    key: group,
    columns: total,
    // What counts now, and what was taken out since: together the import as it completed. A row that is there twice is named by twice its number.
    found: `
      with parts as (
        select ${groups}, quantity, row_count, row_numbers, 1 as times from activity_totals where ${inScope}
        union all
        select ${groups}, -quantity, -row_count, row_numbers, -sign(row_count)::int from activity_changes where ${inScope}),
      numbers as (
        select ${groups}, n.number * sum(times) as number from parts cross join unnest(row_numbers) as n (number)
         group by ${groups}, n.number having sum(times) <> 0)
      select * from (select ${groups}, sum(quantity) as quantity, sum(row_count) as row_count from parts group by ${groups}) as sums
        left join (select ${groups}, array_agg(number order by number) as row_numbers from numbers group by ${groups}) as lists using (${groups})`,
    wanted: totalsOf("true"),
  },
  uncounted_activities: sameShape("uncounted_activities", byRow, ["reversed_position", "replaced_by_position", "replaced_by_row"]),
  uncounted_imports: sameShape("uncounted_imports", ["import_position"], ["reversed_position"]),
  activity_corrections: sameShape("activity_corrections", byRow, ["first_position", "first_row"]),
  shipments: {
    key: ["organisation_id", "shipment_id"],
    columns: shipment,
    found: `select ${shipment.join(", ")} from shipments where ${isOfOrganisation}`,
    // Of two versions the one that was pushed later counts, whichever import completed first. Shipments of one import with the same id are
    // reversed together; otherwise the last of them counts.
    wanted: `
      select distinct on (i.organisation_id, s.shipment_id)
             i.organisation_id, s.shipment_id, s.fields, s.items, i.source_details, i.import_id, i.finished_at as updated_at, import_position
        from (select import_position, min("values" ->> 'shipmentId') as shipment_id, (array_agg(shipment order by "row"))[1] as number,
                     (array_agg("values" - 'item' order by "row"))[1] as fields, jsonb_agg("values" -> 'item' order by "row") as items
                from audited_lines group by import_position, "group") as s
        join audited_imports i using (import_position) left join audited_reversed_shipments r using (import_position, shipment_id)
       where i.status = 'completed' and r.shipment_id is null
       order by i.organisation_id, s.shipment_id, import_position desc, s.number desc`,
  },
};

/** What the streams say of this table is kept in one of the same shape. */
function sameShape(table: string, key: readonly string[], others: readonly string[]): Comparison {
  const columns = [...key, ...others];
  const select = `select ${columns.join(", ")} from`;
  return { key, columns, found: `${select} ${table} where ${inScope}`, wanted: `${select} audited_${table}` };
}

/** Compares one import, or everything. `organisationId`: undefined for all organisations. */
export async function compareEvidence(
  client: PoolClient,
  { only, organisationId }: { readonly only?: "import"; readonly organisationId?: string | undefined },
  findings: Findings,
): Promise<void> {
  await createDifferences(client, "audit_differences");
  const scope = [only === undefined && organisationId === undefined, organisationId ?? null];
  for (const [table, { key, columns, found, wanted }] of Object.entries({ ...ofImport, ...(only ? {} : ofAll) })) {
    const compared = {
      before: "with scope as (select $1::boolean as everything, $2::text as organisation)",
      ...{ table, keys: key, organisationId: "i.organisation_id", importId: "i.import_id" },
      rows: { live: found, rebuilt: wanted },
      valuesOf: (side: string) => columns.map((column) => `${side}.${column}`).join(", "),
      joined: `left join audited_imports i on i.import_position = ${eitherSide("import_position")}`,
    };
    await noteRows(client, "audit_differences", compared, scope);
  }
  addDifferences(findings, await readDifferences(client, "audit_differences", shownFindings));
}
