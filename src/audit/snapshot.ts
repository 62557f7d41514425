import type { Pool, PoolClient } from "pg";
import type { Position } from "../ports.js";

/** The projections as they were at one moment, at one position of the log. */
export interface Snapshot {
  readonly client: PoolClient;
  readonly position: Position;
}

/** The projections are not at one position: nothing can be held against them yet. */
export class NotComparable extends Error {
  override readonly name = "NotComparable";
}

const compared = ["activities", "imports", "rejections", "shipments"];
const tables = "imports, rejections, activities, shipment_lines, shipments, checkpoints";

/** Holds the tables in place: a rebuild waits with its swap until the audit is done. */
export async function withSnapshot<Result>(pool: Pool, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
    await client.query(`begin isolation level repeatable read read only; lock table ${tables} in access share mode`);
    return await work({ client, position: await positionOf(client) });
  } finally {
    // Ends the transaction too, and leaves no changed setting in the pool.
    client.release(true);
  }
}

async function positionOf(client: PoolClient): Promise<Position> {
  const { rows } = await client.query<{ commit: string; prepare: string }>(
    "select distinct commit, prepare from checkpoints where projection = any($1)",
    [compared],
  );
  const [only, another] = rows;
  if (!only) throw new NotComparable("the projections have not been built yet: start the projector, or run `projections rebuild`");
  if (another) throw new NotComparable("the projections stand at different positions: let the projector catch up and try again");
  return { commit: BigInt(only.commit), prepare: BigInt(only.prepare) };
}

const rowsPerFetch = 5_000;

/** Rows as arrays of columns, however many there are, in memory for a few thousand. */
export async function* readRows(client: PoolClient, query: string, values: readonly unknown[] = []): AsyncGenerator<unknown[]> {
  await client.query(`declare audited no scroll cursor for ${query}`, [...values]);
  try {
    for (;;) {
      const { rows } = await client.query<unknown[]>({ text: `fetch ${rowsPerFetch} from audited`, rowMode: "array" });
      yield* rows;
      if (rows.length < rowsPerFetch) return;
    }
  } finally {
    await client.query("close audited");
  }
}
