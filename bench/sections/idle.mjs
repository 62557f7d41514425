// What an installation costs while nobody uses it: processor time by process, and statements by process, some minutes after a second start.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { watch } from "../processes.mjs";
import { startService } from "../service.mjs";
import { table } from "../tables.mjs";

/** After a start the processes still collect garbage for a while. */
const SETTLE_MS = { full: 300_000, short: 120_000 };
const SECONDS = 60;

async function say(service, ...statements) {
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Counts what Postgres logs, after the processor time was measured: logging costs some itself. */
async function statements(service) {
  await say(service, "alter system set log_statement = 'all'", "select pg_reload_conf()");
  await pause(SECONDS * 1000);
  await say(service, "alter system reset log_statement", "select pg_reload_conf()");
  const logs = join(service.folder, "postgres", "data", "log");
  const lines = readdirSync(logs).flatMap((name) => readFileSync(join(logs, name), "utf8").split("\n"));
  const counts = {};
  for (const line of lines) {
    const process = /^(waybill [^|]*)\|LOG: +(?:statement|execute)/.exec(line)?.[1];
    if (process) counts[process] = (counts[process] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).map(([process, count]) => [process, count / SECONDS]));
}

export async function idleSection({ folder, full, say: tell }) {
  const own = join(folder, "service");
  const first = await startService({ folder: own });
  await say(first, "alter system set logging_collector = on", "alter system set log_line_prefix = '%a|'");
  await first.stop();
  const startedAt = performance.now();
  const service = await startService({ folder: own, key: first.key });
  const startMs = performance.now() - startedAt;
  try {
    tell(`idle: started again in ${Math.round(startMs)} ms, settling`);
    await pause(full ? SETTLE_MS.full : SETTLE_MS.short);
    tell("idle: measuring");
    const watched = watch(service.groups, 5_000);
    const from = performance.now();
    await pause(SECONDS * 1000);
    const percent = (cpuUs) => cpuUs / (performance.now() - from) / 10;
    const cpu = Object.fromEntries(Object.entries(watched.end()).map(([name, { cpuUs }]) => [name, percent(cpuUs)]));
    return { startMs, cpu, statements: await statements(service) };
  } finally {
    await service.stop();
  }
}

export function printIdle({ startMs, cpu, statements: asked }) {
  const sum = (values) => Object.values(values).reduce((total, each) => total + each, 0);
  table(
    `Idle, percent of a core (target: 1 in all; second start ${(startMs / 1000).toFixed(1)} s)`,
    ["", "%"],
    [...Object.entries(cpu).map(([name, share]) => [name, share.toFixed(2)]), ["all", sum(cpu).toFixed(2)]],
  );
  table(
    "Idle, statements a second (target: 2 of the worker)",
    ["", "/s"],
    [...Object.entries(asked).map(([name, rate]) => [name, rate.toFixed(2)]), ["all", sum(asked).toFixed(2)]],
  );
}
