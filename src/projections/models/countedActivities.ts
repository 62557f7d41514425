// Decides which accepted activities count. A reversed one does not. Of an activity and the rows that were pushed to correct it, the one
// pushed last that is not reversed counts. The totals follow, and `activity_changes` records every change with its time.
import type { PoolClient } from "pg";
import { numbersIn } from "../../domain/ranges.js";
import type { RecordedEventOn } from "../../events/codec.js";
import type { CompletedImport } from "../sortedBatch.js";
import { halfHourSql, instantSql, isCountedSql, maxCodeLength } from "../tables/activities.js";
import { changeCodeDays, codeDaysIn, codeDaysOfImport } from "./activityCodes.js";
import type { Reversal } from "./reversals.js";

/** The event that changes what counts. */
interface Cause {
  readonly position: bigint;
  readonly at: string;
  /** The position of the import whose completion is the cause; null for a reversal. */
  readonly byImport: string | null;
}

interface ActivityKey {
  readonly position: string;
  readonly row: number;
}

/** Applies corrections and reversals in the order of the event log. Skips imports that correct nothing: their totals stand already. */
export async function updateCountedActivities(
  client: PoolClient,
  completed: readonly CompletedImport[],
  reversals: readonly Reversal[],
): Promise<void> {
  const steps = [
    ...completed
      .filter(({ facts }) => facts.isCorrection)
      .map((each) => ({ at: each.ending.position.commit, apply: () => countCorrections(client, each) })),
    ...reversals.map((each) => ({ at: each.position.commit, apply: () => uncountReversed(client, each) })),
  ].sort((one, other) => Number(one.at - other.at));
  for (const step of steps) await step.apply();
}

/** From now on the correcting import's rows count instead of the rows that they correct. */
async function countCorrections(client: PoolClient, { facts, ending }: CompletedImport): Promise<void> {
  const { rows } = await client.query<ActivityKey>(
    `insert into activity_corrections (import_position, "row", first_position, first_row)
     select correction.position, corrected.number, coalesce(earlier.first_position, parent.position), coalesce(earlier.first_row, corrected."row")
       from imports as correction
       join imports as parent on parent.import_id = (correction.corrects ->> 'importId')::uuid
      cross join lateral (select value::integer as "row", ordinality::integer as number
                            from jsonb_array_elements_text(correction.corrects -> 'rows') with ordinality) as corrected
       left join activity_corrections as earlier on earlier.import_position = parent.position and earlier."row" = corrected."row"
      where correction.position = $1
        and (earlier.import_position is not null or correction.corrects -> 'accepted' @> to_jsonb(corrected."row"))
     on conflict do nothing
     returning first_position::text as position, first_row as "row"`,
    [facts.position],
  );
  await recountChains(client, rows, { position: ending.position.commit, at: ending.data.at, byImport: facts.position });
}

async function uncountReversed(client: PoolClient, event: RecordedEventOn<"reversals">): Promise<void> {
  const { data, position } = event;
  const found = await client.query<{ position: string }>(
    "select position::text from imports where import_id = $1 and kind = 'activities'",
    [data.importId],
  );
  const importPosition = found.rows[0]?.position;
  if (importPosition === undefined) return;
  const cause = { position: position.commit, at: data.at, byImport: null };
  const reversedRows = data.rows === "all" ? null : numbersIn(data.rows);
  if (reversedRows === null) await reverseWholeImport(client, importPosition, cause);
  else await changeTotals(client, "-", await markReversed(client, importPosition, reversedRows, cause), cause);
  await recountChains(client, await firstActivitiesOf(client, importPosition, reversedRows), cause);
}

/** Marks the rows as reversed. Returns those that counted until now. */
async function markReversed(
  client: PoolClient,
  importPosition: string,
  rows: readonly number[],
  { position }: Cause,
): Promise<ActivityKey[]> {
  const counted = await client.query<ActivityKey>(
    `select import_position::text as position, "row" from activities a
      where import_position = $1 and "row" = any($2::integer[])
        and ${isCountedSql("a")}`,
    [importPosition, rows],
  );
  await client.query(
    `insert into uncounted_activities as u (import_position, "row", reversed_position)
     select import_position, "row", $3 from activities
      where import_position = $1 and "row" = any($2::integer[])
     on conflict (import_position, "row") do update set reversed_position = coalesce(u.reversed_position, excluded.reversed_position)`,
    [importPosition, rows, String(position)],
  );
  return counted.rows;
}

/** Removes what earlier reversals have left of the import's totals. Marks the import instead of its rows, which may be many. */
async function reverseWholeImport(client: PoolClient, importPosition: string, { position, at, byImport }: Cause): Promise<void> {
  await client.query(
    `insert into activity_changes (${totalKeyColumns}, ${causeColumns}, quantity, row_count, row_numbers)
     select ${totalKeyColumns}, $2, $3, $4::bigint, -quantity, -row_count, row_numbers from activity_totals where import_position = $1`,
    [importPosition, String(position), at, byImport],
  );
  const codeDays = await codeDaysOfImport(client, importPosition);
  await client.query("delete from activity_totals where import_position = $1", [importPosition]);
  await changeCodeDays(client, codeDays, "-");
  await client.query("insert into uncounted_imports (import_position, reversed_position) values ($1, $2) on conflict do nothing", [
    importPosition,
    String(position),
  ]);
}

/** The first activity of each chain of corrections that has one of these rows of the import. `rows` is null for all rows. */
async function firstActivitiesOf(client: PoolClient, importPosition: string, rows: readonly number[] | null): Promise<ActivityKey[]> {
  const found = await client.query<ActivityKey>(
    `select distinct first_position::text as position, first_row as "row" from activity_corrections
      where (import_position = $1 and ($2::integer[] is null or "row" = any($2)))
         or (first_position = $1 and ($2::integer[] is null or first_row = any($2)))`,
    [importPosition, rows],
  );
  return found.rows;
}

interface CountedState extends ActivityKey {
  readonly isReversed: boolean;
  readonly wasReplaced: boolean;
  /** The row that counts instead; null if this one counts, and for a reversed row. */
  readonly byPosition: string | null;
  readonly byRow: number | null;
}

/** Decides for each first activity and its corrections which one counts, and changes the totals accordingly. */
async function recountChains(client: PoolClient, firstActivities: readonly ActivityKey[], cause: Cause): Promise<void> {
  if (firstActivities.length === 0) return;
  const { rows } = await client.query<CountedState>(countedStatesSql, keyColumns(firstActivities));
  const changed = rows.filter(({ wasReplaced, byPosition }) => wasReplaced || byPosition !== null);
  if (changed.length === 0) return;
  await client.query(
    `insert into uncounted_activities as u (import_position, "row", replaced_by_position, replaced_by_row)
     select * from unnest($1::bigint[], $2::integer[], $3::bigint[], $4::integer[])
     on conflict (import_position, "row") do update set replaced_by_position = excluded.replaced_by_position, replaced_by_row = excluded.replaced_by_row`,
    [...keyColumns(changed), changed.map(({ byPosition }) => byPosition), changed.map(({ byRow }) => byRow)],
  );
  await client.query(
    `delete from uncounted_activities u using unnest($1::bigint[], $2::integer[]) as changed (import_position, "row")
      where u.import_position = changed.import_position and u."row" = changed."row"
        and u.reversed_position is null and u.replaced_by_position is null`,
    keyColumns(changed),
  );
  const newlyReplaced = changed.filter(({ wasReplaced }) => !wasReplaced);
  const countingAgain = changed.filter(({ byPosition, isReversed }) => byPosition === null && !isReversed);
  await changeTotals(client, "-", newlyReplaced, cause);
  await changeTotals(client, "+", countingAgain, cause);
}

const keyColumns = (keys: readonly ActivityKey[]) => [keys.map(({ position }) => position), keys.map(({ row }) => row)];

const countedStatesSql = `
  with firsts as (select distinct * from unnest($1::bigint[], $2::integer[]) as first (first_position, first_row)),
  members as (
    select first_position, first_row, first_position as position, first_row as "row" from firsts
    union all
    select first_position, first_row, c.import_position, c."row" from firsts join activity_corrections c using (first_position, first_row)),
  accepted as (
    select members.*, u.replaced_by_position is not null as replaced,
           u.reversed_position is not null or exists (select from uncounted_imports whole where whole.import_position = members.position) as reversed
      from members
      join activities a on a.import_position = members.position and a."row" = members."row"
      left join uncounted_activities u on u.import_position = members.position and u."row" = members."row"),
  counting as (
    select distinct on (first_position, first_row) first_position, first_row, position, "row" from accepted where not reversed
     order by first_position, first_row, position desc)
  select accepted.position::text as position, accepted."row", reversed as "isReversed", replaced as "wasReplaced",
         case when not reversed and counting.position <> accepted.position then counting.position::text end as "byPosition",
         case when not reversed and counting.position <> accepted.position then counting."row" end as "byRow"
    from accepted left join counting using (first_position, first_row)`;

const totalKeyColumns = "organisation_id, customer_id, warehouse_code, charge_code, half_hour, import_position";
const causeColumns = "changed_position, changed_at, by_import";

/** SQL for the sums of the rows by the columns of the totals. A row whose time Postgres cannot read is in no total. */
const summedRowsSql = `
  select i.organisation_id, left(coalesce(a.customer_id, ''), ${maxCodeLength}) as customer_id, left(a.warehouse_code, ${maxCodeLength}) as warehouse_code,
         left(a.charge_code, ${maxCodeLength}) as charge_code, timed.half_hour, a.import_position, sum(a.quantity) as quantity, max(a.quantity) as largest,
         count(*)::integer as row_count, array_agg(a."row" order by a."row") as row_numbers
    from unnest($1::bigint[], $2::integer[]) as named (import_position, "row")
    join activities a on a.import_position = named.import_position and a."row" = named."row"
    join imports i on i.position = a.import_position
   cross join lateral (select ${halfHourSql(instantSql("a.activity_timestamp"))} as half_hour) as timed
   where timed.half_hour is not null
   group by 1, 2, 3, 4, 5, 6`;

const sameEntrySql = totalKeyColumns
  .split(", ")
  .map((column) => `t.${column} = changed.${column}`)
  .join(" and ");

const addRowsSql = `
  insert into activity_totals as t (${totalKeyColumns}, quantity, largest, row_count, row_numbers)
  ${summedRowsSql}
  on conflict (${totalKeyColumns}) do update
     set quantity = t.quantity + excluded.quantity, largest = greatest(t.largest, excluded.largest), row_count = t.row_count + excluded.row_count,
         row_numbers = array(select n from unnest(t.row_numbers || excluded.row_numbers) as n order by 1)`;

const subtractRowsSql = `
  update activity_totals t
     set quantity = t.quantity - changed.quantity, row_count = t.row_count - changed.row_count,
         row_numbers = array(select left_over from (select unnest(t.row_numbers) except select unnest(changed.row_numbers)) as n (left_over) order by 1),
         largest = case when changed.largest < t.largest then t.largest else
           (select max(a.quantity) from activities a where a.import_position = t.import_position
             and a."row" = any(t.row_numbers) and not a."row" = any(changed.row_numbers)) end
    from (${summedRowsSql}) as changed where ${sameEntrySql}`;

/** Adds the rows to the totals or subtracts them, and records the change in `activity_changes`. */
async function changeTotals(
  client: PoolClient,
  sign: "+" | "-",
  rows: readonly ActivityKey[],
  { position, at, byImport }: Cause,
): Promise<void> {
  if (rows.length === 0) return;
  const keys = keyColumns(rows);
  await client.query(sign === "+" ? addRowsSql : subtractRowsSql, keys);
  await client.query("delete from activity_totals where import_position = any($1::bigint[]) and row_count = 0", [keys[0]]);
  await changeCodeDays(client, await codeDaysIn(client, summedRowsSql, keys), sign);
  await client.query(
    `insert into activity_changes (${totalKeyColumns}, quantity, row_count, row_numbers, ${causeColumns})
     select ${totalKeyColumns}, ${sign}quantity, ${sign}row_count, row_numbers, $3, $4, $5::bigint from (${summedRowsSql}) as changed`,
    [...keys, String(position), at, byImport],
  );
}
