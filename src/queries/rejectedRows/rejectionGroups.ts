import type { Pool } from "pg";
import type { ImportKind } from "../../events/importEvents.js";
import type { Database } from "../../ports/database.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import { countOpenRows, lookedUpSql, type OpenRowCount } from "./openRows.js";

export const groupStates = ["open", "submitted", "corrected", "dismissed"] as const;
export type GroupState = (typeof groupStates)[number];

export interface RejectionGroup {
  readonly importId: string;
  readonly kind: ImportKind;
  readonly sourceDetails: string;
  readonly finishedAt: Date | null;
  readonly reasonKey: string;
  readonly reason: string;
  /** In the state that was asked for. */
  readonly rows: number;
  /** True where there are too many rows to ask the ledger for each: `rows` then also has those that are superseded. */
  readonly atMost: boolean;
}

export interface GroupFilter {
  readonly state: GroupState;
  readonly kind: ImportKind;
  readonly importId?: string | undefined;
}

type GroupRow = RejectionGroup & { readonly position: string };

/** Rejected rows of the organisation's completed imports in one state, by import and reason, the latest import first. */
export function listRejectionGroups(
  organisationId: string,
  { state, kind, importId }: GroupFilter,
  page: PageRequest,
  pool: Pool,
): Promise<Page<RejectionGroup>> {
  const sql = kind === "shipments" && state === "open" ? lookedUp : counted(state);
  return readPage(
    page,
    ["rejection groups", organisationId, state, kind, importId ?? ""],
    async (after, count) => {
      const found = await pool.query<GroupRow>(
        `${sql.with}
         select g.import_id as "importId", g.kind, i.source_details as "sourceDetails", i.finished_at as "finishedAt",
                g.reason_key as "reasonKey", g.reason, ${sql.rows} as rows, ${sql.atMost} as "atMost", g.import_position::text as position
           from rejection_groups g join imports i on i.import_id = g.import_id ${sql.join}
          where g.organisation_id = $1 and ($2::uuid is null or g.import_id = $2) and g.kind = $5 and g.${state} > 0
            and ($3::bigint is null or (g.import_position, g.reason_key) < ($3, $4)) and ${sql.where}
          order by g.import_position desc, g.reason_key desc limit $6`,
        [organisationId, importId ?? null, after?.[0] ?? null, after?.[1] ?? null, kind, count],
      );
      return found.rows;
    },
    { placeOf: ({ position, reasonKey }) => [position, reasonKey], itemOf: ({ position: _, ...group }) => group },
  );
}

/** The projection's own counts. */
const counted = (state: GroupState) => ({ with: "", join: "", rows: `g.${state}`, atMost: "false", where: "true" });

/** Counts of rows that were looked up, without the groups that have no open row. */
const lookedUp = {
  with: `with ${lookedUpSql}`,
  join: "left join looked l on l.position = g.import_position and l.reason_key = g.reason_key cross join looked_above",
  rows: "case when g.import_position > looked_above.position then l.open else g.open end",
  atMost: "g.import_position <= looked_above.position",
  where: "(l.open > 0 or g.import_position <= looked_above.position)",
};

/** The number of rows in each state, by kind, of all imports or of one. */
export async function countRejectedRows(
  organisationId: string,
  importId: string | undefined,
  pool: Database,
): Promise<Readonly<Record<ImportKind, Readonly<Record<GroupState, OpenRowCount>>>>> {
  const [open, { rows }] = await Promise.all([
    countOpenRows(organisationId, importId, pool),
    pool.query<{ kind: ImportKind; state: GroupState; rows: number }>(
      (["submitted", "corrected", "dismissed"] as const)
        .map(
          (state) =>
            `select kind, '${state}' as state, sum(${state})::float8 as rows from rejection_groups
              where organisation_id = $1 and ${state} > 0 and ($2::uuid is null or import_id = $2) group by kind`,
        )
        .join(" union all "),
      [organisationId, importId ?? null],
    ),
  ]);
  const countOf = (kind: ImportKind, state: GroupState): OpenRowCount => ({
    rows: rows.find((found) => found.kind === kind && found.state === state)?.rows ?? 0,
    atLeast: false,
  });
  const countsOf = (kind: ImportKind) => ({
    open: open[kind],
    submitted: countOf(kind, "submitted"),
    corrected: countOf(kind, "corrected"),
    dismissed: countOf(kind, "dismissed"),
  });
  return { shipments: countsOf("shipments"), activities: countsOf("activities") };
}
