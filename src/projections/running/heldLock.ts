import type { ClientBase } from "pg";

/** Switches off the time limits that the session, the user or the database may have. Not every version of Postgres has all three. */
const noTimeLimits = `select set_config(name, '0', true) from pg_settings
  where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Begins a transaction without time limits. */
export async function beginWithoutLimits(client: ClientBase): Promise<void> {
  await client.query(`begin; ${noTimeLimits}`);
}

/**
 * Takes an advisory lock that lasts until `rollback` or until the connection is lost. An open transaction holds it, not the session: behind
 * a pooler in transaction mode other clients use the same session. While idle the transaction has no snapshot, so it does not hold back
 * vacuum.
 */
export async function tryHold(client: ClientBase, lock: number): Promise<boolean> {
  await beginWithoutLimits(client);
  // Without a parameter: a statement with one keeps its snapshot until the next statement.
  const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_xact_lock(${lock}) as taken`);
  if (rows[0]?.taken) return true;
  await client.query("rollback");
  return false;
}
