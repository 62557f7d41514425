// What a row and an import cost each process and each store, and the rate at four points that the model of bench/scale.mjs has to predict.
import { spawn } from "node:child_process";
import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { recordEvents } from "../../dist/commands/webhooks/deliveries.js";
import { webhookEventOf } from "../../dist/commands/webhooks/replay.js";
import { webhookEventsByType } from "../../dist/domain/webhooks/types.js";
import { startPostgres } from "../../dist/embedded/postgres/server.js";
import { csvFile, jsonBodies } from "../files.mjs";
import { load } from "../load.mjs";
import { makeOrganisations, withAdapters } from "../organisations.mjs";
import { cpuOf, endedWithUs, watch } from "../processes.mjs";
import { fitted, kinds, processes } from "../scale/model.mjs";
import { call, program, startService } from "../service.mjs";

const paths = { activities: "/v1/org/fulfilment", shipments: "/v1/org/shipments" };
const groupOf = { api: "api", worker: "worker", projector: "projector", eventStore: "eventstore", postgres: "postgres" };

/** A backend writes its statistics a second after the last time, at the earliest, and the projector has a statement every two seconds. */
const statisticsMs = 2_600;
const deadlineMs = 180_000;

export async function scaleSection({ folder, full, say }) {
  const own = join(folder, "service");
  await prepare(own);
  const service = await startService({ folder: own });
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  try {
    await client.query("create extension if not exists pg_stat_statements");
    const stage = { service, client, say, ...(await inputsOf(folder, full)) };
    say("scale: warming up");
    for (const kind of kinds) await importAll(stage, stage.inputs[kind].large);
    await vacuumAll(stage);
    await pause(statisticsMs);
    const idle = await idleCosts(stage);
    const costs = { kinds: await importCosts(stage, idle, full ? 3 : 1) };
    for (const kind of ["activities", "shipments"]) {
      say(`scale: the projector's backlog, ${kind}`);
      const lines = await lineCosts(stage, `${kind}Csv`);
      for (const format of ["Csv", "Json"])
        for (const part of ["row", "import"]) Object.assign(costs.kinds[`${kind}${format}`][part], lines[part]);
    }
    say("scale: following and sending webhooks");
    const followed = await followCosts(stage);
    for (const kind of kinds) for (const part of ["row", "import"]) Object.assign(costs.kinds[kind][part], followed[part]);
    costs.delivery = await deliveryCosts(stage);
    say("scale: reads");
    costs.read = await readCosts(stage, full ? 4 : 2);
    costs.disk = diskCosts(folder);
    costs.idle = idle;
    costs.machine = { cores: availableParallelism() };
    await client.query("alter system reset autovacuum");
    await client.query("select pg_reload_conf()");
    costs.checks = await checkPoints(stage, full ? 200 : 20);
    return costs;
  } finally {
    await client.end();
    await service.stop();
  }
}

/** Statements are counted by an extension that Postgres loads when it starts; vacuum runs when the measurement says so, and is counted by itself. */
async function prepare(folder) {
  const server = await startPostgres({ folder: join(folder, "postgres"), durable: true });
  try {
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query("alter system set shared_preload_libraries = 'pg_stat_statements'");
    await client.query("alter system set autovacuum = off");
    await client.end();
  } finally {
    await server.stop();
  }
}

async function inputsOf(folder, full) {
  const count = full ? 40 : 10;
  const many = full ? { activities: 150_000, shipments: 60_000 } : { activities: 20_000, shipments: 9_000 };
  const most = full ? { activities: 10_000, shipments: 3_000 } : { activities: 2_000, shipments: 900 };
  const inputs = {};
  let pushed = 0; // every push has shipments of its own: one that is there already costs more
  let thousand;
  for (const kind of ["activities", "shipments"]) {
    const newIds = (text) => (kind === "shipments" ? text.replaceAll("SO-", `S${++pushed}-`) : text);
    const csv = async (rows) => {
      const text = readFileSync((await csvFile(folder, kind, rows)).path, "latin1");
      const path = kind === "activities" ? `${paths[kind]}/activities/file` : `${paths[kind]}/imports/file`;
      const body = () => {
        const form = new FormData();
        form.set("file", new Blob([newIds(text)]), `${kind}.csv`);
        return form;
      };
      return { rows, send: (service, key) => call(service, path, { method: "POST", body: body(), ...(key ? { key } : {}) }) };
    };
    inputs[`${kind}Csv`] = { small: Array(count).fill(await csv(99)), large: [await csv(many[kind])] };
    const json = (rows) => {
      const text = jsonBodies[kind](rows);
      const path = kind === "activities" ? `${paths[kind]}/activities` : `${paths[kind]}/imports`;
      const headers = { "content-type": "application/json" };
      return {
        rows,
        send: (service, key) => call(service, path, { method: "POST", body: newIds(text), headers, ...(key ? { key } : {}) }),
      };
    };
    inputs[`${kind}Json`] = { small: Array(count).fill(json(99)), large: Array(5).fill(json(most[kind])) };
    if (kind === "activities") thousand = await csv(1_000);
  }
  return { inputs, thousand };
}

const rowsOf = (pushes) => pushes.reduce((rows, each) => rows + each.rows, 0);

/** Four at a time, as several clients push. Returns the imports' ids. */
async function pushAll(service, pushes, keyOf = () => undefined) {
  const ids = [];
  let next = 0;
  const one = async () => {
    for (let n = next++; n < pushes.length; n = next++) ids.push((await pushes[n].send(service, keyOf(n))).importId);
  };
  await Promise.all([one(), one(), one(), one()]);
  return ids;
}

/** Asks Postgres and not the API, so that waiting costs one small statement. */
async function until(client, statement, values, everyMs = 50) {
  for (const startedAt = performance.now(); performance.now() - startedAt < deadlineMs; await pause(everyMs)) {
    const { rows } = await client.query(`/* bench */ ${statement}`, values);
    if (rows[0].done) return;
  }
  throw new Error(`not so after ${deadlineMs / 1000} s: ${statement}`);
}

const ended =
  "select count(*) filter (where finished_at is not null) = cardinality($1::uuid[]) as done from imports where import_id = any($1)";

async function importAll({ service, client }, pushes, keyOf) {
  const ids = await pushAll(service, pushes, keyOf);
  await until(client, ended, [ids]);
  const { rows } = await client.query(
    "/* bench */ select sum(received)::int as rows from imports where import_id = any($1) and status = 'completed'",
    [ids],
  );
  if (rows[0].rows !== rowsOf(pushes)) throw new Error(`${rows[0].rows} of ${rowsOf(pushes)} rows were imported`);
  return ids;
}

function bytesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((bytes, entry) => bytes + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

const counters = `/* bench */
  select (pg_current_wal_insert_lsn() - '0/0')::float8 as "walBytes",
         (select sum(n_tup_upd + n_tup_del)::float8 from pg_stat_user_tables) as "deadTuples",
         (select sum(calls)::float8 from pg_stat_statements where query not like '%/* bench */%') as statements`;
const sizes = `/* bench */
  select sum(pg_table_size(relid))::float8 as "heapBytes", sum(pg_indexes_size(relid))::float8 as "indexBytes" from pg_stat_user_tables`;

async function storesOf({ service, client }) {
  return {
    ...(await client.query(counters)).rows[0],
    logBytes: bytesBelow(join(service.folder, "eventstore")),
    objectBytes: bytesBelow(join(service.folder, "objects")),
  };
}

/** Vacuums every table. Answers what it cost by autovacuum's own count, which says how fast autovacuum's pauses let it be. */
async function vacuumAll({ client }) {
  const { rows } = await client.query("/* bench */ select relid::regclass::text as name from pg_stat_user_tables");
  let units = 0;
  const count = ({ message = "" }) => {
    const [, hits, reads, dirtied] = /buffer usage: (\d+) hits, (\d+) (?:reads|misses), (\d+) dirtied/.exec(message) ?? [];
    if (hits !== undefined) units += Number(hits) + 2 * Number(reads) + 20 * Number(dirtied);
  };
  client.on("notice", count);
  await client.query(`/* bench */ vacuum (verbose, analyze) ${rows.map(({ name }) => name).join(", ")}`);
  client.off("notice", count);
  return units;
}

/** Begins where the tables are vacuumed and the statistics written, and ends so. */
async function measured(stage, work) {
  const { service, client } = stage;
  const before = { ...(await storesOf(stage)), ...(await client.query(sizes)).rows[0] };
  const generator = process.cpuUsage();
  const watched = watch(service.groups, 1_000);
  const startedAt = performance.now();
  await work();
  const importing = watched.end();
  const seconds = (performance.now() - startedAt) / 1000;
  const spent = process.cpuUsage(generator);
  await pause(statisticsMs);
  const after = await storesOf(stage);
  const vacuum = watch({ postgres: service.groups.postgres }, 1_000);
  const vacuumUnits = await vacuumAll(stage);
  const vacuumUs = vacuum.end().postgres.cpuUs;
  const [{ walBytes }, size] = [await storesOf(stage), (await client.query(sizes)).rows[0]];
  const totals = Object.fromEntries(processes.map((name) => [`${name}Us`, importing[groupOf[name]].cpuUs]));
  totals.postgresUs += vacuumUs;
  totals.generatorUs = spent.user + spent.system;
  for (const name of ["deadTuples", "statements", "logBytes", "objectBytes"]) totals[name] = after[name] - before[name];
  totals.walBytes = walBytes - before.walBytes;
  for (const name of ["heapBytes", "indexBytes"]) totals[name] = size[name] - before[name];
  totals.vacuumUnits = vacuumUnits;
  return { totals, seconds, statisticSeconds: seconds + statisticsMs / 1000 };
}

/** Per second, with nothing to do: taken off what is measured. */
async function idleCosts(stage) {
  const { totals, seconds, statisticSeconds } = await measured(stage, () => pause(5_000));
  const perSecond = Object.fromEntries(
    processes.filter((name) => name !== "postgres").map((name) => [`${name}Us`, totals[`${name}Us`] / seconds]),
  );
  return { ...perSecond, statements: totals.statements / statisticSeconds };
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];

async function importCosts(stage, idle, rounds) {
  const taken = Object.fromEntries(kinds.map((kind) => [kind, { small: [], large: [] }]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const kind of kinds) {
      for (const size of ["small", "large"]) {
        const pushes = stage.inputs[kind][size];
        stage.say(`scale: round ${round} of ${rounds}, ${kind}, ${pushes.length} of ${pushes[0].rows} rows`);
        const { totals, seconds, statisticSeconds } = await measured(stage, () => importAll(stage, pushes));
        for (const [name, each] of Object.entries(idle)) totals[name] -= each * (name === "statements" ? statisticSeconds : seconds);
        taken[kind][size].push(totals);
      }
    }
  }
  const middle = (all) => Object.fromEntries(Object.keys(all[0]).map((name) => [name, median(all.map((totals) => totals[name]))]));
  const runOf = (kind, size) => {
    const pushes = stage.inputs[kind][size];
    return { imports: pushes.length, rows: rowsOf(pushes), totals: middle(taken[kind][size]) };
  };
  return Object.fromEntries(kinds.map((kind) => [kind, fitted(runOf(kind, "small"), runOf(kind, "large"))]));
}

/**
 * The elapsed times of one organisation's line and of the projector, each with a machine to itself: the projector is held while the worker
 * runs, and catches up afterwards.
 */
async function lineCosts(stage, kind) {
  const { service, client } = stage;
  const runs = {};
  for (const size of ["small", "large"]) {
    const pushes = stage.inputs[kind][size];
    const [projector] = service.groups.projector();
    process.kill(projector, "SIGSTOP");
    let ids;
    try {
      ids = await pushAll(service, pushes);
      await until(client, "select not exists (select from import_queue where import_id = any($1)) as done", [ids]);
    } finally {
      process.kill(projector, "SIGCONT");
    }
    const heldUntil = performance.now();
    await until(client, ended, [ids], 10);
    const drainUs = (performance.now() - heldUntil) * 1000;
    const { rows } = await client.query(
      `/* bench */ select extract(epoch from max(finished_at) - min(started_at))::float8 * 1e6 as us from imports where import_id = any($1)`,
      [ids],
    );
    runs[size] = { imports: pushes.length, rows: rowsOf(pushes), totals: { lineUs: rows[0].us, drainUs } };
  }
  return fitted(runs.small, runs.large);
}

/** Reading the whole log as the follower does, then noting what it found, in a transaction that is rolled back. */
async function followCosts({ service, client }) {
  const types = [...Object.values(webhookEventsByType).map(({ recorded }) => recorded), "Webhook", "LogCreated"];
  const {
    rows: [{ all }],
  } = await client.query("/* bench */ select sum(received)::float8 as all from imports");
  return withAdapters(service, async ({ eventStore, pool }) => {
    const read = async (filter) => {
      const stop = new AbortController();
      const found = [];
      const startedAt = performance.now();
      await eventStore.follow({ types: filter, from: undefined, maxBatch: 1_000, signal: stop.signal }, async ({ events, caughtUp }) => {
        found.push(...events);
        if (caughtUp) stop.abort();
      });
      return { found, us: (performance.now() - startedAt) * 1000 };
    };
    await read(types);
    const past = await read(["NoSuchType"]);
    const { found, us } = await read(types);
    const told = found.flatMap((event) => webhookEventOf(event) ?? []);
    const connection = await pool.connect();
    let notedUs = 0;
    const move = { sql: "update checkpoints set commit = commit where projection = :name", values: { name: "webhooks" } };
    try {
      for (let from = 0; from < told.length; from += 1_000) {
        await connection.query("begin");
        await connection.query("delete from webhook_events");
        const startedAt = performance.now();
        await recordEvents(connection, told.slice(from, from + 1_000), move);
        notedUs += (performance.now() - startedAt) * 1000;
        await connection.query("rollback");
      }
    } finally {
      connection.release();
    }
    const imports = told.filter(({ type }) => type === "import.completed").length;
    return { row: { followUs: past.us / all }, import: { followUs: (Math.max(0, us - past.us) + notedUs) / imports } };
  });
}

/** Everything that was told of the demo organisation, sent again to one endpoint, which answers at once. */
async function deliveryCosts({ service, client }) {
  let received = 0;
  let [first, last] = [0, 0];
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => {
      received += 1;
      last = performance.now();
      first ||= last;
      response.end();
    });
  });
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  try {
    await service.waybill("webhooks", "add", "--org", "demo", "--url", `http://127.0.0.1:${receiver.address().port}/`);
    const {
      rows: [{ endpoint_id: endpoint }],
    } = await client.query("/* bench */ select endpoint_id from webhook_endpoints where organisation_id = 'demo'");
    await service.waybill("webhooks", "ping", endpoint, "--org", "demo"); // a new endpoint gets one request at a time until one has succeeded
    await until(client, "select count(*) > 0 as done from webhook_health where succeeded_at is not null");
    [received, first, last] = [0, 0, 0];
    const watched = watch({ worker: service.groups.worker }, 1_000);
    await service.waybill("webhooks", "replay", endpoint, "--org", "demo", "--from", "2020-01-01T00:00:00Z");
    await until(
      client,
      "select not exists (select from webhook_deliveries where status = 'waiting') and not exists (select from webhook_backlogs where next_at is not null) as done",
    );
    const { cpuUs } = watched.end().worker;
    await service.waybill("webhooks", "remove", endpoint, "--org", "demo");
    return { deliveries: received, workerUs: cpuUs / received, elapsedUs: ((last - first) * 1000) / received };
  } finally {
    receiver.close();
  }
}

async function readCosts({ service, client }, seconds) {
  const {
    rows: [{ id }],
  } = await client.query(
    "/* bench */ select import_id as id from imports where kind = 'activities' and received > 1000 order by position desc limit 1",
  );
  const reads = {
    "import status": `/v1/org/fulfilment/imports/${id}`,
    "shipment by id": "/v1/org/ledger/shipments/S1-1",
    "100 activities": `/v1/org/ledger/activities?importId=${id}&limit=100`,
    "list of imports": "/v1/org/fulfilment/imports?limit=20",
  };
  const groups = { api: service.groups.api, postgres: service.groups.postgres };
  const each = {};
  for (const [name, path] of Object.entries(reads)) {
    const { cpuUs } = await load(
      { url: `${service.url}${path}`, headers: { "x-api-key": service.key } },
      { seconds, connections: 10, warmUp: 500 },
      groups,
    );
    each[name] = { apiUs: cpuUs.api, postgresUs: cpuUs.postgres };
  }
  const mean = (name) => Object.values(each).reduce((all, one) => all + one[name], 0) / Object.keys(each).length;
  return { each, apiUs: mean("apiUs"), postgresUs: mean("postgresUs") };
}

function diskCosts(folder) {
  const path = join(folder, "disk");
  const file = openSync(path, "w");
  const piece = Buffer.alloc(1 << 20, 7);
  const pieces = 128;
  const startedAt = performance.now();
  for (let n = 0; n < pieces; n += 1) {
    writeSync(file, piece);
    if (n % 8 === 7) fdatasyncSync(file);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const syncs = 100;
  const syncedAt = performance.now();
  for (let n = 0; n < syncs; n += 1) {
    writeSync(file, piece, 0, 4_096);
    fdatasyncSync(file);
  }
  const syncMs = (performance.now() - syncedAt) / syncs;
  closeSync(file);
  rmSync(path);
  return { syncedMbPerSecond: (pieces * piece.length) / 1e6 / seconds, syncMs };
}

/** As many imports of 1,000 rows as organisations: all of one organisation, and one of each; with one worker process and with two. */
async function checkPoints(stage, organisations) {
  const { service, thousand, say } = stage;
  const keys = await makeOrganisations(
    service,
    Array.from({ length: organisations }, (_, n) => `org-${n}`),
  );
  const pushes = Array(organisations).fill(thousand);
  const points = [];
  const run = async (workers) => {
    for (const of of [1, organisations]) {
      say(`scale: ${workers} worker processes, ${organisations} imports of ${of} organisations`);
      const startedAt = performance.now();
      await importAll(stage, pushes, (n) => keys[n % of]);
      points.push({
        kind: "activitiesCsv",
        workers,
        organisations: of,
        rowsPerImport: thousand.rows,
        rowsPerSecond: rowsOf(pushes) / ((performance.now() - startedAt) / 1000),
      });
    }
  };
  await importAll(stage, pushes.slice(0, 4), (n) => keys[n]);
  await run(1);
  const second = await startWorker(service);
  try {
    await run(2);
  } finally {
    second.kill("SIGTERM");
    await new Promise((resolve) => second.once("exit", resolve));
  }
  return points;
}

async function startWorker(service) {
  const env = { ...process.env, DATA_DIR: service.folder, LOG_LEVEL: "warn" };
  const child = endedWithUs(spawn(process.execPath, [program, "worker"], { env, stdio: ["ignore", "ignore", "inherit"] }));
  // Ready is when it has nothing more to load: its processor time stands still.
  const startedAt = performance.now();
  for (let [last, same] = [-1, 0]; same < 5; await pause(200)) {
    if (performance.now() - startedAt > deadlineMs) {
      child.kill("SIGTERM");
      throw new Error("the second worker does not come to rest");
    }
    if (child.exitCode !== null) throw new Error(`the second worker ended with ${child.exitCode}`);
    const cpu = cpuOf(child.pid);
    same = cpu > 0 && cpu - last <= 20_000 ? same + 1 : 0;
    last = cpu;
  }
  return child;
}
