// Mixed load on the whole product: quotes, pushes by both lanes, polls, lists, and in the long form a large file now and then.
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMachine, type Machine, waybill } from "../support/processes.js";
import { ask, type Customer, newPush, push } from "./customer.js";
import { allUp, withStoresOf } from "./product.js";
import { type Randomness, seeded } from "./randomness.js";
import { untilSettled } from "./reckoning.js";
import { firstSeed, loadMinutes, long } from "./scale.js";
import { randomSubmission } from "./submissions.js";

let machine: Machine;
let customers: Customer[];
beforeAll(async () => {
  machine = await createMachine({ DEMO: "off", RATE_LIMIT_PER_MINUTE: "1000000", MAX_QUEUED_IMPORTS: "1000" });
  await machine.start();
  await allUp(machine);
  customers = await withStoresOf(machine, ({ newCustomer }) => Promise.all([newCustomer(), newCustomer(), newCustomer()]));
});
afterAll(() => machine?.clear());

const durationMs = long ? (loadMinutes ?? 1) * 60_000 : 6_000;
const times = new Map<string, number[]>();
const failures: string[] = [];

async function timed(what: string, expected: number, work: () => Promise<Response | undefined>): Promise<Response | undefined> {
  const started = performance.now();
  const answer = await work();
  times.set(what, [...(times.get(what) ?? []), performance.now() - started]);
  if (answer?.status !== expected) failures.push(`${what}: ${answer?.status ?? "no answer"}`);
  return answer;
}

const quote = JSON.stringify({
  ...{ general: { customerIds: ["CUST-001"] }, origin: { postalCode: "2000" }, destination: { postalCode: "3000" } },
  items: [{ quantity: 2, length: 0.4, width: 0.3, height: 0.3, weight: 12 }],
});

async function pushOnce(customer: Customer, random: Randomness): Promise<void> {
  const sent = newPush(randomSubmission(random));
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

/** 50 MB of activities, which is the most that a file may have. */
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

async function residentMegabytes(): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  for (const [pid, command] of await machine.processes()) {
    const role = /cli\.js (\w+)/.exec(command)?.[1];
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    if (role) sizes[role] = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }
  return sizes;
}

const percentile = (sorted: readonly number[], share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);

function report(): string {
  const lines = [...times].sort().map(([what, list]) => {
    const sorted = list.toSorted((a, b) => a - b);
    return `${what.padEnd(22)} ${String(list.length).padStart(7)} calls  p50 ${percentile(sorted, 0.5)} ms  p99 ${percentile(sorted, 0.99)} ms`;
  });
  return `${lines.join("\n")}\n`;
}

test("mixed load is answered without a single error, in bounded memory, and every import completes", {
  timeout: 24 * 3_600_000,
}, async () => {
  const random = seeded(firstSeed);
  const end = Date.now() + durationMs;
  const sizes: Record<string, number>[] = [];
  const clients = customers.flatMap((customer) =>
    [1, 2].map(async () => {
      const own = random.fork();
      while (Date.now() < end) {
        await oneCall(customer, own);
        await pause(5 + own.number(40));
      }
    }),
  );
  const measuring = (async () => {
    for (; Date.now() < end; await pause(Math.min(30_000, durationMs / 4))) {
      sizes.push(await residentMegabytes());
      if (long && sizes.length % 6 === 2 && customers[0]) await pushLargeFile(customers[0]);
    }
  })();
  await Promise.all([...clients, measuring]);
  sizes.push(await residentMegabytes());
  process.stderr.write(`${report()}resident MB: ${sizes.map((size) => JSON.stringify(size)).join(" ")}\n`);
  expect(failures).toEqual([]);
  for (const customer of customers) {
    const shown = await untilSettled(machine.url, customer, 600_000);
    expect(shown.filter(({ status }) => status !== "completed")).toEqual([]);
  }
  if (!long) return;
  // Half-way everything that is filled once has been filled.
  for (const [role, last] of Object.entries(sizes.at(-1) ?? {})) {
    expect(last, `memory of the ${role}`).toBeLessThan(1.5 * (sizes[Math.floor(sizes.length / 2)]?.[role] ?? 0) + 64);
  }
  const audit = await waybill(["audit", "verify"], machine.environment);
  expect(audit.code, audit.stdout + audit.stderr).toBe(0);
});
