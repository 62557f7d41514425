import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { v7 } from "uuid";
import { afterEach, expect, test } from "vitest";
import { append, tell } from "../support/importStory.js";
import { createMachine, type Machine, type Product } from "../support/processes.js";
import { ask, type Customer } from "./callers/customer.js";
import {
  addOddEndpoints,
  checkHeard,
  type Listener,
  listen,
  stopListening,
  toldByTheLog,
  untilAllTold,
  worstReceivers,
} from "./callers/webhookReceivers.js";
import { allUp, killTarget, type Target, targets, withStoresOf } from "./machines/product.js";
import { manyAtOnce, paceOf } from "./pace.js";
import { type Randomness, seeded } from "./randomness.js";
import { eachRun, long, runs } from "./scale.js";

let machine: Machine;
let product: Product;
afterEach(async () => {
  await machine?.clear();
  await stopListening();
});

const imports = long ? 10_000 : 60;
const customers = long ? 4 : 2;

const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z", reference: "r" };

/** Pushes one row until it is accepted: a process may be down, and in the long form the queue is full now and then. */
async function pushOne({ key }: Customer): Promise<void> {
  const headers = { "content-type": "application/json", "idempotency-key": v7() };
  const body = JSON.stringify({ activities: [activity] });
  for (const deadline = Date.now() + 600_000; Date.now() < deadline; await pause(250)) {
    const answer = await ask(machine.url, key, "/v1/org/fulfilment/activities", { method: "POST", headers, body });
    await answer?.text().catch(() => undefined);
    if (answer?.status === 202) return;
  }
  throw new Error("a push was not taken");
}

/** Records imports as an importer would, until they are there. The long form tests what happens to events afterwards, and needs no importer. */
async function recordSome({ organisationId }: Customer, count: number): Promise<void> {
  const stories = Array.from({ length: count }, () => tell({ kind: "activities", organisationId, rows: [{ reject: "x" }] }));
  for (const deadline = Date.now() + 600_000; Date.now() < deadline; await pause(250)) {
    const write = withStoresOf(machine, ({ eventStore }) => Promise.all(stories.map((story) => append(eventStore, story))));
    const there = await write.then(
      () => true,
      () => false,
    );
    if (there) return;
  }
  throw new Error("events were not recorded");
}

/** Kills go on until this share of the events has arrived. The rest must arrive without kills. */
const nearlyAll = 0.95;
/** In the long form 49 of 50 imports are recorded directly, and one is pushed. */
const recordedAtOnce = 49;

/** Kills a fixed list of processes in the short form, and random ones while `busy` in the long form, with a pause before each. */
async function keepKilling(random: Randomness, busy: () => boolean): Promise<number> {
  const order: Target[] = ["worker", "postgres", "projector", "eventstore", "worker"];
  let kills = 0;
  while (long ? busy() : kills < order.length) {
    await pause(long ? 2_000 + random.number(18_000) : 300 + random.number(700));
    product = await killTarget(machine, product, long ? random.pick(targets) : (order[kills] as Target));
    kills += 1;
  }
  return kills;
}

test("through kills of worker, projector, Postgres and event store, and beside receivers that never answer, every import's events arrive, in order, repeated only under the same id", {
  timeout: 24 * 3_600_000,
}, async () => {
  machine = await createMachine({ DEMO: "off", RATE_LIMIT_PER_MINUTE: "1000000", MAX_QUEUED_IMPORTS: "100" });
  product = await machine.start();
  await allUp(machine);
  const signingSecret = await readFile(join(machine.dataDir, "signing-secret"), "utf8");
  const listeners: Listener[] = [];
  const beside: Customer[] = []; // whose endpoints answer 101, hang or break off
  await eachRun(runs ?? 1, async (seed) => {
    const random = seeded(seed);
    await withStoresOf(machine, async (stores) => {
      for (let n = 0; n < customers; n += 1) listeners.push(await listen(stores, await stores.newCustomer(), signingSecret));
      const odd = await stores.newCustomer();
      await addOddEndpoints(stores, odd, signingSecret, worstReceivers);
      beside.push(odd);
    });
    const own = listeners.slice(-customers);
    const odd = beside.at(-1) as Customer;
    for (let n = 0; n < worstReceivers.length; n += 1) await recordSome(odd, long ? 100 : 10);
    const pace = paceOf("imports", imports);
    let [begun, pushed] = [0, 0];
    let pushing = true;
    const heard = () => own.reduce((sum, { receiver }) => sum + receiver.got.length, 0);
    const busy = () => pushing || heard() < nearlyAll * 2 * imports;
    const pushes = manyAtOnce(long ? imports / (recordedAtOnce + 1) : imports, 8, async () => {
      const { customer } = own[begun++ % customers] as Listener;
      if (long) await recordSome(customer, recordedAtOnce);
      await pushOne(customer);
      pushed += long ? recordedAtOnce + 1 : 1;
      pace(pushed);
    }).finally(() => {
      pushing = false;
    });
    const [kills] = await Promise.all([keepKilling(random, busy), pushes]);
    await allUp(machine);
    await untilAllTold(machine, own, { events: 2 * imports, completed: imports });
    const told = await withStoresOf(machine, ({ eventStore }) => toldByTheLog(eventStore));
    let repeated = 0;
    for (const listener of own) {
      const expected = told.get(listener.customer.organisationId) ?? new Map();
      expect(expected.size).toBe(imports / customers);
      for (const events of expected.values()) expect(events).toHaveLength(2);
      repeated += checkHeard(listener, expected);
    }
    if (long) process.stderr.write(`${imports} imports, ${kills} kills, ${2 * imports} events told, ${repeated} of them repeated\n`);
  });
});
