// A data folder as an earlier version left it, kept by scripts/keepFolder.mjs.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";
import { createPool } from "../../src/adapters/postgres/pool.js";
import { startPostgres } from "../../src/embedded/postgres/server.js";

const migrations = fileURLToPath(new URL("../../drizzle", import.meta.url));

export interface KeptAnswers {
  readonly key: string;
  /** By path: what the API of that version answered. */
  readonly said: Readonly<Record<string, Record<string, unknown>>>;
}

export async function layKeptFolder(name: string, dataDir: string): Promise<KeptAnswers> {
  const kept = fileURLToPath(new URL(`../fixtures/folders/${name}/`, import.meta.url));
  const unpacked = async (file: string) => gunzipSync(await readFile(join(kept, file)));
  await mkdir(join(dataDir, "eventstore"), { recursive: true });
  await writeFile(join(dataDir, "eventstore", "events.mdb"), await unpacked("events.mdb.gz"));
  await cp(join(kept, "objects"), join(dataDir, "objects"), { recursive: true });
  await layTables(join(dataDir, "postgres"), JSON.parse(String(await unpacked("tables.json.gz"))) as Record<string, string>);
  return JSON.parse(String(await unpacked("answers.json.gz"))) as KeptAnswers;
}

async function layTables(folder: string, tables: Record<string, string>): Promise<void> {
  const { [migrationsTable]: applied = "[]", ...rows } = tables;
  const server = await startPostgres({ folder, durable: false });
  try {
    const pool = createPool({ url: server.url, applicationName: "test", max: 1 });
    try {
      await migrateTo((JSON.parse(applied) as unknown[]).length, pool);
      for (const [table, json] of Object.entries(rows)) {
        await pool.query(`truncate ${table}`); // a migration may have put a row there
        // As JSON, not JSONB: some columns are JSON themselves, and the order of their keys counts.
        await pool.query(`insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1)`, [json]);
      }
      await pool.query(numbersGoOn);
    } finally {
      await pool.end();
    }
  } finally {
    await server.stop();
  }
}

/** What is inserted with its number does not count its sequence on. */
const numbersGoOn = `do $$ declare each record; begin
  for each in select table_name, column_name from information_schema.columns where table_schema = 'public' and is_identity = 'YES' loop
    execute format('select setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 1)) from %I',
      each.table_name, each.column_name, each.column_name, each.table_name);
  end loop; end $$`;

const migrationsTable = "drizzle.__drizzle_migrations";

/** Applies the first `count` migrations: those that the version had. */
async function migrateTo(count: number, pool: pg.Pool): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-migrations-"));
  try {
    await cp(migrations, folder, { recursive: true });
    const journal = JSON.parse(await readFile(join(folder, "meta", "_journal.json"), "utf8")) as { entries: unknown[] };
    await writeFile(join(folder, "meta", "_journal.json"), JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }));
    await migrate(drizzle(pool), { migrationsFolder: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
