import type pg from "pg";
import { asDatabaseError } from "./errors.js";

/** Runs `work` in a transaction. If the rollback fails as well, the connection is closed. */
export async function transaction<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch((failure: Error) => {
      broken = failure;
    });
    throw asDatabaseError(error);
  } finally {
    client.release(broken);
  }
}
