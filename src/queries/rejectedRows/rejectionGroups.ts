import type { Pool } from "pg";
import type { ImportKind } from "../../events/importEvents.js";
import { reasonSql } from "../../projections/tables/rejectionGroups.js";
import { type Page, type PageRequest, readPage } from "../page.js";

export const groupStates = ["open", "submitted", "dismissed"] as const;
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

type GroupRow = Omit<RejectionGroup, "atMost"> & { readonly position: string; readonly total: number };

/** Rejected rows of the organisation's completed imports in one state, by import and reason, the latest import first. */
export function listRejectionGroups(
  organisationId: string,
  filter: GroupFilter,
  page: PageRequest,
  pool: Pool,
): Promise<Page<RejectionGroup>> {
  const { state, kind, importId } = filter;
  return readPage(
    page,
    ["rejection groups", organisationId, state, kind, importId ?? ""],
    async (after, count) => {
      const found = await pool.query<GroupRow>(
        `select g.import_id as "importId", g.kind, i.source_details as "sourceDetails", i.finished_at as "finishedAt",
                g.reason_key as "reasonKey", g.reason, g.${state} as rows, g.rows as total, g.import_position::text as position
           from rejection_groups g join imports i on i.import_id = g.import_id
          where g.organisation_id = $1 and g.kind = $2 and g.${state} > 0 and ($3::uuid is null or g.import_id = $3)
            and ($4::bigint is null or (g.import_position, g.reason_key) < ($4, $5))
          order by g.import_position desc, g.reason_key desc limit $6`,
        [organisationId, kind, importId ?? null, after?.[0] ?? null, after?.[1] ?? null, count],
      );
      return state === "open" ? withoutSuperseded(organisationId, found.rows, pool) : found.rows.map((row) => ({ ...row, atMost: false }));
    },
    { placeOf: ({ position, reasonKey }) => [position, reasonKey], itemOf: ({ position: _, total: __, ...group }) => group },
  );
}

/** How many rejected rows of shipments are looked up in the ledger for one page of groups. */
const mostLookedUp = 5_000;

async function withoutSuperseded(organisationId: string, groups: readonly GroupRow[], pool: Pool) {
  const shipments = groups.filter(({ kind }) => kind === "shipments");
  const atMost = shipments.reduce((sum, { total }) => sum + total, 0) > mostLookedUp;
  const counts = shipments.length === 0 || atMost ? new Map<string, number>() : await supersededCounts(organisationId, shipments, pool);
  return groups.map((group) => ({
    ...group,
    rows: group.rows - (counts.get(`${group.position} ${group.reasonKey}`) ?? 0),
    atMost: atMost && group.kind === "shipments",
  }));
}

async function supersededCounts(organisationId: string, groups: readonly GroupRow[], pool: Pool): Promise<Map<string, number>> {
  const positions = [...new Map(groups.map(({ position, importId }) => [position, importId]))];
  const found = await pool.query<{ position: string; reasonKey: string; rows: number }>(
    `select r.import_position::text as position, md5(${reasonSql("r.error")}) as "reasonKey", count(*)::integer as rows
       from unnest($2::bigint[], $3::uuid[]) as asked (position, import_id)
       join lateral (select * from rejections r where r.import_position = asked.position limit ${mostLookedUp * 2}) as r on true
       join shipments s on s.organisation_id = $1 and s.shipment_id = r.handle and s.import_position > r.import_position
      where not exists (select from row_corrections c where c.import_id = asked.import_id and c."row" = r."row")
        and not exists (select from finished_rows d where d.import_id = asked.import_id and d."row" = r."row")
      group by 1, 2`,
    [organisationId, positions.map(([position]) => position), positions.map(([, importId]) => importId)],
  );
  return new Map(found.rows.map(({ position, reasonKey, rows }) => [`${position} ${reasonKey}`, rows]));
}

/** The number of rows of all imports in each state, by kind. Rows whose shipment is superseded count as open. */
export async function countRejectedRows(
  organisationId: string,
  pool: Pick<Pool, "query">,
): Promise<Readonly<Record<ImportKind, Readonly<Record<GroupState, number>>>>> {
  const counts = {
    shipments: { open: 0, submitted: 0, dismissed: 0 },
    activities: { open: 0, submitted: 0, dismissed: 0 },
  };
  const found = await pool.query<{ kind: ImportKind; state: GroupState; rows: number }>(
    groupStates
      .map(
        (state) =>
          `select kind, '${state}' as state, sum(${state})::float8 as rows from rejection_groups where organisation_id = $1 and ${state} > 0 group by kind`,
      )
      .join(" union all "),
    [organisationId],
  );
  for (const { kind, state, rows } of found.rows) counts[kind][state] = rows;
  return counts;
}
