import type { Pool, PoolClient } from "pg";
import type { EventStore, Position } from "../ports/eventStore.js";
import { compareEvidence } from "./compareEvidence.js";
import { gatherImport } from "./evidence/evidence.js";
import { createEvidenceWriter } from "./evidence/evidenceTables.js";
import { newFindings } from "./findings.js";

/** The tables cannot be compared now: their projections are not built, are at different positions, or have not reached the import. */
export class NotComparable extends Error {
  override readonly name = "NotComparable";
}

/** The projections whose tables are compared for one import. */
const comparedProjections = ["activities", "imports", "rejections", "shipments"];
const tablesToLock = "imports, rejections, activities, shipment_lines, checkpoints";

/**
 * Runs `work` in one transaction, which sees the projections' tables at one position of the event log. A lock on the tables makes a
 * rebuild's swap wait until the audit ends or is aborted.
 */
export async function withSnapshot<Result>(
  { pool, signal }: { pool: Pool; signal: AbortSignal },
  work: (snapshot: { readonly client: PoolClient; readonly position: Position }) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const client = await pool.connect();
  // Closing ends the transaction, fails a running statement, and keeps the changed settings out of the pool.
  const closeConnection = () => client.release(true);
  signal.addEventListener("abort", closeConnection, { once: true });
  let failure: Error | undefined; // kept, since the queries after it report only that the connection is closed
  client.on("error", (error) => {
    failure ??= error;
  });
  try {
    await client.query(
      "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set client_connection_check_interval = 1000",
    );
    await client.query(`begin isolation level repeatable read; lock table ${tablesToLock} in access share mode`);
    return await work({ client, position: await commonPosition(client) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw failure ? new Error(`the connection to the database was lost, run it again: ${failure.message}`, { cause: error }) : error;
  } finally {
    signal.removeEventListener("abort", closeConnection);
    if (!signal.aborted) closeConnection();
  }
}

async function commonPosition(client: PoolClient): Promise<Position> {
  const { rows } = await client.query<{ commit: string; prepare: string; projections: number }>(
    "select commit, prepare, count(*)::int as projections from checkpoints where projection = any($1) group by commit, prepare",
    [comparedProjections],
  );
  const [checkpoint, otherCheckpoint] = rows;
  const builtCount = rows.reduce((sum, { projections }) => sum + projections, 0);
  if (!checkpoint || builtCount < comparedProjections.length)
    throw new NotComparable("the projections have not been built yet: start the projector, or run `projections rebuild`");
  if (otherCheckpoint) throw new NotComparable("the projections stand at different positions: let the projector catch up and try again");
  return { commit: BigInt(checkpoint.commit), prepare: BigInt(checkpoint.prepare) };
}

/** Whether the tables agree with the stream, up to the position that the projections have reached. */
export type ImportComparison =
  | { readonly verdict: "agrees" }
  | { readonly verdict: "differs"; readonly differences: readonly string[]; readonly count: number }
  | { readonly verdict: "not comparable"; readonly why: string };

export async function compareImport(
  { pool, eventStore, signal }: { pool: Pool; eventStore: EventStore; signal: AbortSignal },
  importId: string,
): Promise<ImportComparison> {
  return withSnapshot({ pool, signal }, async ({ client, position }): Promise<ImportComparison> => {
    const isFound = await gatherImport(await createEvidenceWriter(client), importId, { eventStore, until: position, signal });
    if (!isFound) throw new NotComparable("the projection has not come to this import yet; try again once the projector has caught up");
    const findings = newFindings();
    await compareEvidence(client, { importOnly: true }, findings);
    if (findings.count === 0) return { verdict: "agrees" };
    return { verdict: "differs", differences: findings.first.map(({ sentence }) => sentence), count: findings.count };
  }).catch((error: unknown): ImportComparison => {
    if (error instanceof NotComparable) return { verdict: "not comparable", why: error.message };
    throw error;
  });
}
