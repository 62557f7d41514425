import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import type { Logger } from "pino";

const lock = 7_241_002; // any number, as long as nothing else in this database locks the same one
const standbyMs = 500;

/** Waits for the one lock, then works until the signal aborts or the connection that holds the lock is lost. */
export async function whileActive(
  { pool, logger, signal }: { pool: Pool; logger: Logger; signal: AbortSignal },
  work: (active: AbortSignal) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onLost = () => lost.abort();
  client.on("error", onLost);
  client.on("end", onLost);
  try {
    let standingBy = false;
    while (!signal.aborted && !(await tryLock(client))) {
      if (!standingBy) logger.info("another projector is active, standing by");
      standingBy = true;
      await pause(standbyMs, undefined, { signal }).catch(() => undefined);
    }
    if (signal.aborted) return;
    logger.info("projector active");
    await work(AbortSignal.any([signal, lost.signal]));
    if (lost.signal.aborted && !signal.aborted) throw new Error("the connection that held the projector's lock was lost");
  } finally {
    client.off("error", onLost);
    client.off("end", onLost);
    // Given back by name where that is possible: the server notices a closed connection only a moment later.
    if (!lost.signal.aborted) await client.query("select pg_advisory_unlock_all()").catch(() => undefined);
    client.release(true);
  }
}

async function tryLock(client: { query: (sql: string, values: unknown[]) => Promise<{ rows: { taken: boolean }[] }> }): Promise<boolean> {
  const { rows } = await client.query("select pg_try_advisory_lock($1) as taken", [lock]);
  return rows[0]?.taken === true;
}
