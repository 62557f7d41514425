import type { Database } from "../../ports/database.js";
import { reasonSql } from "../../projections/tables/rejectionGroups.js";
import type { ImportView } from "../imports/importView.js";

const maxGroups = 10_000;
const maxCounted = 10_000;
const maxReasons = 8;

/**
 * Why the rows of an ended import were rejected. For a completed import the projection has the counts; otherwise the first rejected rows
 * are counted. `reasons` has the most frequent first. A row with several faults counts for each of them, and a shipment's other lines count
 * for the faults of its faulty lines. `others` is the number of other reasons, `counted` the number of rejected rows that were counted.
 */
export async function rejectionReasons(
  organisationId: string,
  { importId, status }: Pick<ImportView, "importId" | "status">,
  database: Database,
) {
  const faultsIn = (groups: string) => countFaults(groups, [importId, organisationId], database);
  const counted = status === "completed" ? await faultsIn(groupsOfImportSql) : [];
  const found = counted.length > 0 ? counted : await faultsIn(rowsOfImportSql);
  const reasons = found.slice(0, maxReasons).map(({ reason, rows }) => ({ reason, rows }));
  return { reasons, others: found.length - reasons.length, counted: found[0]?.counted ?? 0 };
}

const groupsOfImportSql = `
  select reason, rows from rejection_groups where import_id = $1 and organisation_id = $2 order by rows desc limit ${maxGroups}`;

const rowsOfImportSql = `
  select ${reasonSql("r")} as reason, 1 as rows from
    (select * from rejections where import_position = (select position from imports where import_id = $1 and organisation_id = $2)
      order by "row" limit ${maxCounted}) as r`;

interface FaultCount {
  readonly reason: string;
  readonly rows: number;
  /** The number of rows that were counted. */
  readonly counted: number;
}

/** `groupsSql` is a query with the columns `reason` and `rows`. */
async function countFaults(groupsSql: string, values: readonly string[], database: Database): Promise<readonly FaultCount[]> {
  const { rows } = await database.query<FaultCount>(
    `with groups as materialized (${groupsSql})
     select fault as reason, sum(rows)::float8 as rows, (select sum(rows)::float8 from groups) as counted
       from groups, unnest(string_to_array(reason, '; ')) as fault group by fault order by 2 desc, 1`,
    [...values],
  );
  return rows;
}
