import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.js";
import { createMachine, type Machine, type Product, waybill } from "../support/processes.js";
import { keepCorrecting, newCorrector, prepareCorrections, reckonCorrections } from "./callers/corrector.js";
import { type Customer, keepPushing } from "./callers/customer.js";
import { keepReversing, newReverser, prepareReversals, reckonReversals } from "./callers/reverser.js";
import { checkHeard, type Listener, listen, stopListening, toldByTheLog, untilAllTold } from "./callers/webhookReceivers.js";
import { allUp, killTarget, type Target, targets, withStoresOf } from "./machines/product.js";
import { type Randomness, seeded } from "./randomness.js";
import { reckon, untilEnded } from "./reckoning.js";
import { eachRun, long, runs } from "./scale.js";

let machine: Machine | undefined;
let product: Product;
afterEach(async () => {
  await machine?.clear();
  machine = undefined;
  await stopListening();
});

/** A machine is used for several runs, so that later runs begin after earlier crashes; not for more, since audits read its whole log. */
const runsPerMachine = 8;

async function readyMachine(): Promise<Machine> {
  machine ??= await createMachine({ DEMO: "off", RATE_LIMIT_PER_MINUTE: "1000000", MAX_QUEUED_IMPORTS: "1000" });
  if ((await machine.processes()).size === 0) product = await machine.start();
  await allUp(machine);
  return machine;
}

/** The processes to kill: each once in the short form, a few random ones in the long form. */
function killsOf(random: Randomness): Target[] {
  if (long) return Array.from({ length: 2 + random.number(4) }, () => random.pick(targets));
  const order = [...targets];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = random.number(last + 1);
    [order[last], order[other]] = [order[other] as Target, order[last] as Target];
  }
  return order;
}

async function withEndpoints(at: Machine, customers: readonly Customer[]): Promise<Listener[]> {
  const signingSecret = await readFile(join(at.dataDir, "signing-secret"), "utf8");
  return withStoresOf(at, (stores) => Promise.all(customers.map((customer) => listen(stores, customer, signingSecret))));
}

/** Checks that every event that the log says endpoints must get has reached them, in order, repeated only under the same id. */
async function allAreTold(at: Machine, listeners: readonly Listener[]): Promise<void> {
  const log = await withStoresOf(at, ({ eventStore }) => toldByTheLog(eventStore));
  const told = listeners.map((listener) => ({ listener, expected: log.get(listener.customer.organisationId) ?? new Map() }));
  const events = told.flatMap(({ expected }) => [...expected.values()]).flat().length;
  expect(events).toBeGreaterThan(0);
  await untilAllTold(at, listeners, { events, completed: 0 });
  for (const { listener, expected } of told) checkHeard(listener, expected);
}

async function runOnce(seed: number): Promise<void> {
  const random = seeded(seed);
  const at = await readyMachine();
  const customers = await withStoresOf(at, ({ newCustomer }) => Promise.all(Array.from({ length: long ? 3 : 2 }, newCustomer)));
  const listeners = long ? [] : await withEndpoints(at, customers); // test/faults/webhooks.long.test.ts has the long form with endpoints
  const done = new AbortController();
  const corrector = newCorrector(await withStoresOf(at, ({ newCustomer }) => newCustomer()));
  const reverser = newReverser(await withStoresOf(at, ({ newCustomer }) => newCustomer()));
  await prepareReversals(at.url, reverser, random.fork());
  await prepareCorrections(at.url, corrector);
  const pushing = [
    ...customers.map((customer) => keepPushing(at.url, customer, random.fork(), done.signal)),
    keepCorrecting(at.url, corrector, random.fork(), done.signal),
    keepReversing(at.url, reverser, random.fork(), done.signal),
  ];
  try {
    for (const target of killsOf(random)) {
      await pause(200 + random.number(long ? 1_800 : 800));
      product = await killTarget(at, product, target);
    }
    await pause(500);
    await eventually(() => customers.some(({ sent }) => sent.some(({ importId }) => importId !== undefined)), "an accepted push");
  } finally {
    done.abort();
    await Promise.all(pushing);
  }
  await allUp(at);
  for (const customer of customers) {
    const shown = await untilEnded(at.url, customer);
    await withStoresOf(at, ({ eventStore }) => reckon(at.url, customer, shown, eventStore));
  }
  if (listeners.length > 0) await allAreTold(at, listeners);
  await reckonCorrections(at.url, corrector, random.fork());
  await reckonReversals(at.url, reverser);
  const audit = await waybill(["audit", "verify"], at.environment);
  expect(audit.code, audit.stdout + audit.stderr).toBe(0);
}

test("after kills of any process nothing acknowledged is lost, nothing is done twice, endpoints got all events, and the audit is clean", {
  timeout: 24 * 3_600_000,
}, async () => {
  let n = 0;
  await eachRun(runs ?? 1, async (seed) => {
    if (n++ % runsPerMachine === 0) {
      await machine?.clear();
      machine = undefined;
    }
    await runOnce(seed);
  });
});
