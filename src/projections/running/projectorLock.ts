import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import type { Logger } from "pino";
import { tryHold } from "./heldLock.js";

/** Any numbers that no other advisory lock of this database uses. */
const locks = { projector: 7_241_002, "webhook follower": 7_241_004 } as const;
const standbyMs = 500;

interface Active {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** For each role one process is active at a time. */
  readonly role?: keyof typeof locks;
}

/** Waits for the role's lock, then runs `work` until the signal aborts or the connection that holds the lock is lost. */
export async function whileActive(
  { pool, logger, signal, role = "projector" }: Active,
  work: (active: AbortSignal) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onLost = () => lost.abort();
  client.on("error", onLost);
  client.on("end", onLost);
  try {
    let standingBy = false;
    while (!signal.aborted && !(await tryHold(client, locks[role]))) {
      if (!standingBy) logger.info(`another ${role} is active, standing by`);
      standingBy = true;
      await pause(standbyMs, undefined, { signal }).catch(() => undefined);
    }
    if (signal.aborted) return;
    logger.info(`${role} active`);
    await work(AbortSignal.any([signal, lost.signal]));
    if (lost.signal.aborted && !signal.aborted) throw new Error(`the connection that held the ${role}'s lock was lost`);
  } finally {
    client.off("error", onLost);
    client.off("end", onLost);
    // Ends the transaction that holds the lock, if it can: the server notices a closed connection only a moment later.
    if (!lost.signal.aborted) await client.query("rollback").catch(() => undefined);
    client.release(true);
  }
}
