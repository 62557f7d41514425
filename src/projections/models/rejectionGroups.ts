// Counts of rejected rows by import, reason and state. They are made when an import completes. After that only the rows whose state a batch
// changes are counted again, however many rows an import has.
import type { PoolClient } from "pg";
import type { SortedBatch } from "../sortedBatch.js";
import { closedRowsSql, keptStateSql, reasonOfJoinedSql, reasonSql, withdrawnSql } from "../tables/rejectionGroups.js";

export interface RejectedRowRef {
  readonly importId: string;
  readonly row: number;
}

/** Follows the rows whose states a batch changes, so that their groups are counted once, at its end. */
export interface StateChanges {
  /** Is called before the states of these rows may change. */
  begin(rows: readonly RejectedRowRef[]): Promise<void>;
  /** The open rows of this import are withdrawn. They may be too many to name. */
  withdraw(importId: string): void;
  /** Moves the rows between the counts. */
  count(): Promise<void>;
  /** Last, since a group of a withdrawn import may be counted in the same batch. */
  closeWithdrawn(): Promise<void>;
}

const keyOf = ({ importId, row }: RejectedRowRef): string => `${importId} ${row}`;

export function createStateChanges(client: PoolClient): StateChanges {
  const before = new Map<string, RowInState>();
  const withdrawn = new Set<string>();
  return {
    async begin(rows) {
      const fresh = new Map(rows.flatMap((row) => (before.has(keyOf(row)) ? [] : [[keyOf(row), row]])));
      for (const row of await statesOf(client, [...fresh.values()])) before.set(keyOf(row), row);
    },
    withdraw(importId) {
      withdrawn.add(importId);
    },
    async count() {
      const after = await statesOf(client, [...before.values()]);
      const moved = after.map(({ state, ...row }) => ({ ...row, was: before.get(keyOf(row))?.state, is: state }));
      await moveBetweenStates(
        client,
        moved.filter(({ was, is }) => was !== is),
      );
    },
    async closeWithdrawn() {
      if (withdrawn.size > 0)
        await client.query("update rejection_groups set open = 0 where import_id = any($1::uuid[])", [[...withdrawn]]);
    },
  };
}

type RowInState = RejectedRowRef & { readonly state: string };

async function statesOf(client: PoolClient, rows: readonly RejectedRowRef[]): Promise<RowInState[]> {
  if (rows.length === 0) return [];
  const found = await client.query<RowInState>(
    `select r."importId", r."row", coalesce(${keptStateSql('r."importId"', 'r."row"')}, ${withdrawnSql('r."importId"')}, 'open') as state
       from unnest($1::uuid[], $2::integer[]) as r ("importId", "row")`,
    [rows.map(({ importId }) => importId), rows.map(({ row }) => row)],
  );
  return found.rows;
}

async function moveBetweenStates(
  client: PoolClient,
  moved: readonly (RejectedRowRef & { readonly was: string | undefined; readonly is: string })[],
): Promise<void> {
  if (moved.length === 0) return;
  await client.query(
    `update rejection_groups g set open = g.open + d.open, submitted = g.submitted + d.submitted, dismissed = g.dismissed + d.dismissed,
            corrected = g.corrected + d.corrected
       from (select moved."importId", md5(${reasonSql("r")}) as reason_key, ${["open", "submitted", "dismissed", "corrected"].map(moves).join()}
               from jsonb_to_recordset($1) as moved ("importId" uuid, "row" integer, was text, "is" text)
               join rejections r on r."row" = moved."row" and r.import_position =
                    (select import_position from rejection_groups where import_id = moved."importId" limit 1)
              group by 1, 2) as d
      where g.import_id = d."importId" and g.reason_key = d.reason_key`,
    [JSON.stringify(moved)],
  );
}

const moves = (state: string) =>
  `(count(*) filter (where "is" = '${state}') - count(*) filter (where was = '${state}'))::integer as ${state}`;

/** Only a completed import has rows that can be corrected. */
export async function countCompleted(client: PoolClient, { endings }: SortedBatch): Promise<void> {
  for (const { facts, ended } of endings) {
    if (!facts || ended?.type !== "ImportCompleted" || ended.data.counts.failed === 0) continue;
    const { importId, position, organisationId, kind } = facts;
    await client.query(
      `insert into rejection_groups (import_id, reason_key, organisation_id, kind, import_position, reason, rows, open, submitted, dismissed, corrected)
       select $1, md5(reason), $3, $4, $2, reason, sum(rows), sum(open), sum(submitted), sum(dismissed), sum(corrected)
         from (select ${reasonOfJoinedSql} as reason, count(*) as rows, count(*) filter (where t.state is null) as open,
                      count(*) filter (where t.state = 'submitted') as submitted, count(*) filter (where t.state = 'dismissed') as dismissed,
                      count(*) filter (where t.state = 'corrected') as corrected
                 from rejections r left join rejections lead on lead.import_position = $2 and lead."row" = r.lead
                 left join (${closedRowsSql("$1::uuid")}) as t on t."row" = r."row"
                where r.import_position = $2 group by lead.error, r.error) as by_error
        group by reason
       on conflict (import_id, reason_key) do update
         set rows = excluded.rows, open = excluded.open, submitted = excluded.submitted, dismissed = excluded.dismissed,
             corrected = excluded.corrected`,
      [importId, position, organisationId, kind],
    );
  }
}
