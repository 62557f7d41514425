// A caller that pushes and reverses what it has pushed, several times at once, while processes are killed. An acknowledged reversal must be
// applied once. One without an answer is applied or not, and asking again settles it.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { Randomness } from "../randomness.js";
import { everything, type Shown } from "../reckoning.js";
import { ask, type Customer } from "./customer.js";

type Kind = "activities" | "shipments";
const lists = { activities: "/v1/org/fulfilment/imports", shipments: "/v1/org/shipments/imports" };
const pushes = { activities: "/v1/org/fulfilment/activities", shipments: "/v1/org/shipments/imports" };

/** The row of an activity, or the id of a shipment. */
type Name = number | string;

interface Asked {
  readonly importId: string;
  readonly kind: Kind;
  /** Undefined: the whole import. */
  readonly names: readonly Name[] | undefined;
  /** Undefined where no answer came. */
  answer: { readonly reversalId: string | null; readonly reversed: number; readonly alreadyReversed: number } | undefined;
}

export interface Reverser {
  readonly customer: Customer;
  /** By sourceDetails, which are unique: what was pushed. */
  readonly pushed: Map<string, readonly Name[]>;
  readonly asked: Asked[];
}

export const newReverser = (customer: Customer): Reverser => ({ customer, pushed: new Map(), asked: [] });

const rowsEach = 40;
const shipmentIds = Array.from({ length: 12 }, (_, index) => `S-${index}`);
const quantity = 2.5;

const post = (url: string, { key }: Customer, path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(url, key, path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });

/** Pushes and waits for the imports, so that there is something to reverse when the first process is killed. */
export async function prepareReversals(url: string, reverser: Reverser, random: Randomness): Promise<void> {
  for (let push = 0; push < 8; push += 1) await pushSome(url, reverser, random);
  await untilAllEnded(url, reverser.customer);
}

/** Reverses, and pushes now and then, until `until` aborts. */
export async function keepReversing(url: string, reverser: Reverser, random: Randomness, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    if (random.chance(0.3)) await pushSome(url, reverser, random);
    await reverseSome(url, reverser, random);
    await pause(random.number(300), undefined, { signal: until }).catch(() => undefined);
  }
}

async function pushSome(url: string, { customer, pushed }: Reverser, random: Randomness): Promise<void> {
  const kind = random.pick(["activities", "shipments"] as const);
  const sourceDetails = randomUUID();
  const names =
    kind === "activities" ? Array.from({ length: rowsEach }, (_, index) => index + 1) : shipmentIds.filter(() => random.chance(0.7));
  if (names.length === 0) return;
  pushed.set(sourceDetails, names);
  const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity, activityTimestamp: "2026-03-01T09:30:00Z" };
  const place = { originPostCode: "2000", destinationPostCode: "3000", items: [{ itemType: "Carton", itemQuantity: 1 }] };
  const list = names.map((name) => (kind === "activities" ? activity : { ...place, shipmentId: name }));
  const answer = await post(url, customer, pushes[kind], { [kind]: list, sourceDetails }, { "idempotency-key": randomUUID() });
  await answer?.text().catch(() => undefined);
}

/** Asks three times at once for parts of one import, or for all of it. */
async function reverseSome(url: string, reverser: Reverser, random: Randomness): Promise<void> {
  const kind = random.pick(["activities", "shipments"] as const);
  const answer = await ask(url, reverser.customer.key, `${lists[kind]}?limit=100`);
  const page = answer?.ok ? ((await answer.json().catch(() => ({ items: [] }))) as { items: Shown[] }) : { items: [] };
  const completed = page.items.filter(({ status }) => status === "completed");
  if (completed.length === 0) return;
  const { importId, sourceDetails } = random.pick(completed);
  const all = reverser.pushed.get(sourceDetails) ?? [];
  const some = () => {
    const names = all.filter(() => random.chance(0.1));
    return names.length === 0 || random.chance(0.05) ? undefined : names;
  };
  const asked = [some(), some(), some()].map((names): Asked => ({ importId, kind, names, answer: undefined }));
  reverser.asked.push(...asked);
  await Promise.all(asked.map((each) => askOnce(url, reverser.customer, each)));
}

const what = ({ kind, names }: Asked) => {
  if (names === undefined) return { all: true };
  return kind === "activities" ? { rows: names } : { shipmentIds: names };
};

async function askOnce(url: string, customer: Customer, asked: Asked): Promise<void> {
  const answer = await post(url, customer, `${lists[asked.kind]}/${asked.importId}/reversals`, { ...what(asked), reason: "twice" });
  const body = await answer?.json().catch(() => undefined);
  if (body === undefined) return;
  expect([200, 500, 503], JSON.stringify(body)).toContain(answer?.status);
  if (answer?.status === 200) asked.answer = body as NonNullable<Asked["answer"]>;
}

interface Listed {
  readonly reversalId: string;
  readonly count: number;
}

type Reversed = Shown & { readonly reversed: { readonly rows: number; readonly all: boolean } | null };

const patienceMs = 120_000;

export async function reckonReversals(url: string, reverser: Reverser): Promise<void> {
  const { customer, asked } = reverser;
  await untilAllEnded(url, customer);
  expect(asked.length).toBeGreaterThan(0);
  await checkListed(url, reverser);
  for (const each of asked.filter(({ answer }) => answer === undefined)) {
    for (const deadline = Date.now() + patienceMs; each.answer === undefined; await pause(200)) {
      if (Date.now() > deadline) throw new Error(`no answer to a reversal of ${each.importId}`);
      await askOnce(url, customer, each);
    }
  }
  await untilShown(url, reverser);
  await checkListed(url, reverser);
  await checkLedgers(url, reverser);
}

async function untilAllEnded(url: string, customer: Customer): Promise<void> {
  for (const deadline = Date.now() + patienceMs; ; await pause(250)) {
    const shown = (await Promise.all(Object.values(lists).map((path) => everything<Shown>(url, customer.key, path)))).flat();
    if (shown.every(({ status }) => ["completed", "failed", "cancelled"].includes(status))) return;
    if (Date.now() > deadline) throw new Error(`imports that do not end: ${JSON.stringify(shown)}`);
  }
}

const namesOf = ({ pushed }: Reverser, { sourceDetails }: Shown): readonly Name[] => pushed.get(sourceDetails) ?? [];

/** What was asked to be reversed of an import, of the calls that were answered. */
function reversedNames({ asked }: Reverser, importId: string, all: readonly Name[]): Set<Name> {
  const answered = asked.filter((each) => each.importId === importId && each.answer !== undefined);
  return new Set(answered.flatMap(({ names }) => names ?? all));
}

/** The tables have every reversal that was answered. */
async function untilShown(url: string, reverser: Reverser): Promise<void> {
  for (const deadline = Date.now() + patienceMs; ; await pause(250)) {
    const behind: string[] = [];
    for (const path of Object.values(lists)) {
      for (const shown of await everything<Reversed>(url, reverser.customer.key, path)) {
        const count = reversedNames(reverser, shown.importId, namesOf(reverser, shown)).size;
        if ((shown.reversed?.rows ?? 0) !== count) behind.push(`${shown.importId}: ${shown.reversed?.rows} of ${count}`);
      }
    }
    if (behind.length === 0) return;
    if (Date.now() > deadline) throw new Error(`reversed rows that are not shown: ${behind.join("; ")}`);
  }
}

/** Every answered reversal is listed once, with the count of its answer. What was reversed is not more than there is. */
async function checkListed(url: string, { customer, asked, pushed }: Reverser): Promise<void> {
  for (const kind of ["activities", "shipments"] as const) {
    for (const { importId, sourceDetails, status } of await everything<Shown>(url, customer.key, lists[kind])) {
      if (status !== "completed") continue;
      const of = asked.filter((each) => each.importId === importId);
      const answers = of.flatMap(({ answer }) => (answer && answer.reversalId !== null ? [answer] : []));
      const expected = new Map(answers.map(({ reversalId, reversed }) => [reversalId, reversed]));
      expect(expected.size, "two answers name one reversal").toBe(answers.length);
      const path = `${lists[kind]}/${importId}/reversals`;
      let listed = await everything<Listed>(url, customer.key, path);
      for (const deadline = Date.now() + patienceMs; ; await pause(200)) {
        const known = new Set(listed.map(({ reversalId }) => reversalId));
        if (answers.every(({ reversalId }) => known.has(reversalId ?? "")) || Date.now() > deadline) break;
        listed = await everything<Listed>(url, customer.key, path);
      }
      const counts = new Map(listed.map(({ reversalId, count }) => [reversalId as string | null, count]));
      expect(counts.size).toBe(listed.length);
      for (const [reversalId, reversed] of expected) expect(counts.get(reversalId), `reversal ${reversalId} of ${importId}`).toBe(reversed);
      const sum = listed.reduce((total, { count }) => total + count, 0);
      expect(sum, importId).toBeLessThanOrEqual(pushed.get(sourceDetails)?.length ?? 0);
      expect(listed.length - answers.length, `${importId} has reversals that nobody asked for`).toBeLessThanOrEqual(of.length);
    }
  }
}

async function checkLedgers(url: string, reverser: Reverser): Promise<void> {
  const { key } = reverser.customer;
  const left = async (kind: Kind) => {
    const imports = await everything<Shown>(url, key, lists[kind]);
    return imports.reverse().flatMap((shown) => {
      const all = shown.status === "completed" ? namesOf(reverser, shown) : [];
      const gone = reversedNames(reverser, shown.importId, all);
      return all.filter((name) => !gone.has(name)).map((name) => ({ importId: shown.importId, name }));
    });
  };
  const activities = await everything<{ importId: string; row: number }>(url, key, "/v1/org/ledger/activities");
  const counting = await left("activities");
  expect(activities.map(({ importId, row }) => ({ importId, name: row }))).toEqual(counting);
  const totals = (await (await ask(url, key, "/v1/org/ledger/activities/totals"))?.json()) as { total: unknown };
  expect(totals.total).toEqual({ quantity: String(counting.length * quantity), rows: counting.length });
  const shipments = await everything<{ importId: string; shipmentId: string }>(url, key, "/v1/org/ledger/shipments");
  const shown = new Map((await left("shipments")).map(({ importId, name }) => [name, importId] as const));
  expect(new Map(shipments.map(({ importId, shipmentId }) => [shipmentId, importId]))).toEqual(shown);
}
