// An organisation's waiting line. A place is reserved before ImportRequested is appended and given back by the worker at the
// end, so that the depth is exact however many processes push at once.
import type { Pool } from "pg";
import { Rejection } from "../domain/rejection.js";

export const importQueuedChannel = "import_queued";

export async function reservePlace(pool: Pool, place: { organisationId: string; importId: string; depth: number }): Promise<void> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(hashtextextended('import queue ' || $1, 0))", [place.organisationId]);
    const inserted = await client.query(
      `insert into import_queue (import_id, organisation_id)
       select $2, $1
       where (select count(*) from import_queue where organisation_id = $1) < $3
       on conflict (import_id) do nothing
       returning import_id`,
      [place.organisationId, place.importId, place.depth],
    );
    if (inserted.rowCount === 0) {
      const mine = await client.query("select 1 from import_queue where import_id = $1", [place.importId]);
      if (mine.rowCount === 0) {
        throw new Rejection(
          "queueFull",
          `Too many imports are already queued (at most ${place.depth}). Wait for one to finish and send this again.`,
        );
      }
    }
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** The import is in its stream: from now on a worker may take it. */
export async function confirmPlace(pool: Pool, importId: string, position: bigint): Promise<void> {
  await pool.query(
    `with confirmed as (update import_queue set position = $2 where import_id = $1 and position is null returning 1)
     select pg_notify('${importQueuedChannel}', '') from confirmed`,
    [importId, position],
  );
}

export async function releasePlace(pool: Pool, importId: string): Promise<void> {
  await pool.query("delete from import_queue where import_id = $1 and position is null", [importId]);
}
