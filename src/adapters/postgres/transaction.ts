import type pg from "pg";
import { asDatabaseError } from "./errors.js";

/** Commits what `work` did, or none of it. A connection whose fate is unknown is thrown away. */
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
