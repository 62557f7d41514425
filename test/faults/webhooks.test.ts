import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { v7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMachine, type Machine, type Product, until } from "../support/processes.js";
import { ask, type Customer } from "./customer.js";
import { manyAtOnce, paceOf } from "./pace.js";
import { allUp, killTarget, type Target, targets, withStoresOf } from "./product.js";
import { type Randomness, seeded } from "./randomness.js";
import { eachRun, long, runs } from "./scale.js";
import { checkHeard, type Listener, listen, toldByTheLog } from "./webhookReceivers.js";

let machine: Machine;
let product: Product;
beforeAll(async () => {
  machine = await createMachine({ DEMO: "off", RATE_LIMIT_PER_MINUTE: "1000000", MAX_QUEUED_IMPORTS: "10000" });
  product = await machine.start();
  await allUp(machine);
});
afterAll(() => machine?.clear());

const imports = long ? 10_000 : 120;
const customers = long ? 4 : 2;

const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z", reference: "r" };

/** One row, sent until it is taken. */
async function pushOne({ key }: Customer): Promise<void> {
  const headers = { "content-type": "application/json", "idempotency-key": v7() };
  const body = JSON.stringify({ activities: [activity] });
  await until("the push is taken", async () => {
    const answer = await ask(machine.url, key, "/v1/org/fulfilment/activities", { method: "POST", headers, body });
    await answer?.text().catch(() => undefined);
    return answer?.status === 202;
  });
}

/** Each once in the short form; anything, for as long as `busy`, in the long one. */
async function keepKilling(random: Randomness, busy: () => boolean): Promise<number> {
  const order: Target[] = ["worker", "postgres", "projector", "eventstore", "worker"];
  let kills = 0;
  while (long ? busy() : kills < order.length) {
    await pause(long ? 2_000 + random.number(8_000) : 300 + random.number(700));
    product = await killTarget(machine, product, long ? random.pick(targets) : (order[kills] as Target));
    kills += 1;
  }
  return kills;
}

/** Nothing waits any more, and every import has ended. Claims of dead workers run out after 45 s; the short form makes that now. */
async function untilAllTold(total: number): Promise<void> {
  const settled = () =>
    withStoresOf(machine, async ({ pool }) => {
      if (!long) {
        const commands = await machine.processes();
        const living = [...commands].flatMap(([pid, command]) => (command.includes("cli.js worker") ? [`%-${pid}-%`] : []));
        await pool.query("update webhook_deliveries set due_at = now() where claim is not null and not claim like any($1)", [living]);
      }
      const { rows } = await pool.query(
        `select count(*) filter (where status = 'delivered')::int as delivered, count(*) filter (where status = 'waiting')::int as waiting,
                (select count(*)::int from imports where status = 'completed') as completed from webhook_deliveries`,
      );
      return rows[0] as { delivered: number; waiting: number; completed: number };
    });
  let seen = {};
  await until(
    "everything is told",
    async () => {
      const now = await settled().catch(() => undefined);
      seen = now ?? seen;
      return now !== undefined && now.waiting === 0 && now.completed >= total && now.delivered >= 2 * total;
    },
    long ? 3_600_000 : 120_000,
  ).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}: ${JSON.stringify(seen)}`);
  });
}

test("through kills of worker, projector, Postgres and event store every import's events arrive, in order, repeated only under the same id", {
  timeout: 24 * 3_600_000,
}, async () => {
  const signingSecret = await readFile(join(machine.dataDir, "signing-secret"), "utf8");
  let total = 0;
  const listeners: Listener[] = [];
  await eachRun(runs ?? 1, async (seed) => {
    const random = seeded(seed);
    await withStoresOf(machine, async (stores) => {
      for (let n = 0; n < customers; n += 1) listeners.push(await listen(stores, await stores.newCustomer(), signingSecret));
    });
    const own = listeners.slice(-customers);
    const pace = paceOf("imports pushed", imports);
    let [begun, pushed] = [0, 0];
    let busy = true;
    const pushing = manyAtOnce(imports, 8, async () => {
      await pushOne((own[begun++ % customers] as Listener).customer);
      pace(++pushed);
    }).finally(() => {
      busy = false;
    });
    const [kills] = await Promise.all([keepKilling(random, () => busy), pushing]);
    total += imports;
    await allUp(machine);
    await untilAllTold(total);
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
  for (const { receiver } of listeners) await receiver.close();
});
