// Compares the tables with what the streams say, in SQL. Rows are matched by key, so that missing, extra and changed rows are found.
import type { PoolClient } from "pg";
import { fieldsOf } from "../domain/imports/fields.js";
import { createDifferencesTable, eitherColumn, noteRowDifferences, readDifferences } from "../tableDifferences.js";
import { addDifferences, type Findings, maxShownFindings } from "./findings.js";

interface Comparison {
  readonly key: readonly string[];
  readonly columns: readonly string[];
  /** SQL for the rows that the table has, and for the rows that it should have by the evidence. */
  readonly liveRows: string;
  readonly expectedRows: string;
}

/** SQL conditions. `scope` is a row in each statement. It says whether everything is compared, or which organisation. */
const inScope = "((select everything from scope) or import_position in (select import_position from audited_imports))";
const isOfOrganisation = "((select everything from scope) or organisation_id = (select organisation from scope))";
const rowKey = ["import_position", `"row"`];
const activityColumns = [...rowKey, ...fieldsOf("activity").map(({ ledgerColumn }) => ledgerColumn)];
const lineColumns = [...rowKey, "shipment", `"values"`];
const rejectionColumns = [...rowKey, "handle", "error", "lead", "faults", "element", "data"];
/** The columns of `imports` that follow from the rows' outcomes. `audit verify` compares the other columns with a table filled anew. */
const importColumns = ["import_id", "organisation_id", "kind", "status", "received", "processed", "failed", "revision"];
const selectAudited = (table: string, columns: readonly string[], condition: string) =>
  `select ${columns.map((column) => `a.${column}`).join(", ")} from ${table} a join audited_imports i using (import_position) where ${condition}`;

/** The tables whose rows belong to one import. Goods lines are kept only while it runs. A failed or cancelled import has no activities. */
const importComparisons: Readonly<Record<string, Comparison>> = {
  imports: {
    key: ["import_id"],
    columns: ["import_position", ...importColumns],
    // `revision = counted` excludes an import whose row a command has updated before the projector came to the same event.
    liveRows: `select position as import_position, ${importColumns.join(", ")} from imports
             where (${isOfOrganisation} or import_id in (select import_id from audited_imports)) and revision = counted`,
    expectedRows: `select import_position, ${importColumns.join(", ")} from audited_imports
              where import_id not in (select import_id from imports where revision <> counted)`,
  },
  activities: {
    key: rowKey,
    columns: activityColumns,
    liveRows: `select ${activityColumns.join(", ")} from activities where ${inScope}`,
    expectedRows: selectAudited("audited_activities", activityColumns, "i.status not in ('failed', 'cancelled')"),
  },
  shipment_lines: {
    key: rowKey,
    columns: lineColumns,
    liveRows: `select ${lineColumns.join(", ")} from shipment_lines where ${inScope}`,
    expectedRows: selectAudited("audited_lines", lineColumns, "i.status = 'processing'"),
  },
  rejections: {
    key: rowKey,
    columns: rejectionColumns,
    liveRows: `select import_position, "row", handle, error, lead, faults::jsonb as faults, element, data::jsonb as data from rejections where ${inScope}`,
    expectedRows: "select * from audited_rejections",
  },
};

const totalKey = ["import_position", "organisation_id", "customer_id", "warehouse_code", "charge_code", "half_hour"];
const keyList = totalKey.join(", ");
const totalColumns = [...totalKey, "quantity", "row_count", "row_numbers"];

/** SQL for the totals of the accepted activities that satisfy the condition. Cuts long codes, as the table does for its index. */
const selectTotals = (condition: string) => `
  select a.import_position, i.organisation_id, left(coalesce(a.customer_id, ''), 200) as customer_id, left(a.warehouse_code, 200) as warehouse_code,
         left(a.charge_code, 200) as charge_code, to_timestamp(a.half_hour) as half_hour, sum(a.quantity) as quantity, count(*) as row_count,
         array_agg(a."row"::bigint order by a."row") as row_numbers
    from audited_activities a join audited_imports i using (import_position)
   where i.status = 'completed' and a.half_hour is not null and ${condition} group by 1, 2, 3, 4, 5, 6`;

const shipmentKey = ["organisation_id", "shipment_id"];
const shipmentColumns = [...shipmentKey, "fields", "items", "source_details", "import_id", "updated_at", "import_position"];

/** The tables whose rows also depend on other imports or on reversals. */
const ledgerComparisons: Readonly<Record<string, Comparison>> = {
  activity_totals: {
    key: totalKey,
    columns: totalColumns,
    liveRows: `select ${keyList}, quantity, row_count, row_numbers::bigint[] as row_numbers from activity_totals where ${inScope}`,
    expectedRows: selectTotals(`
      not exists (select from audited_uncounted_imports u where u.import_position = a.import_position) and
      not exists (select from audited_uncounted_activities u where u.import_position = a.import_position and u."row" = a."row")`),
  },
  activity_changes: {
    key: totalKey,
    columns: totalColumns,
    // The present totals without the recorded changes are the totals at completion. A row that is counted twice shows as twice its number.
    liveRows: `
      with parts as (
        select ${keyList}, quantity, row_count, row_numbers, 1 as times from activity_totals where ${inScope}
        union all
        select ${keyList}, -quantity, -row_count, row_numbers, -sign(row_count)::int from activity_changes where ${inScope}),
      numbers as (
        select ${keyList}, n.number * sum(times) as number from parts cross join unnest(row_numbers) as n (number)
         group by ${keyList}, n.number having sum(times) <> 0)
      select * from (select ${keyList}, sum(quantity) as quantity, sum(row_count) as row_count from parts group by ${keyList}) as sums
        left join (select ${keyList}, array_agg(number order by number) as row_numbers from numbers group by ${keyList}) as lists using (${keyList})`,
    expectedRows: selectTotals("true"),
  },
  uncounted_activities: withEqualColumns("uncounted_activities", rowKey, ["reversed_position", "replaced_by_position", "replaced_by_row"]),
  uncounted_imports: withEqualColumns("uncounted_imports", ["import_position"], ["reversed_position"]),
  activity_corrections: withEqualColumns("activity_corrections", rowKey, ["first_position", "first_row"]),
  shipments: {
    key: shipmentKey,
    columns: shipmentColumns,
    liveRows: `select ${shipmentColumns.join(", ")} from shipments where ${isOfOrganisation}`,
    // The version that was pushed later counts, whichever import completed first. If one import has shipments with the same id, the last
    // one counts. They are reversed together.
    expectedRows: `
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

/** For a table whose evidence table has the same columns and the same name after `audited_`. */
function withEqualColumns(table: string, key: readonly string[], otherColumns: readonly string[]): Comparison {
  const columns = [...key, ...otherColumns];
  const select = `select ${columns.join(", ")} from`;
  return { key, columns, liveRows: `${select} ${table} where ${inScope}`, expectedRows: `${select} audited_${table}` };
}

/** Compares the tables with the evidence tables, which have one import (`importOnly`), one organisation, or everything. */
export async function compareEvidence(
  client: PoolClient,
  { importOnly = false, organisationId }: { readonly importOnly?: boolean; readonly organisationId?: string | undefined },
  findings: Findings,
): Promise<void> {
  await createDifferencesTable(client, "audit_differences");
  const scope = [!importOnly && organisationId === undefined, organisationId ?? null];
  const comparisons = { ...importComparisons, ...(importOnly ? {} : ledgerComparisons) };
  for (const [table, { key, columns, liveRows, expectedRows }] of Object.entries(comparisons)) {
    const compared = {
      withClause: "with scope as (select $1::boolean as everything, $2::text as organisation)",
      ...{ table, keys: key, organisationId: "i.organisation_id", importId: "i.import_id" },
      rows: { live: liveRows, rebuilt: expectedRows },
      valuesOf: (side: string) => columns.map((column) => `${side}.${column}`).join(", "),
      joins: `left join audited_imports i on i.import_position = ${eitherColumn("import_position")}`,
    };
    await noteRowDifferences(client, "audit_differences", compared, scope);
  }
  addDifferences(findings, await readDifferences(client, "audit_differences", maxShownFindings));
}
