// Runs once per vitest run: one throw-away Postgres with one migrated database that every test file clones.
import { mkdtemp, rm } from "node:fs/promises";
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
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-postgres-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const server = await startPostgres({ folder, durable: false }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const stop = async () => {
    await server.stop();
    await remove();
  };
  return { url: server.url, stop };
}
