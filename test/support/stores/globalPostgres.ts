// Runs once per vitest run: one throw-away Postgres with one migrated database that every test file clones.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { migrate } from "../../../src/adapters/postgres/migrate.js";
import { createPool } from "../../../src/adapters/postgres/pool.js";
import { startPostgres } from "../../../src/embedded/postgres/server.js";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startServer();
  try {
    const pool = createPool({ url, applicationName: "template" });
    await migrate(pool);
    await pool.end();
    project.provide("postgresUrl", url);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

/** Starts a Postgres, or uses the one at TEST_DATABASE_URL, which must have an empty database `waybill`. */
async function startServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given) return { url: given, stop: async () => undefined };
  const folder = await mkdtemp(join(process.env["TEST_STORES_FOLDER"] ?? tmpdir(), "postgres-"));
  const server = await startPostgres({ folder, durable: false });
  await cheapenPassword(server.url);
  const kill = () => process.kill(server.pid, "SIGQUIT"); // not SIGKILL, which leaves shared memory behind
  process.prependOnceListener("exit", kill); // before its folder is removed; a run that a signal ends has no teardown
  const stop = async () => {
    await server.stop();
    process.off("exit", kill);
  };
  return { url: server.socketUrl ?? server.url, stop };
}

/** Every test file opens some twenty connections, and each would spend 4,096 rounds of hashing on the password. */
async function cheapenPassword(url: string): Promise<void> {
  const pool = createPool({ url, applicationName: "template", max: 1 });
  await pool.query("set scram_iterations = 1");
  await pool.query(`alter role current_user password '${new URL(url).password}'`);
  await pool.end();
}
