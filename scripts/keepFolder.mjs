// Keeps what a version writes into a data folder, small enough for a test: every later version must go on with it.
//   node scripts/keepFolder.mjs ../before test/fixtures/folders/NAME
// `../before` is a checkout of that version with its packages installed and built. Postgres' own files are too large to keep: the rows are.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import pg from "pg";
import { call, startService } from "../bench/service.mjs";
import { work } from "./keepFolder/work.mjs";

const [version, kept] = process.argv.slice(2);
if (!version || !kept) throw new Error("Name the checkout of the version, and the folder that is to be kept.");

const folder = mkdtempSync(join(tmpdir(), "waybill-keep-"));
const data = join(folder, "data");
try {
  const service = await startService({ folder: data, built: join(resolve(version), "dist", "cli.js") });
  try {
    const quoteId = await work(service, folder);
    mkdirSync(kept, { recursive: true });
    keep("answers.json.gz", JSON.stringify(await answers(service, quoteId)));
    keep("tables.json.gz", JSON.stringify(await tables(service.databaseUrl)));
  } finally {
    await service.stop();
  }
  keep("events.mdb.gz", readFileSync(join(data, "eventstore", "events.mdb")));
  cpSync(join(data, "objects"), join(kept, "objects"), { recursive: true });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function keep(name, content) {
  writeFileSync(join(kept, name), gzipSync(content, { level: 9 }));
}

/** What the version's own API says of it, by path. */
async function answers(service, quoteId) {
  const paths = [`/v1/org/quote/getQuote/${quoteId}`, "/v1/org/ledger/activities?limit=500", "/v1/org/ledger/shipments?limit=500"];
  const listed = JSON.parse(await service.waybill("imports", "list", "--org", "demo", "--json"));
  for (const { importId, kind } of listed) {
    const path = `/v1/org/${kind === "activities" ? "fulfilment" : "shipments"}/imports/${importId}`;
    paths.push(path, `${path}/errors`);
  }
  const said = {};
  for (const path of paths) said[path] = await call(service, path);
  return { key: service.key, said };
}

/** By table: its rows, as Postgres writes them as JSON. Also which migrations were applied. */
async function tables(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found = await client.query(
      "select schemaname as schema, tablename as name from pg_tables where schemaname in ('public', 'drizzle') order by 1, 2",
    );
    const all = {};
    for (const { schema, name } of found.rows) {
      const { rows } = await client.query(`select coalesce(json_agg(t), '[]')::text as rows from "${schema}"."${name}" t`);
      all[`${schema}.${name}`] = rows[0].rows;
    }
    return all;
  } finally {
    await client.end();
  }
}
