import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { v7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { append, tell } from "../support/importStory.js";
import { createMachine, type Machine, type Product, until, waybill } from "../support/processes.js";
import { startReceiver } from "../support/receiver.js";
import { ask, type Customer } from "./customer.js";
import { manyAtOnce, paceOf } from "./pace.js";
import { allUp, killTarget, type Target, targets, withStoresOf } from "./product.js";
import { type Randomness, seeded } from "./randomness.js";
import { eachRun, long, runs } from "./scale.js";
import { checkHeard, type Listener, listen, toldByTheLog } from "./webhookReceivers.js";

let machine: Machine;
let product: Product;
beforeAll(async () => {
  const environment = { DEMO: "off", RATE_LIMIT_PER_MINUTE: "1000000", MAX_QUEUED_IMPORTS: "100" };
  machine = await createMachine({ ...environment, ...(long ? {} : { LOG_LEVEL: "trace" }) });
  product = await machine.start();
  await allUp(machine);
});
afterAll(() => machine?.clear());

const imports = long ? 10_000 : 60;
const customers = long ? 4 : 2;

const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z", reference: "r" };

/** One row, sent until it is taken: something may be down, and in the long form the queue is full now and then, so that kills hit it all. */
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

/** As an importer records them, without one: the long form is about what happens to events afterwards. Sent until they are there. */
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

/** Kills go on until so many have arrived; the rest is what they left behind. */
const nearlyAll = 0.95;
/** In the long form 49 of 50. */
const recordedAtOnce = 49;

/** Each once in the short form; anything, for as long as `busy`, in the long one. What is sent meanwhile gets some time between two. */
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

/** Nothing waits any more, and every import has ended. Claims of dead workers run out after 30 s; the short form makes that now. */
async function untilAllTold(listeners: readonly Listener[], total: number): Promise<void> {
  const organisations = listeners.map(({ customer }) => customer.organisationId);
  const settled = () =>
    withStoresOf(machine, async ({ pool }) => {
      if (!long) {
        const commands = await machine.processes();
        const living = [...commands].flatMap(([pid, command]) => (command.includes("cli.js worker") ? [`%-${pid}-%`] : []));
        await pool.query("update webhook_deliveries set due_at = now() where claim is not null and not claim like any($1)", [living]);
      }
      const { rows } = await pool.query(
        `select count(*) filter (where status = 'delivered')::int as delivered, count(*) filter (where status = 'waiting')::int as waiting,
                (select count(*)::int from imports where status = 'completed' and organisation_id = any($1)) as completed
           from webhook_deliveries where organisation_id = any($1)`,
        [organisations],
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

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) yield join(entry.parentPath, entry.name);
}

test("secrets are in no log, file, table, event or error; metrics count deliveries, and readiness depends on no endpoint", async () => {
  const customer = await withStoresOf(machine, ({ newCustomer }) => newCustomer());
  const org = ["--org", customer.organisationId];
  const dead = await startReceiver((got, response) => {
    response.statusCode = 500;
    response.end(JSON.stringify(got)); // what it got comes back, and is kept as its answer
    return true;
  });
  const alive = await startReceiver();
  const said: string[] = [];
  const run = async (...args: string[]) => {
    const { stdout, stderr } = await waybill(["webhooks", ...args, ...org], { ...machine.environment, LOG_LEVEL: "trace" });
    said.push(stderr);
    return stdout.trim();
  };
  const secrets = [await run("add", "--url", dead.url), await run("add", "--url", alive.url)];
  const [first] = JSON.parse(await run("list", "--json")) as { endpointId: string }[];
  const { endpointId } = first as { endpointId: string };
  secrets.push(await run("rotate", endpointId));
  said.push(await run("ping", secrets[0] ?? "")); // refused, without repeating it
  await pushOne(customer);
  const metrics = async () => (await fetch(`${machine.url}/metrics`)).text();
  await until(
    "both are told, and one waits",
    async () => /^waybill_webhook_deliveries\{outcome="delivered"\} 2$/m.test(await metrics()) && dead.got.length > 0,
  );
  await until("the oldest has an age", async () => /^waybill_webhook_oldest_unsent_seconds (?!0$)[\d.]+$/m.test(await metrics()));
  expect(await metrics()).toMatch(/^waybill_webhook_deliveries\{outcome="waiting"\} 2$/m);
  expect((await fetch(`${machine.url}/readyz`)).status).toBe(200);
  said.push(await metrics(), await run("deliveries", endpointId, "--json"), product.stdout(), product.stderr());

  await withStoresOf(machine, ({ pool }) => pool.query("checkpoint"));
  const places = new Map<string, Buffer>([["what was said", Buffer.from(said.join("\n"))]]);
  for await (const path of filesBelow(machine.dataDir)) places.set(path, await readFile(path).catch(() => Buffer.alloc(0)));
  expect(secrets.every((secret) => /^whsec_.{44}$/.test(secret))).toBe(true);
  expect([...places.values()].filter((bytes) => bytes.includes(endpointId)).length).toBeGreaterThan(1); // the search finds what is there
  for (const secret of secrets) {
    const raw = Buffer.from(secret.slice("whsec_".length), "base64");
    const forms = [
      raw,
      raw.toString("base64").slice(0, 43),
      raw.toString("base64url"),
      raw.toString("hex"),
      raw.toString("hex").toUpperCase(),
    ];
    for (const [place, bytes] of places)
      expect(
        forms.some((form) => bytes.includes(form)),
        place,
      ).toBe(false);
  }
  await Promise.all([dead.close(), alive.close()]);
});

test("through kills of worker, projector, Postgres and event store every import's events arrive, in order, repeated only under the same id", {
  timeout: 24 * 3_600_000,
}, async () => {
  const signingSecret = await readFile(join(machine.dataDir, "signing-secret"), "utf8");
  const listeners: Listener[] = [];
  await eachRun(runs ?? 1, async (seed) => {
    const random = seeded(seed);
    await withStoresOf(machine, async (stores) => {
      for (let n = 0; n < customers; n += 1) listeners.push(await listen(stores, await stores.newCustomer(), signingSecret));
    });
    const own = listeners.slice(-customers);
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
    await untilAllTold(own, imports);
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
