// Counts of rejected rows by import, reason and state. They are made when an import completes. After that only the rows whose state a batch
// changes are counted again, however many rows an import has.
import type { PoolClient } from "pg";
import type { RecordedOn } from "../../events/codec.js";
import type { SortedBatch } from "../sortedBatch.js";
import { keptStateSql, reasonOfJoinedSql, reasonSql, touchedRowsSql } from "../tables/rejectionGroups.js";

interface RowOf {
  readonly importId: string;
  readonly row: number;
}

type States = ReadonlyMap<string, string>;

const keyOf = ({ importId, row }: RowOf): string => `${importId} ${row}`;

/** Every row whose state the batch may change. */
export async function touchedRows(
  client: PoolClient,
  { imports, endings }: SortedBatch,
  events: readonly RecordedOn<"corrections">[],
): Promise<RowOf[]> {
  const rows = new Map<string, RowOf>();
  const add = (importId: string, numbers: readonly number[]) => {
    for (const row of numbers) rows.set(keyOf({ importId, row }), { importId, row });
  };
  for (const { requested } of imports) {
    const corrects = requested?.data.corrects;
    if (corrects) add(corrects.importId, corrects.rows);
  }
  for (const { data } of events) {
    add(data.importId, data.rows);
    if ("refused" in data) {
      for (const { row, correctionRow } of data.refused) {
        add(data.importId, [row]);
        add(data.correction, [correctionRow]);
      }
    }
  }
  if (endings.length > 0) {
    const ended = await client.query<RowOf>(
      `select import_id as "importId", "row" from row_corrections where correction_id = any($1::uuid[])`,
      [endings.map(({ importId }) => importId)],
    );
    for (const { importId, row } of ended.rows) add(importId, [row]);
  }
  return [...rows.values()];
}

export async function statesOf(client: PoolClient, rows: readonly RowOf[]): Promise<States> {
  if (rows.length === 0) return new Map();
  const found = await client.query<RowOf & { state: string }>(
    `select r."importId", r."row", coalesce(${keptStateSql('r."importId"', 'r."row"')}, 'open') as state
       from unnest($1::uuid[], $2::integer[]) as r ("importId", "row")`,
    [rows.map(({ importId }) => importId), rows.map(({ row }) => row)],
  );
  return new Map(found.rows.map((row) => [keyOf(row), row.state]));
}

export async function moveBetweenStates(client: PoolClient, rows: readonly RowOf[], before: States): Promise<void> {
  const after = await statesOf(client, rows);
  const moved = rows.flatMap(({ importId, row }) => {
    const [was, is] = [before.get(keyOf({ importId, row })), after.get(keyOf({ importId, row }))];
    return was === is ? [] : [{ importId, row, was, is }];
  });
  if (moved.length === 0) return;
  await client.query(
    `update rejection_groups g set open = g.open + d.open, submitted = g.submitted + d.submitted, dismissed = g.dismissed + d.dismissed
       from (select moved."importId", md5(${reasonSql("r")}) as reason_key, ${["open", "submitted", "dismissed"].map(moves).join()}
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
      `insert into rejection_groups (import_id, reason_key, organisation_id, kind, import_position, reason, rows, open, submitted, dismissed)
       select $1, md5(reason), $3, $4, $2, reason, sum(rows), sum(open), sum(submitted), sum(dismissed)
         from (select ${reasonOfJoinedSql} as reason, count(*) as rows, count(*) filter (where t.state is null) as open,
                      count(*) filter (where t.state = 'submitted') as submitted, count(*) filter (where t.state = 'dismissed') as dismissed
                 from rejections r left join rejections lead on lead.import_position = $2 and lead."row" = r.lead
                 left join (${touchedRowsSql("$1::uuid")}) as t on t."row" = r."row"
                where r.import_position = $2 group by lead.error, r.error) as by_error
        group by reason
       on conflict (import_id, reason_key) do update
         set rows = excluded.rows, open = excluded.open, submitted = excluded.submitted, dismissed = excluded.dismissed`,
      [importId, position, organisationId, kind],
    );
  }
}
