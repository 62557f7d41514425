import type { Pool } from "pg";

/** The right to run one import of an organisation, until the lease ends. */
export interface Turn {
  readonly organisationId: string;
  readonly importId: string;
  /** Commit position of ImportRequested, as text. */
  readonly position: string;
  /** A worker has started the import in an earlier turn. */
  readonly started: boolean;
  /** Unique for each turn, so that a worker whose lease has ended cannot renew a later turn of the same import. */
  readonly holder: string;
  /** By the database's clock. */
  readonly claimedAt: Date;
  readonly cancelRequested: boolean;
  /** The stored progress, which never decreases. */
  readonly progress: number;
  /** How many turns the import has had since its last acknowledged append. */
  readonly attempts: number;
}

export const leaseMs = 10_000;

/** Chooses the organisation that was served longest ago, and of its imports the started one, else the oldest. */
export async function claimTurn(pool: Pool, holder: string): Promise<Turn | undefined> {
  await pool.query(
    `insert into organisation_turns (organisation_id)
     select distinct organisation_id from import_queue q
      where position is not null and not exists (select 1 from organisation_turns t where t.organisation_id = q.organisation_id)
     on conflict do nothing`,
  );
  const claimed = await pool.query<Turn>(
    `with oldest as (
       select distinct on (organisation_id) organisation_id, import_id, position, started, not_before
         from import_queue where position is not null order by organisation_id, started desc, position
     ), chosen as (
       select t.organisation_id, o.import_id, o.position, o.started
         from organisation_turns t join oldest o on o.organisation_id = t.organisation_id
        where (t.expires_at is null or t.expires_at <= now())
          and (o.not_before is null or o.not_before <= now())
        order by t.served_at nulls first, o.position
        limit 1 for update of t skip locked
     ), counted as (
       update import_queue q set attempts = q.attempts + 1 from chosen c where q.import_id = c.import_id
       returning q.import_id, q.attempts, q.progress, q.cancel_requested
     )
     update organisation_turns t
        set import_id = c.import_id, worker = $1, served_at = now(), expires_at = now() + make_interval(secs => $2 / 1000.0)
       from chosen c left join counted on counted.import_id = c.import_id
      where t.organisation_id = c.organisation_id
     returning t.organisation_id as "organisationId", t.import_id as "importId", c.position::text as position, c.started, t.worker as holder, clock_timestamp() as "claimedAt",
               coalesce(counted.cancel_requested, false) as "cancelRequested", coalesce(counted.attempts, 1) as attempts, coalesce(counted.progress, 0) as progress`,
    [holder, leaseMs],
  );
  return claimed.rows[0];
}

/** Whether an import waits for a turn, or has one: it may be due at any time, by its lease or its delay. */
export async function isTurnWaiting(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ waiting: boolean }>("select exists (select from import_queue where position is not null) as waiting");
  return rows[0]?.waiting ?? false;
}

/** The answer to a heartbeat. */
export interface Kept {
  readonly kept: boolean;
  readonly cancelRequested: boolean;
}

/**
 * Renews the lease. If the import's queue place is gone and ended_imports has the import, it was cancelled and the stream says so. If
 * the place is gone without that, the queue was lost, and the place is inserted again.
 */
export async function keepTurn(pool: Pool, turn: Turn, progress: number, headway: boolean, allRows?: number): Promise<Kept> {
  const beat = await pool.query<Kept>(
    `with kept as (
       update organisation_turns set expires_at = now() + make_interval(secs => $3 / 1000.0)
        where organisation_id = $1 and worker = $2 returning 1
     ), noted as (
       update import_queue set progress = greatest(progress, $5), all_rows = coalesce($8::integer, all_rows), attempts = case when $6 then 0 else attempts end
        where import_id = $4 and exists (select 1 from kept) returning cancel_requested
     ), ended as (
       select 1 from ended_imports where import_id = $4
     ), restored as (
       insert into import_queue (import_id, organisation_id, position, progress, all_rows, started)
       select $4, $1, $7, $5, $8::integer, true
        where exists (select 1 from kept) and not exists (select 1 from noted) and not exists (select 1 from ended)
       on conflict do nothing
     )
     select exists (select 1 from kept) as kept,
            coalesce((select cancel_requested from noted), exists (select 1 from ended)) as "cancelRequested"`,
    [turn.organisationId, turn.holder, leaseMs, turn.importId, progress, headway, turn.position, allRows ?? null],
  );
  return beat.rows[0] ?? { kept: false, cancelRequested: false };
}

// Every statement here locks the row of organisation_turns before the row of import_queue, so that they cannot deadlock.

/** The import has ended in its stream: frees its place in the queue, so that the organisation's next import can start. */
export async function endTurn(pool: Pool, turn: Turn): Promise<void> {
  await pool.query(
    `with released as (
       update organisation_turns set worker = null, import_id = null, expires_at = null where organisation_id = $1 and worker = $2 returning 1
     ), freed as (
       delete from import_queue where import_id = $3 and (select count(*) from released) >= 0 returning kind, file_sha256
     )
     insert into ended_imports (import_id, organisation_id, position, kind, file_sha256)
     values ($3, $1, $4, (select kind from freed), (select file_sha256 from freed)) on conflict do nothing`,
    [turn.organisationId, turn.holder, turn.importId, turn.position],
  );
}

/** Gives the turn back with the import unfinished. With `blameless` the turn does not count as an attempt. */
export async function postponeTurn(pool: Pool, turn: Turn, delayMs: number, blameless: boolean): Promise<void> {
  await pool.query(
    `with released as (
       update organisation_turns set worker = null, import_id = null, expires_at = null where organisation_id = $1 and worker = $2 returning 1
     )
     update import_queue set not_before = now() + make_interval(secs => $4 / 1000.0),
                             attempts = greatest(0, attempts - case when $5 then 1 else 0 end)
      where import_id = $3 and exists (select 1 from released)`,
    [turn.organisationId, turn.holder, turn.importId, delayMs, blameless],
  );
}
