// Mixed load on the whole product: quotes, pushes as JSON and as files, polls, lists, and in the long form a large file now and then.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMachine, type Machine, waybill } from "../support/processes.js";
import { ask, type Customer, newPush, push } from "./callers/customer.js";
import { randomSubmission } from "./callers/submissions.js";
import { type Kept, keptByRole, probed, quarters, type Resident, residentByRole } from "./machines/memory.js";
import { allUp, withStoresOf } from "./machines/product.js";
import { type Randomness, seeded } from "./randomness.js";
import { untilEnded } from "./reckoning.js";
import { firstSeed, loadMinutes, long } from "./scale.js";

let machine: Machine;
let folder: string;
let customers: Customer[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-load-"));
  machine = await createMachine({ ...probed(folder), DEMO: "off", RATE_LIMIT_PER_MINUTE: "1000000", MAX_QUEUED_IMPORTS: "1000" });
  await machine.start();
  await allUp(machine);
  customers = await withStoresOf(machine, ({ newCustomer }) => Promise.all([newCustomer(), newCustomer(), newCustomer()]));
});
afterAll(async () => {
  await machine?.clear();
  await rm(folder, { recursive: true, force: true });
});

/** In the short form long enough for hundreds of calls. Memory is checked over minutes, in the long form only. */
const durationMs = loadMinutes === undefined ? (long ? 60_000 : 2_500) : loadMinutes * 60_000;
const times = new Map<string, number[]>();
const failures: string[] = [];

async function timed(what: string, expected: number, work: () => Promise<Response | undefined>): Promise<Response | undefined> {
  const started = performance.now();
  let answer = await work();
  // In the short form other tests keep the machine busy, and a store may be late: a 503 with Retry-After is then sent again.
  for (let again = 0; !long && again < 20 && answer?.status === 503 && answer.headers.has("retry-after"); again += 1) {
    await answer.text().catch(() => undefined);
    await pause(500);
    answer = await work();
  }
  const list = times.get(what) ?? [];
  times.set(what, list);
  list.push(performance.now() - started);
  if (answer?.status !== expected) failures.push(`${what}: ${answer?.status ?? "no answer"}`);
  return answer;
}

const quote = JSON.stringify({
  ...{ general: { customerIds: ["CUST-001"] }, origin: { postalCode: "2000" }, destination: { postalCode: "3000" } },
  items: [{ quantity: 2, length: 0.4, width: 0.3, height: 0.3, weight: 12 }],
});

async function pushOnce(customer: Customer, random: Randomness): Promise<void> {
  const sent = newPush(randomSubmission(random), long ? undefined : randomUUID());
  await timed(`push ${sent.submission.kind} ${sent.submission.lane}`, 202, () => push(machine.url, customer.key, sent));
  customer.sent.push(sent);
}

async function read(customer: Customer, what: string, path: string): Promise<void> {
  const answer = await timed(what, 200, () => ask(machine.url, customer.key, path));
  await answer?.text();
}

async function oneCall(customer: Customer, random: Randomness): Promise<void> {
  const earlier = customer.sent.length > 0 ? random.pick(customer.sent) : undefined;
  const base = earlier?.submission.kind === "shipments" ? "/v1/org/shipments/imports" : "/v1/org/fulfilment/imports";
  const draw = random.number(100);
  if (draw < 40) {
    const headers = { "content-type": "application/json" };
    const answer = await timed("quote", 200, () =>
      ask(machine.url, customer.key, "/v1/org/quote/getQuote", { method: "POST", headers, body: quote }),
    );
    await answer?.text();
  } else if (draw < 45) await pushOnce(customer, random);
  else if (draw < 75 && earlier) await read(customer, "poll", `${base}/${earlier.importId}`);
  else if (draw < 85 && earlier) await read(customer, "errors", `${base}/${earlier.importId}/errors`);
  else await read(customer, "ledger", "/v1/org/ledger/shipments?limit=50");
}

/** Pushes 50 MB of activities, the largest file that is accepted. */
async function pushLargeFile(customer: Customer): Promise<void> {
  const row = "SYD1,PICK,1,2026-03-01T09:30:00Z,CUST-001,a reference of some length\n";
  const form = new FormData();
  const header = "warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference\n";
  form.append("file", new File([header, row.repeat(Math.floor((52_428_800 - header.length) / row.length))], "large.csv"));
  const answer = await timed("push 50 MB", 202, () =>
    ask(machine.url, customer.key, "/v1/org/fulfilment/activities/file", {
      method: "POST",
      body: form,
      signal: AbortSignal.timeout(120_000),
    }),
  );
  await answer?.text();
}

const percentile = (sorted: readonly number[], share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);

function report(): string {
  const lines = [...times].sort().map(([what, list]) => {
    const sorted = list.toSorted((a, b) => a - b);
    return `${what.padEnd(22)} ${String(list.length).padStart(7)} calls  p50 ${percentile(sorted, 0.5)} ms  p99 ${percentile(sorted, 0.99)} ms`;
  });
  return `${lines.join("\n")}\n`;
}

const resident: Map<string, Resident>[] = [];
const kept: Map<string, Kept>[] = [];
const series: Record<string, (role: string) => number[]> = {
  "own MB": (role) => resident.flatMap((each) => each.get(role)?.own ?? []),
  "mapped MB": (role) => resident.flatMap((each) => each.get(role)?.mapped ?? []),
  "heap MB": (role) => kept.flatMap((each) => each.get(role)?.heap ?? []),
  "buffers MB": (role) => kept.flatMap((each) => each.get(role)?.buffers ?? []),
};
const watchedRoles = () => [...(resident[0]?.keys() ?? [])];

/** All measured values, so that a reader can judge them too. */
function memoryReport(): string {
  const lines = Object.entries(series).flatMap(([what, of]) =>
    watchedRoles().map((role) => `${`${role} ${what}`.padEnd(22)} quarters ${quarters(of(role)).join(" ")}; all ${of(role).join(" ")}\n`),
  );
  return lines.join("");
}

/**
 * Memory in use after a garbage collection may grow by `kept` between a quarter of the time, when caches are filled, and the end: more
 * would be a leak. V8 and malloc keep further memory for later, and how much depends on how busy the machine is: the process's own memory
 * in the last quarter may be above the second quarter's by `own`.
 */
const allowanceMb = { kept: 12, own: 96 };
const shortestMs = 4 * 60_000;

function expectFlat(): void {
  for (const role of watchedRoles()) {
    const after = kept.map((each) => (each.get(role)?.heap ?? 0) + (each.get(role)?.buffers ?? 0));
    const atQuarter = after[Math.ceil((after.length - 1) / 4)] ?? 0;
    expect((after.at(-1) ?? 0) - atQuarter, `MB more that the ${role} keeps`).toBeLessThanOrEqual(allowanceMb.kept);
    const [, second = 0, , last = 0] = quarters(series["own MB"]?.(role) ?? []);
    expect(last - second, `MB more that the ${role} has`).toBeLessThanOrEqual(allowanceMb.own);
  }
}

const sampleMs = 5_000;
const collections = 4;

/** Samples resident memory all the time. Garbage is collected only a few times, so that heaps grow as they do in use. */
async function watch(end: number): Promise<void> {
  const started = Date.now();
  while (Date.now() < end) {
    resident.push(await residentByRole(machine));
    if ((Date.now() - started) * collections > kept.length * durationMs) kept.push(await keptByRole(machine, folder));
    await pause(Math.min(sampleMs, durationMs / 8));
  }
  kept.push(await keptByRole(machine, folder));
}

async function pushLargeFiles(customer: Customer, end: number): Promise<void> {
  await pause(20_000);
  while (Date.now() < end) {
    await pushLargeFile(customer);
    await pause(Math.min(120_000, Math.max(0, end - Date.now())));
  }
}

test("mixed load is answered without an error and every import completes; in the long form memory stays bounded", {
  timeout: 24 * 3_600_000,
}, async () => {
  const random = seeded(firstSeed);
  const end = Date.now() + durationMs;
  const clients = customers.flatMap((customer) =>
    [1, 2].map(async () => {
      const own = random.fork();
      while (Date.now() < end) {
        await oneCall(customer, own);
        await pause(5 + own.number(40));
      }
    }),
  );
  await Promise.all([...clients, watch(end), ...(long && customers[0] ? [pushLargeFiles(customers[0], end)] : [])]);
  process.stderr.write(report() + memoryReport());
  expect(failures).toEqual([]);
  for (const customer of customers) {
    const shown = await untilEnded(machine.url, customer, 600_000);
    expect(shown.filter(({ status }) => status !== "completed")).toEqual([]);
  }
  if (!long) return;
  if (durationMs >= shortestMs) expectFlat();
  const audit = await waybill(["audit", "verify"], machine.environment);
  expect(audit.code, audit.stdout + audit.stderr).toBe(0);
});
