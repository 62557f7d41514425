import type { Pool, PoolClient } from "pg";
import type { EventStore, Position } from "../ports/eventStore.js";
import { compareEvidence } from "./compareEvidence.js";
import { gatherImport } from "./evidence/evidence.js";
import { createEvidence } from "./evidence/evidenceTables.js";
import { newFindings } from "./findings.js";

/** The projections are at different positions, or not built, so they cannot be compared with the event log now. */
export class NotComparable extends Error {
  override readonly name = "NotComparable";
}

/** The projections of one import's own tables, and these tables. */
const compared = ["activities", "imports", "rejections", "shipments"];
const tables = "imports, rejections, activities, shipment_lines, checkpoints";

/**
 * The projections' tables in one transaction, at one position of the event log. Locks the tables against a rebuild's swap, which waits until the audit
 * ends or is aborted.
 */
export async function withSnapshot<Result>(
  { pool, signal }: { pool: Pool; signal: AbortSignal },
  work: (snapshot: { readonly client: PoolClient; readonly position: Position }) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const client = await pool.connect();
  // Closes the connection, which ends the transaction and keeps the changed settings out of the pool. A running statement fails.
  const end = () => client.release(true);
  signal.addEventListener("abort", end, { once: true });
  let lost: Error | undefined; // kept, since later queries only report that the connection is closed
  client.on("error", (error) => {
    lost ??= error;
  });
  try {
    await client.query(
      "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set client_connection_check_interval = 1000",
    );
    await client.query(`begin isolation level repeatable read; lock table ${tables} in access share mode`);
    return await work({ client, position: await positionOf(client) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw lost ? new Error(`the connection to the database was lost, run it again: ${lost.message}`, { cause: error }) : error;
  } finally {
    signal.removeEventListener("abort", end);
    if (!signal.aborted) end();
  }
}

async function positionOf(client: PoolClient): Promise<Position> {
  const { rows } = await client.query<{ commit: string; prepare: string; projections: number }>(
    "select commit, prepare, count(*)::int as projections from checkpoints where projection = any($1) group by commit, prepare",
    [compared],
  );
  const [only, another] = rows;
  const built = rows.reduce((sum, { projections }) => sum + projections, 0);
  if (!only || built < compared.length)
    throw new NotComparable("the projections have not been built yet: start the projector, or run `projections rebuild`");
  if (another) throw new NotComparable("the projections stand at different positions: let the projector catch up and try again");
  return { commit: BigInt(only.commit), prepare: BigInt(only.prepare) };
}

/** Whether the tables agree with the stream, as far as the projection has come. */
export type ImportComparison =
  | { readonly verdict: "agrees" }
  | { readonly verdict: "differs"; readonly differences: readonly string[]; readonly count: number }
  | { readonly verdict: "not comparable"; readonly why: string };

export async function compareImport(
  { pool, eventStore, signal }: { pool: Pool; eventStore: EventStore; signal: AbortSignal },
  importId: string,
): Promise<ImportComparison> {
  return withSnapshot({ pool, signal }, async ({ client, position }): Promise<ImportComparison> => {
    const isThere = await gatherImport(await createEvidence(client), importId, { eventStore, until: position, signal });
    if (!isThere) throw new NotComparable("the projection has not come to this import yet; try again once the projector has caught up");
    const findings = newFindings();
    await compareEvidence(client, { only: "import" }, findings);
    if (findings.count === 0) return { verdict: "agrees" };
    return { verdict: "differs", differences: findings.first.map(({ sentence }) => sentence), count: findings.count };
  }).catch((error: unknown): ImportComparison => {
    if (error instanceof NotComparable) return { verdict: "not comparable", why: error.message };
    throw error;
  });
}
