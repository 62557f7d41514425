// What a start costs, on an empty folder and the second time, and what an installation costs while nobody uses it: processor time and statements
// by process, some minutes after the second start.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { cpuOf, memoryOf, watch } from "../processes.mjs";
import { startService } from "../service.mjs";
import { table } from "../tables.mjs";

/** After a start the processes still collect garbage for a while. */
const SETTLE_MS = { full: 300_000, short: 120_000 };
/** Long enough that one collection of garbage does not decide. */
const CPU_SECONDS = { full: 240, short: 60 };
const STATEMENT_SECONDS = 60;
const FIRST_STARTS = 5;

async function say(service, ...statements) {
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Counts what Postgres logs, after the processor time was measured: logging costs some itself. */
async function statements(service) {
  await say(service, "alter system set log_statement = 'all'", "select pg_reload_conf()");
  await pause(STATEMENT_SECONDS * 1000);
  await say(service, "alter system reset log_statement", "select pg_reload_conf()");
  const logs = join(service.folder, "postgres", "data", "log");
  const lines = readdirSync(logs).flatMap((name) => readFileSync(join(logs, name), "utf8").split("\n"));
  const counts = {};
  for (const line of lines) {
    const process = /^(waybill [^|]*)\|LOG: +(?:statement|execute)/.exec(line)?.[1];
    if (process) counts[process] = (counts[process] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).map(([process, count]) => [process, count / STATEMENT_SECONDS]));
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const sum = (values) => Object.values(values).reduce((total, each) => total + each, 0);

/** The service, and what its processes have taken when it says that it is ready. */
async function started(options) {
  const begun = performance.now();
  const service = await startService(options);
  const ms = performance.now() - begun;
  const of = (value) =>
    Object.fromEntries(Object.entries(service.groups).map(([name, pids]) => [name, pids().reduce((all, pid) => all + value(pid), 0)]));
  return { service, cost: { ms, cpuMs: of((pid) => cpuOf(pid) / 1000), ownMb: of((pid) => memoryOf(pid).anon) } };
}

export async function idleSection({ folder, full, say: tell }) {
  const own = join(folder, "service");
  const firstStarts = [];
  let first;
  for (let start = 0; start < FIRST_STARTS; start += 1) {
    await first?.stop();
    rmSync(own, { recursive: true, force: true });
    const { service, cost } = await started({ folder: own });
    first = service;
    firstStarts.push(cost);
  }
  await say(first, "alter system set logging_collector = on", "alter system set log_line_prefix = '%a|'");
  await first.stop();
  const { service, cost } = await started({ folder: own, key: first.key });
  try {
    tell(`idle: started again in ${Math.round(cost.ms)} ms, settling`);
    await pause(full ? SETTLE_MS.full : SETTLE_MS.short);
    tell("idle: measuring");
    const watched = watch(service.groups, 5_000);
    const from = performance.now();
    await pause((full ? CPU_SECONDS.full : CPU_SECONDS.short) * 1000);
    const percent = (cpuUs) => cpuUs / (performance.now() - from) / 10;
    const cpu = Object.fromEntries(Object.entries(watched.end()).map(([name, { cpuUs }]) => [name, percent(cpuUs)]));
    return { firstStarts, secondStart: cost, cpu, statements: await statements(service) };
  } finally {
    await service.stop();
  }
}

export function printIdle({ firstStarts, secondStart, cpu, statements: asked }) {
  const of = (value) => Math.round(median(firstStarts.map(value)));
  table(
    `Until ready: on an empty folder ${of(({ ms }) => ms)} ms (median of ${firstStarts.length}), the second time ${Math.round(secondStart.ms)} ms`,
    ["", "ms of processor time", "MB of its own", "ms, second time"],
    [
      ...Object.keys(cpu).map((name) => [name, of(({ cpuMs }) => cpuMs[name]), of(({ ownMb }) => ownMb[name]), secondStart.cpuMs[name]]),
      ["all", of(({ cpuMs }) => sum(cpuMs)), of(({ ownMb }) => sum(ownMb)), sum(secondStart.cpuMs)],
    ],
  );
  table(
    "Idle, percent of a core (target: 1 in all)",
    ["", "%"],
    [...Object.entries(cpu).map(([name, share]) => [name, share.toFixed(2)]), ["all", sum(cpu).toFixed(2)]],
  );
  table(
    "Idle, statements a second (target: 2 of the worker)",
    ["", "/s"],
    [...Object.entries(asked).map(([name, rate]) => [name, rate.toFixed(2)]), ["all", sum(asked).toFixed(2)]],
  );
}
