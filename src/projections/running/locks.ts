// Advisory locks that let one process at a time run the projector, the webhook follower, a rebuild or an audit.
import { setTimeout as pause } from "node:timers/promises";
import type { ClientBase } from "pg";
import { backOffMs } from "../../backOff.js";
import type { ProjectionDeps } from "../projection.js";

/** Arbitrary numbers that no other advisory lock of this database uses. */
const lockNumbers = { projector: 7_241_002, rebuild: 7_241_003, "webhook follower": 7_241_004, audit: 7_241_005 } as const;
const standbyMs = 500;

/** Switches off time limits that the session, the user or the database may set. Not every version of Postgres has all three settings. */
const disableTimeLimitsSql = `select set_config(name, '0', true) from pg_settings
  where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

async function beginWithoutLimits(client: ClientBase): Promise<void> {
  await client.query(`begin; ${disableTimeLimitsSql}`);
}

/** Runs `work` in a transaction on the client, without time limits. */
export async function inTransaction<Result>(client: ClientBase, work: () => Promise<Result>): Promise<Result> {
  await beginWithoutLimits(client);
  try {
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/**
 * Takes an advisory lock that lasts until `rollback` or until the connection is lost; false if another process holds it. An open
 * transaction holds the lock, not the session: behind a pooler in transaction mode other clients use the same session. While idle, the
 * transaction has no snapshot, so it does not hold back vacuum.
 */
export async function tryLock(client: ClientBase, lock: keyof typeof lockNumbers): Promise<boolean> {
  await beginWithoutLimits(client);
  // The number is not a parameter: a statement with one keeps its snapshot until the next statement.
  const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_xact_lock(${lockNumbers[lock]}) as taken`);
  if (rows[0]?.taken) return true;
  await client.query("rollback");
  return false;
}

interface LockDeps extends Pick<ProjectionDeps, "pool" | "logger" | "signal"> {
  /** Also the name, in messages, of what may run in only one process at a time. */
  readonly lock: "projector" | "webhook follower";
}

/** Waits for the lock, then runs `work`. `active` aborts with the signal, and when the connection that holds the lock is lost. */
export async function whileActive({ pool, logger, signal, lock }: LockDeps, work: (active: AbortSignal) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  const connectionLost = new AbortController();
  const onLost = () => connectionLost.abort();
  client.on("error", onLost);
  client.on("end", onLost);
  try {
    let standingBy = false;
    while (!signal.aborted && !(await tryLock(client, lock))) {
      if (!standingBy) logger.info(`another ${lock} is active, standing by`);
      standingBy = true;
      await pause(standbyMs, undefined, { signal }).catch(() => undefined);
    }
    if (signal.aborted) return;
    logger.info(`${lock} active`);
    await work(AbortSignal.any([signal, connectionLost.signal]));
    if (connectionLost.signal.aborted && !signal.aborted) throw new Error(`the connection that held the ${lock}'s lock was lost`);
  } finally {
    client.off("error", onLost);
    client.off("end", onLost);
    // Ends the transaction that holds the lock, if possible: the server notices a closed connection only a moment later.
    if (!connectionLost.signal.aborted) await client.query("rollback").catch(() => undefined);
    client.release(true);
  }
}

/** Repeats `whileActive` until the signal aborts, with a back-off after each failure. `work` calls `noteProgress` to reset the back-off. */
export async function keepActive(
  options: LockDeps,
  work: (active: AbortSignal, noteProgress: () => void) => Promise<void>,
  onFailure: (error: unknown, failures: number) => void | Promise<void>,
): Promise<void> {
  const { signal } = options;
  let failures = 0;
  const noteProgress = () => {
    failures = 0;
  };
  while (!signal.aborted) {
    try {
      await whileActive(options, (active) => work(active, noteProgress));
    } catch (error) {
      failures += 1;
      await onFailure(error, failures);
      await pause(backOffMs(failures, { firstMs: 200, maxMs: 5_000 }), undefined, { signal }).catch(() => undefined);
    }
  }
}
