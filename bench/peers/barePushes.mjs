// The bare pipeline of small pushes, with our promise and nothing else: `barePushes.mjs '{"role": "api" | "worker" | "projector", ...}'`, each role a
// process. The API looks the key up, stores the file, appends the request and notes a job; the worker takes one job of an organisation at a time and
// appends its rows and its completion; the projector writes rows and checkpoint in one transaction.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { EventStoreDBClient, jsonEvent, START, streamNameFilter } from "@eventstore/db-client";
import Papa from "papaparse";
import pg from "pg";
import { keyLookUp, pushFields, servePushes, storeFile } from "./pushes.mjs";
import { schemas } from "./rows.mjs";

const { role, databaseUrl, eventStoreUrl, folder } = JSON.parse(process.argv[2]);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 12 });
const client = EventStoreDBClient.connectionString(eventStoreUrl);
const prefix = "bare-push-"; // a name that the product's projector does not follow

function api() {
  servePushes(keyLookUp(pool), {
    async accept(organisation, activities) {
      const id = randomUUID();
      const path = join(folder, id);
      await storeFile(folder, path, Papa.unparse({ fields: pushFields, data: activities }, { newline: "\n" }));
      await client.appendToStream(`${prefix}${id}`, jsonEvent({ type: "Requested", data: { id, organisation, path } }), {
        expectedRevision: "no_stream",
      });
      await pool.query(
        "with job as (insert into bare_jobs (id, organisation, path) values ($1, $2, $3)) select pg_notify('bare_jobs', '')",
        [id, organisation, path],
      );
      return id;
    },
    isCompleted: async (id) => (await pool.query("select from bare_imports where id = $1", [id])).rowCount > 0,
  });
}

const takeJob = `
  update bare_jobs set taken = true where id = (
    select id from bare_jobs job where not taken and pg_try_advisory_xact_lock(hashtextextended(organisation, 0))
       and not exists (select from bare_jobs other where other.organisation = job.organisation and other.taken)
     order by number limit 1 for update skip locked) returning id, path`;

async function worker() {
  const listening = new pg.Client(databaseUrl);
  await listening.connect();
  listening.setMaxListeners(0);
  await listening.query("listen bare_jobs");
  process.send({});
  const run = async ({ id, path }) => {
    const { data } = Papa.parse(await readFile(path, "utf8"), { header: true, skipEmptyLines: true, newline: "\n" });
    const events = data.map((record, index) =>
      jsonEvent({ type: "RowAccepted", data: { row: index + 2, values: schemas.activities.parse(record) } }),
    );
    events.push(jsonEvent({ type: "Completed", data: { id, rows: data.length } }));
    await client.appendToStream(`${prefix}${id}`, events, { expectedRevision: 0n });
    await pool.query("delete from bare_jobs where id = $1", [id]);
  };
  const serveJobs = async () => {
    for (;;) {
      const { rows } = await pool.query(takeJob);
      if (rows[0]) await run(rows[0]);
      else await Promise.race([pause(1_000), new Promise((resolve) => listening.once("notification", resolve))]);
    }
  };
  await Promise.all(Array.from({ length: 4 }, serveJobs));
}

async function projector() {
  const filter = streamNameFilter({ prefixes: [prefix], maxSearchWindow: 1_000, checkpointInterval: 10 });
  let after = START;
  let waiting = [];
  const write = async () => {
    const events = waiting;
    waiting = [];
    const rows = events.filter(({ type }) => type === "RowAccepted");
    const ended = events.filter(({ type }) => type === "Completed");
    const columns = pushFields.map((name) => rows.map(({ data }) => data.values[name] ?? null));
    const database = await pool.connect();
    await database.query("begin");
    await database.query(
      "insert into bare_rows select * from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::numeric[], $7::text[], $8::text[], $9::text[])",
      [rows.map(({ streamId }) => streamId.slice(prefix.length)), rows.map(({ data }) => data.row), ...columns],
    );
    await database.query("insert into bare_imports select * from unnest($1::uuid[])", [ended.map(({ data }) => data.id)]);
    await database.query("update bare_checkpoint set position = $1", [String(after.commit)]);
    await database.query("commit");
    database.release();
  };
  const writeOn = async () => {
    for (;;) {
      if (waiting.length > 0) await write();
      else await pause(2);
    }
  };
  void writeOn();
  process.send({});
  for (;;) {
    try {
      for await (const { event, commitPosition } of client.subscribeToAll({ fromPosition: after, filter })) {
        after = event.position ?? { commit: commitPosition, prepare: commitPosition };
        waiting.push(event);
      }
    } catch (error) {
      if (!/too slow/.test(error.message)) throw error;
    }
  }
}

process.once("disconnect", () => process.exit(0));
await { api, worker, projector }[role]();
