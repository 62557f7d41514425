import type { ClientBase } from "pg";

/** Such a transaction lasts as long as what it is for: no limit of the session, the user or the database ends it. Not every server has all three. */
const noTimeLimits = `select set_config(name, '0', true) from pg_settings
  where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Begins a transaction that may take as long as it likes. */
export async function beginWithoutLimits(client: ClientBase): Promise<void> {
  await client.query(`begin; ${noTimeLimits}`);
}

/**
 * Takes a lock that lasts until the connection is lost or `rollback` gives it back. It is held by a transaction that is left open and not by
 * the session: behind a pooler in transaction mode a session is anybody's, an open transaction is ours. Idle, it holds no
 * snapshot, and so keeps nothing from being vacuumed.
 */
export async function tryHold(client: ClientBase, lock: number): Promise<boolean> {
  await beginWithoutLimits(client);
  // No parameter: a statement that has one leaves its snapshot behind until the next statement.
  const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_xact_lock(${lock}) as taken`);
  if (rows[0]?.taken) return true;
  await client.query("rollback");
  return false;
}
