// The organisations' turns: a lease says which worker runs which import. All times are by the database's clock. Every statement locks the
// row of organisation_turns before that of import_queue, so that they cannot deadlock.
import type { Pool } from "pg";
import { hasRow } from "../../../ports/database.js";
import { hasEndedSql, showStartedSql } from "../../../projections/importRow.js";
import { isUnqueuedSql } from "./places.js";

/** The right to run one import of an organisation, until the lease ends. */
export interface Turn {
  readonly organisationId: string;
  readonly importId: string;
  /** Commit position of ImportRequested, as text. */
  readonly position: string;
  /** Whether the import is marked as started: in an earlier turn, or by this claim if the tables have no push that may be older. */
  readonly isMarkedStarted: boolean;
  /** Unique for each turn, so that a worker whose lease has ended cannot renew a later turn of the same import. */
  readonly holder: string;
  /** When the turn was claimed, by the database's clock. */
  readonly claimedAt: Date;
  /** The organisation's newest catalogue version at the claim. */
  readonly catalogueVersion: number;
  readonly cancelRequested: boolean;
  /** The stored progress in percent, which never decreases. */
  readonly progress: number;
  /** How many turns the import has had since its last acknowledged append, without those that failed for an outside cause. */
  readonly attempts: number;
  /** Whether other organisations wait for a turn. */
  readonly othersWait: boolean;
}

export const leaseMs = 10_000;

/** Claims a turn for the waiting organisation that was served longest ago, and for its started import, or else its oldest one. */
export async function claimTurn(pool: Pool, holder: string): Promise<Turn | undefined> {
  const turn = await claimDueTurn(pool, holder);
  if (turn) return turn;
  const { rowCount } = await pool.query(
    `insert into organisation_turns (organisation_id)
     select distinct organisation_id from import_queue q
      where position is not null and not exists (select 1 from organisation_turns t where t.organisation_id = q.organisation_id)
     on conflict do nothing`,
  );
  return rowCount ? claimDueTurn(pool, holder) : undefined;
}

/**
 * Claims a turn, and marks its import as started if no push is older. The statement sees all older pushes: they have reserved their places
 * before, perhaps without a position yet, or are unfinished imports without a place (after a restore of the database).
 */
async function claimDueTurn(pool: Pool, holder: string): Promise<Turn | undefined> {
  const claimed = await pool.query<Turn>(
    `/* prepared */ with oldest as (
       select distinct on (organisation_id) organisation_id, import_id, position, not_before
         from import_queue where position is not null order by organisation_id, started desc, position
     ), due as (
       select o.*, t.served_at, g.catalogue_version
         from oldest o join organisation_turns t on t.organisation_id = o.organisation_id join organisations g on g.id = o.organisation_id
        where (t.expires_at is null or t.expires_at <= now()) and (o.not_before is null or o.not_before <= now())
     ), chosen as (
       select t.organisation_id, due.import_id, due.position, due.catalogue_version
         from organisation_turns t join due on due.organisation_id = t.organisation_id
        where t.expires_at is null or t.expires_at <= now()
        order by t.served_at nulls first, due.position
        limit 1 for update of t skip locked
     ), older as (
       select from chosen c join import_queue q on q.organisation_id = c.organisation_id where q.position is null or q.position < c.position
       union all
       select from chosen c join imports i on i.organisation_id = c.organisation_id
        where i.status in ('queued', 'processing') and i.position < c.position and ${isUnqueuedSql}
     ), counted as (
       update import_queue q set attempts = q.attempts + 1, started = q.started or not exists (select from older)
         from chosen c where q.import_id = c.import_id
       returning q.import_id, q.attempts, q.progress, q.cancel_requested, q.started
     )
     update organisation_turns t
        set import_id = c.import_id, worker = $1, served_at = now(), expires_at = now() + make_interval(secs => $2 / 1000.0)
       from chosen c left join counted on counted.import_id = c.import_id
      where t.organisation_id = c.organisation_id
     returning t.organisation_id as "organisationId", t.import_id as "importId", c.position::text as position,
               coalesce(counted.started, false) as "isMarkedStarted", t.worker as holder, clock_timestamp() as "claimedAt",
               c.catalogue_version as "catalogueVersion",
               coalesce(counted.cancel_requested, false) as "cancelRequested", coalesce(counted.attempts, 1) as attempts,
               coalesce(counted.progress, 0) as progress, (select count(*) from due) > 1 as "othersWait"`,
    [holder, leaseMs],
  );
  return claimed.rows[0];
}

/** Whether an import of any organisation waits for a turn or has one. It may become due at any time, when a lease or a delay ends. */
export const isAnyImportQueued = (pool: Pool): Promise<boolean> =>
  hasRow(pool, "select from import_queue where position is not null limit 1", []);

export interface Heartbeat {
  /** The import's progress in percent, from 0 to 99. */
  readonly progress: number;
  /** Whether an append was acknowledged since the last heartbeat. If so, the count of attempts restarts: a later error is a new one. */
  readonly hasAppended: boolean;
  /** How many rows the file has. Readers compute the progress from this number and the rows in the tables. */
  readonly allRows?: number | undefined;
  /** When ImportStarted was recorded. Absent for a small import, whose start the projector shows. */
  readonly startedAt?: Date | undefined;
}

/** Renews the lease. An import without a place was cancelled if the table shows its end; otherwise its place was lost, and is restored. */
export async function renewTurn(pool: Pool, turn: Turn, { progress, hasAppended, allRows, startedAt }: Heartbeat) {
  const beat = await pool.query<{ kept: boolean; cancelRequested: boolean }>(
    `/* prepared */ with beat as (
       select * from jsonb_to_record($1) as beat ("organisationId" text, holder text, "importId" uuid, position bigint, progress integer, "hasAppended" boolean,
         "allRows" integer, "startedAt" timestamptz)
     ), kept as (
       update organisation_turns t set expires_at = now() + make_interval(secs => $2 / 1000.0) from beat
        where t.organisation_id = beat."organisationId" and t.worker = beat.holder returning 1
     ), noted as (
       update import_queue q set progress = greatest(q.progress, beat.progress), all_rows = coalesce(beat."allRows", q.all_rows),
              attempts = case when beat."hasAppended" then 0 else attempts end
         from beat where q.import_id = beat."importId" and exists (select 1 from kept) returning q.cancel_requested
     ), shown as (${showStartedSql(`(select "importId" from beat where "startedAt" is not null and exists (select from kept))`, `(select "startedAt" from beat)`)}
     ), ended as (
       select 1 from imports i join beat on i.import_id = beat."importId" where ${hasEndedSql("i")}
     ), restored as (
       insert into import_queue (import_id, organisation_id, position, progress, all_rows, started)
       select "importId", "organisationId", position, progress, "allRows", true from beat
        where exists (select 1 from kept) and not exists (select 1 from noted) and not exists (select 1 from ended)
       on conflict do nothing
     )
     select exists (select 1 from kept) as kept,
            coalesce((select cancel_requested from noted), exists (select 1 from ended)) as "cancelRequested"`,
    [JSON.stringify({ ...turn, progress, hasAppended, allRows, startedAt }), leaseMs],
  );
  return beat.rows[0] ?? { kept: false, cancelRequested: false };
}

/** Gives the turn back with the import unfinished. The import waits for `delayMs`. A blameless turn does not count as an attempt. */
export async function postponeTurn(pool: Pool, turn: Turn, delayMs: number, isBlameless: boolean): Promise<void> {
  await pool.query(
    `/* prepared */ with released as (
       update organisation_turns set worker = null, import_id = null, expires_at = null where organisation_id = $1 and worker = $2 returning 1
     )
     update import_queue set not_before = now() + make_interval(secs => $4 / 1000.0),
                             attempts = greatest(0, attempts - case when $5 then 1 else 0 end)
      where import_id = $3 and exists (select 1 from released)`,
    [turn.organisationId, turn.holder, turn.importId, delayMs, isBlameless],
  );
}
