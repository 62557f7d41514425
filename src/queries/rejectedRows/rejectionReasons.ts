import type { Database } from "../../ports/database.js";
import { reasonSql } from "../../projections/tables/rejectionGroups.js";
import type { ImportView } from "../imports/importView.js";

const mostGroups = 10_000;
const mostCounted = 10_000;
const mostReasons = 8;

/**
 * Why the rows of an import that has ended were rejected. For a completed import the projection has the counts. `reasons`: the most frequent first. A
 * row with several faults counts under each of them, and a shipment's other lines under those of the faulty ones. `others`: the number of further
 * reasons. `counted`: the rejected rows that were counted.
 */
export async function rejectionReasons(
  organisationId: string,
  { importId, status }: Pick<ImportView, "importId" | "status">,
  database: Database,
) {
  const faultsIn = (groups: string) => countedFaults(groups, [importId, organisationId], database);
  const counted = status === "completed" ? await faultsIn(groupsOfImport) : [];
  const found = counted.length > 0 ? counted : await faultsIn(rowsOfImport);
  const reasons = found.slice(0, mostReasons).map(({ reason, rows }) => ({ reason, rows }));
  return { reasons, others: found.length - reasons.length, counted: found[0]?.counted ?? 0 };
}

const groupsOfImport = `
  select reason, rows from rejection_groups where import_id = $1 and organisation_id = $2 order by rows desc limit ${mostGroups}`;

const rowsOfImport = `
  select ${reasonSql("r")} as reason, 1 as rows from
    (select * from rejections where import_position = (select position from imports where import_id = $1 and organisation_id = $2)
      order by "row" limit ${mostCounted}) as r`;

interface Fault {
  readonly reason: string;
  readonly rows: number;
  /** The number of rows that were counted. */
  readonly counted: number;
}

/** `groups` is a query with the columns `reason` and `rows`. */
async function countedFaults(groups: string, values: readonly string[], database: Database): Promise<readonly Fault[]> {
  const { rows } = await database.query<Fault>(
    `with groups as materialized (${groups})
     select fault as reason, sum(rows)::float8 as rows, (select sum(rows)::float8 from groups) as counted
       from groups, unnest(string_to_array(reason, '; ')) as fault group by fault order by 2 desc, 1`,
    [...values],
  );
  return rows;
}
