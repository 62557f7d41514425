import type { ImportKind } from "../../events/importEvents.js";
import type { Database } from "../../ports/database.js";
import { countOpenRows, lookedUpRowsSql, type OpenRowCount } from "./openRows.js";

export const groupStates = ["open", "submitted", "corrected", "dismissed"] as const;
export type GroupState = (typeof groupStates)[number];

export interface RejectionGroup {
  readonly importId: string;
  readonly sourceDetails: string;
  readonly reasonKey: string;
  readonly reason: string;
  /** The number of rows in the requested state. With too many rows to look each up in the ledger, it includes superseded ones. */
  readonly rows: number;
}

export interface GroupFilter {
  readonly state: GroupState;
  readonly kind: ImportKind;
  readonly importId?: string | undefined;
}

/** Rejected rows of completed imports in one state, by import and reason, the latest import first. `more`: whether more groups exist. */
export async function groupRejections(
  organisationId: string,
  { state, kind, importId }: GroupFilter,
  max: number,
  database: Database,
): Promise<{ readonly groups: readonly RejectionGroup[]; readonly more: boolean }> {
  const sql = kind === "shipments" && state === "open" ? lookedUpCounts : projectedCounts(state);
  const { rows } = await database.query<RejectionGroup>(
    `${sql.with}
     select g.import_id as "importId", i.source_details as "sourceDetails", g.reason_key as "reasonKey", g.reason, ${sql.rows} as rows
       from rejection_groups g join imports i on i.import_id = g.import_id ${sql.join}
      where g.organisation_id = $1 and ($2::uuid is null or g.import_id = $2) and g.kind = $3 and g.${state} > 0 and ${sql.where}
      order by g.import_position desc, g.reason_key desc limit $4`,
    [organisationId, importId ?? null, kind, max + 1],
  );
  return { groups: rows.slice(0, max), more: rows.length > max };
}

/** Takes the counts from the projection. */
const projectedCounts = (state: GroupState) => ({ with: "", join: "", rows: `g.${state}`, where: "true" });

/** Takes the counts from looked-up rows, and leaves out groups without an open row. */
const lookedUpCounts = {
  with: `with ${lookedUpRowsSql}`,
  join: "left join looked l on l.position = g.import_position and l.reason_key = g.reason_key cross join looked_above",
  rows: "case when g.import_position > looked_above.position then l.open else g.open end",
  where: "(l.open > 0 or g.import_position <= looked_above.position)",
};

type StateCounts = Readonly<Record<GroupState, OpenRowCount>>;

/** The number of rejected rows by kind and state, of all imports or of one. */
export async function countRejectedRows(
  organisationId: string,
  importId: string | undefined,
  database: Database,
): Promise<Readonly<Record<ImportKind, StateCounts>>> {
  const sumSql = (state: GroupState) =>
    `(select coalesce(sum(${state}), 0)::float8 from rejection_groups
       where organisation_id = $1 and kind = each.kind and ${state} > 0 and ($2::uuid is null or import_id = $2)) as ${state}`;
  const [open, { rows }] = await Promise.all([
    countOpenRows(organisationId, importId, database),
    database.query<Record<Exclude<GroupState, "open">, number> & { readonly kind: ImportKind }>(
      `select kind, ${sumSql("submitted")}, ${sumSql("corrected")}, ${sumSql("dismissed")} from unnest(array['shipments', 'activities']) as each (kind)`,
      [organisationId, importId ?? null],
    ),
  ]);
  const counts = rows.map(({ kind, ...sums }) => [
    kind,
    { open: open[kind], ...Object.fromEntries(Object.entries(sums).map(([state, count]) => [state, { rows: count, atLeast: false }])) },
  ]);
  return Object.fromEntries(counts) as Record<ImportKind, StateCounts>;
}
