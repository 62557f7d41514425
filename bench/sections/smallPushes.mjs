// JSON pushes of one row and of a hundred, by one organisation and by fifty at once: each client pushes, asks until the import is completed, and
// pushes again. Beside it the bare pipeline and emmett, in turns and on the same stores. Imports a second, time from the push until it is visible, and
// processor time by process.
import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { makeOrganisations } from "../organisations.mjs";
import { endedWithUs, onlyAtTheEnd, watch } from "../processes.mjs";
import { call, startService } from "../service.mjs";
import { ratio, table } from "../tables.mjs";

const sizes = { full: { rounds: 5, seconds: 10, many: 50 }, short: { rounds: 2, seconds: 4, many: 50 } };

const bodyOf = (rows, nth) =>
  JSON.stringify({
    activities: Array.from({ length: rows }, (_, index) => ({
      ...{ warehouseCode: "SYD1", chargeCode: "PICK", activityTimestamp: "2026-10-01T10:00:00Z" },
      ...{ quantity: (nth % 7) + 1, reference: `R-${nth}-${index}` },
    })),
  });

/** One push until it is visible, in milliseconds. */
async function pushOnce(target, key, body, askMs) {
  const options = { key, method: "POST", headers: { "content-type": "application/json" }, body };
  const sentAt = performance.now();
  const { statusUrl } = await call(target, "/v1/org/fulfilment/activities", options);
  for (;;) {
    const { status } = await call(target, statusUrl, { key });
    if (status === "completed") return performance.now() - sentAt;
    if (status === "failed" || status === "cancelled") throw new Error(`${statusUrl} is ${status}`);
    await pause(askMs);
  }
}

let nth = 0;

/** Each key pushes for this long. `target` is a service, or something with the same address, processes and routes. */
export async function measurePushes(target, keys, { rows, seconds, askMs = 10 }) {
  const times = [];
  const watched = watch(target.groups, onlyAtTheEnd);
  const startedAt = performance.now();
  const end = startedAt + seconds * 1_000;
  const client = async (key) => {
    while (performance.now() < end) {
      nth += 1;
      times.push(await pushOnce(target, key, bodyOf(rows, nth), askMs));
    }
  };
  await Promise.all(keys.map(client));
  const ms = performance.now() - startedAt;
  const cpu = Object.fromEntries(Object.entries(watched.end()).map(([name, { cpuUs }]) => [name, cpuUs / 1_000 / times.length]));
  times.sort((one, other) => one - other);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { imports: times.length, rate: (times.length / ms) * 1_000, p50: at(0.5), p95: at(0.95), cpu };
}

const create = `
  create table bare_jobs (id uuid primary key, number bigint generated always as identity, organisation text not null, path text not null,
    taken boolean not null default false);
  create table bare_imports (id uuid primary key);
  create table bare_rows (import_id uuid, "row" integer, warehouse_code text, charge_code text, activity_timestamp text, quantity numeric,
    customer_id text, reference text, status text, primary key (import_id, "row"));
  create table bare_checkpoint (position bigint);
  insert into bare_checkpoint values (-1)`;

/** The bare pipeline on the service's stores. */
async function startBare(service, folder) {
  const { databaseUrl, eventStoreUrl, groups } = service;
  const database = new pg.Client(databaseUrl);
  await database.connect();
  await database.query(create);
  await database.end();
  const children = {};
  for (const role of ["projector", "worker", "api"]) {
    children[role] = await startPeer("barePushes", { role, databaseUrl, eventStoreUrl, folder });
  }
  return targetOf(children, { eventstore: groups.eventstore, postgres: groups.postgres });
}

/** One process on the service's Postgres, which is its event store too. */
async function startEmmett({ databaseUrl, groups }, folder) {
  return targetOf({ api: await startPeer("emmettPushes", { databaseUrl, folder }) }, { postgres: groups.postgres });
}

/** A process of `peers`, after its first message. */
async function startPeer(name, options) {
  const child = endedWithUs(fork(fileURLToPath(new URL(`../peers/${name}.mjs`, import.meta.url)), [JSON.stringify(options)]));
  const ready = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
  });
  return { child, ready };
}

/** What is measured like the service: an address and processes. */
function targetOf(children, storeGroups) {
  const stop = ({ child }) =>
    new Promise((resolve) => {
      child.once("exit", resolve);
      child.disconnect();
    });
  return {
    url: `http://127.0.0.1:${children.api.ready.port}`,
    groups: { ...Object.fromEntries(Object.entries(children).map(([role, { child }]) => [role, () => [child.pid]])), ...storeGroups },
    stop: () => Promise.all(Object.values(children).map(stop)),
  };
}

const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];

function middleOf(rounds) {
  const of = (pick) => median(rounds.map(pick));
  const cpu = Object.fromEntries(Object.keys(rounds[0].cpu).map((name) => [name, of((round) => round.cpu[name])]));
  return { rate: of(({ rate }) => rate), p50: of(({ p50 }) => p50), p95: of(({ p95 }) => p95), cpu };
}

const peers = { bare: startBare, emmett: startEmmett };

export async function smallPushesSection({
  folder,
  full,
  say,
  profileDir,
  size = full ? sizes.full : sizes.short,
  beside = Object.keys(peers),
}) {
  const { rounds, seconds, many } = size;
  const forms = [1, 100].flatMap((rows) => [1, many].map((organisations) => ({ rows, organisations })));
  const service = await startService({ folder: join(folder, "service"), profileDir });
  const targets = { waybill: service };
  try {
    const keys = await makeOrganisations(
      service,
      Array.from({ length: many }, (_, index) => `pusher-${index}`),
    );
    for (const name of beside) targets[name] = await peers[name](service, join(folder, name));
    const names = Object.keys(targets);
    for (const target of Object.values(targets)) await measurePushes(target, keys, { rows: 1, seconds: Math.min(2, seconds) }); // cold code
    const measured = forms.map((form) => ({ form, of: Object.fromEntries(names.map((name) => [name, []])) }));
    for (let round = 0; round < rounds; round += 1) {
      for (const { form, of } of measured) {
        const { rows, organisations } = form;
        for (const name of round % 2 === 0 ? names : names.toReversed()) {
          say(`small pushes: ${organisations} x ${rows} rows, ${name}`);
          of[name].push(await measurePushes(targets[name], keys.slice(0, organisations), { rows, seconds }));
        }
      }
    }
    return measured.map(({ form, of }) => ({ ...form, ...Object.fromEntries(names.map((name) => [name, middleOf(of[name])])) }));
  } finally {
    for (const target of Object.values(targets).reverse()) await target.stop();
  }
}

const sum = (cpu) => Object.values(cpu).reduce((all, each) => all + each, 0);

export function printSmallPushes(results) {
  const name = ({ rows, organisations }) =>
    `${rows === 1 ? "1 row" : `${rows} rows`}, ${organisations === 1 ? "1 organisation" : `${organisations} at once`}`;
  const processes = Object.keys(results[0].waybill.cpu);
  table(
    "Small JSON pushes: imports a second, ms until visible, ms of processor time for an import (targets: 0.5 of the bare pipeline's rate, twice its p95)",
    ["", "", "/s", "waybill's rate of it", "p50", "p95", "waybill's p95 of it", ...processes, "all"],
    results.flatMap(({ rows, organisations, ...of }) =>
      Object.entries(of).map(([who, { rate, p50, p95, cpu }]) => [
        name({ rows, organisations }),
        who,
        rate.toFixed(1),
        ratio(of.waybill.rate, rate),
        p50.toFixed(0),
        p95.toFixed(0),
        ratio(of.waybill.p95, p95),
        ...processes.map((process_) => cpu[process_]?.toFixed(1)),
        sum(cpu).toFixed(1),
      ]),
    ),
  );
}
