// The turns of the organisations: which worker runs which import, by a lease. All times are by the database's clock. Every statement locks the
// row of organisation_turns before that of import_queue, so that they cannot deadlock.
import type { Pool } from "pg";
import { finds } from "../../../ports/database.js";
import { hasEndedSql, showStartedSql } from "../../../projections/importRow.js";
import { isUnqueuedSql } from "./places.js";

/** The right to run one import of an organisation, until the lease ends. */
export interface Turn {
  readonly organisationId: string;
  readonly importId: string;
  /** Commit position of ImportRequested, as text. */
  readonly position: string;
  /** Whether it may start: a worker has started it before, or the tables know of nothing that may be older. */
  readonly mayStart: boolean;
  /** Unique for each turn, so that a worker whose lease has ended cannot renew a later turn of the same import. */
  readonly holder: string;
  /** By the database's clock. */
  readonly claimedAt: Date;
  /** The organisation's newest catalogue at that time. */
  readonly catalogueVersion: number;
  readonly cancelRequested: boolean;
  /** The stored progress, which never decreases. */
  readonly progress: number;
  /** How many turns the import has had since its last acknowledged append. */
  readonly attempts: number;
  /** Other organisations wait for a turn. */
  readonly more: boolean;
}

export const leaseMs = 10_000;

/** Chooses, of the organisations that the tables have, the one served longest ago, and of its imports the started one, else the oldest. */
export async function claimTurn(pool: Pool, holder: string): Promise<Turn | undefined> {
  const turn = await claim(pool, holder);
  if (turn) return turn;
  const { rowCount } = await pool.query(
    `insert into organisation_turns (organisation_id)
     select distinct organisation_id from import_queue q
      where position is not null and not exists (select 1 from organisation_turns t where t.organisation_id = q.organisation_id)
     on conflict do nothing`,
  );
  return rowCount ? claim(pool, holder) : undefined;
}

/**
 * A push recorded before this one has also reserved its place before it, so one look decides `mayStart`. It finds places without a position (not
 * confirmed yet) and unfinished imports without a place (a restored database).
 */
async function claim(pool: Pool, holder: string): Promise<Turn | undefined> {
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
               coalesce(counted.started, false) as "mayStart", t.worker as holder, clock_timestamp() as "claimedAt",
               c.catalogue_version as "catalogueVersion",
               coalesce(counted.cancel_requested, false) as "cancelRequested", coalesce(counted.attempts, 1) as attempts,
               coalesce(counted.progress, 0) as progress, (select count(*) from due) > 1 as more`,
    [holder, leaseMs],
  );
  return claimed.rows[0];
}

/** Whether an import of any organisation waits for a turn or has one: it may be due at any time, by its lease or its delay. */
export const isAnyImportQueued = (pool: Pool): Promise<boolean> =>
  finds(pool, "select from import_queue where position is not null limit 1", []);

/** What a heartbeat tells. */
export interface Heartbeat {
  /** From 0 to 99. */
  readonly progress: number;
  /** An append was acknowledged since the last heartbeat: the count of attempts begins anew, since a later error is not the same one again. */
  readonly headway: boolean;
  /** How many rows the file has: with the rows that the tables have it tells readers the progress. */
  readonly allRows?: number | undefined;
  /** When ImportStarted was recorded. Left out for a small import: the projector shows it. */
  readonly startedAt?: Date | undefined;
}

/**
 * Renews the lease. If the import's queue place is gone and the table shows its end, it was cancelled and the stream says so. If the place is
 * gone without that, the queue was lost, and the place is inserted again.
 */
export async function renewTurn(pool: Pool, turn: Turn, { progress, headway, allRows, startedAt }: Heartbeat) {
  const beat = await pool.query<{ kept: boolean; cancelRequested: boolean }>(
    `/* prepared */ with beat as (
       select * from jsonb_to_record($1) as beat ("organisationId" text, holder text, "importId" uuid, position bigint, progress integer, headway boolean,
         "allRows" integer, "startedAt" timestamptz)
     ), kept as (
       update organisation_turns t set expires_at = now() + make_interval(secs => $2 / 1000.0) from beat
        where t.organisation_id = beat."organisationId" and t.worker = beat.holder returning 1
     ), noted as (
       update import_queue q set progress = greatest(q.progress, beat.progress), all_rows = coalesce(beat."allRows", q.all_rows),
              attempts = case when beat.headway then 0 else attempts end
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
    [JSON.stringify({ ...turn, progress, headway, allRows, startedAt }), leaseMs],
  );
  return beat.rows[0] ?? { kept: false, cancelRequested: false };
}

/** Gives the turn back with the import unfinished. With `blameless` the turn does not count as an attempt. */
export async function postponeTurn(pool: Pool, turn: Turn, delayMs: number, blameless: boolean): Promise<void> {
  await pool.query(
    `/* prepared */ with released as (
       update organisation_turns set worker = null, import_id = null, expires_at = null where organisation_id = $1 and worker = $2 returning 1
     )
     update import_queue set not_before = now() + make_interval(secs => $4 / 1000.0),
                             attempts = greatest(0, attempts - case when $5 then 1 else 0 end)
      where import_id = $3 and exists (select 1 from released)`,
    [turn.organisationId, turn.holder, turn.importId, delayMs, blameless],
  );
}
