import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { createPool } from "../../../src/adapters/postgres/pool.js";

export interface TestDatabase {
  /** By a port, before which a proxy can stand. */
  readonly url: string;
  /** By a socket file, where there is one: a statement takes a sixth less processor time. */
  readonly socketUrl: string;
  readonly pool: pg.Pool;
  /** A pool of one connection, for tests whose statements must all use the same connection. */
  readonly one: pg.Pool;
  /** Ends the pools and drops the database; call it in afterAll. */
  close(): Promise<void>;
}

/** A migrated, empty database of the test file's own. `empty: true` gives one without any tables. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const server = new URL(inject("postgresUrl"));
  const name = `test_${randomBytes(6).toString("hex")}`;
  await asAdministrator(server, `create database ${name} template ${options.empty ? "template0" : "waybill"} strategy file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const socketUrl = url.href;
  url.searchParams.delete("host");
  const [pool, one] = [10, 1].map((max) => createPool({ url: socketUrl, applicationName: "test", max })) as [pg.Pool, pg.Pool];
  return {
    ...{ url: url.href, socketUrl, pool, one },
    close: async () => {
      await Promise.all([pool.end(), one.end()]);
      await asAdministrator(server, `drop database ${name} with (force)`);
    },
  };
}

async function asAdministrator(server: URL, statement: string): Promise<void> {
  const url = new URL(server);
  url.pathname = "/postgres";
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    // Only one clone can be made from a template at a time: test files take turns.
    await client.query("select pg_advisory_lock(1)");
    await client.query(statement);
  } finally {
    await client.end();
  }
}
