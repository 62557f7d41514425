// Callers that correct the same rejected rows at the same time, while processes are killed. Each row must be recorded once.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { Randomness } from "../randomness.js";
import { everything, type Shown } from "../reckoning.js";
import { ask, type Customer } from "./customer.js";

const imports = "/v1/org/fulfilment/imports";
const rowsEach = 6;

export interface Corrector {
  readonly customer: Customer;
  /** The references of all pushed activities. Each is unique. */
  readonly references: Set<string>;
  /** The imports of pushes that were answered 202. */
  readonly acknowledged: Set<string>;
}

export const newCorrector = (customer: Customer): Corrector => ({ customer, references: new Set(), acknowledged: new Set() });

const json = { "content-type": "application/json" };
const post = (url: string, { key }: Customer, path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(url, key, path, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });

/** Pushes rows that are rejected, so that there is something to correct even if kills leave no time for another push. */
export async function prepareCorrections(url: string, corrector: Corrector): Promise<void> {
  await pushRejected(url, corrector);
  expect(corrector.acknowledged.size).toBe(1);
}

/** Pushes rows that are rejected, and sends corrections of all open rows, several at once, until `until` aborts. */
export async function keepCorrecting(url: string, corrector: Corrector, random: Randomness, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    await pushRejected(url, corrector);
    await correctAll(url, corrector.customer, random);
    await pause(random.number(300), undefined, { signal: until }).catch(() => undefined);
  }
}

async function pushRejected(url: string, { customer, references, acknowledged }: Corrector): Promise<void> {
  const activities = Array.from({ length: rowsEach }, () => {
    const reference = randomUUID();
    references.add(reference);
    return {
      warehouseCode: "SYD1",
      chargeCode: "PICK",
      quantity: 1,
      activityTimestamp: "2026-03-01T09:30:00Z",
      customerId: "CUST-999",
      reference,
    };
  });
  const answer = await post(url, customer, "/v1/org/fulfilment/activities", { activities }, { "idempotency-key": randomUUID() });
  const { importId } = ((await answer?.json().catch(() => undefined)) ?? {}) as { importId?: string };
  if (answer?.status === 202 && importId !== undefined) acknowledged.add(importId);
}

/** Sends each correction of open rows three times at once, two of them with the same key. Some corrections are cancelled. */
async function correctAll(url: string, customer: Customer, random: Randomness): Promise<void> {
  for (const { importId, status } of await shownImports(url, customer)) {
    if (status !== "completed") continue;
    const rows = await openRows(url, customer, importId);
    if (rows.length === 0) continue;
    const body = { rows: rows.map((row) => ({ row, values: { customerId: "" } })) };
    const key = { "idempotency-key": randomUUID() };
    const send = (headers: Record<string, string>) => post(url, customer, `${imports}/${importId}/corrections`, body, headers);
    const answers = await Promise.all([send(key), send(key), send({ "idempotency-key": randomUUID() })]);
    if (!random.chance(0.3)) continue;
    const taken = answers.find((answer) => answer?.status === 202);
    const { importId: correction } = ((await taken?.json().catch(() => undefined)) ?? {}) as { importId?: string };
    if (correction !== undefined) await post(url, customer, `${imports}/${correction}/cancel`, {});
  }
}

async function shownImports(url: string, { key }: Customer): Promise<Shown[]> {
  const answer = await ask(url, key, `${imports}?limit=100`);
  return answer?.ok ? (((await answer.json().catch(() => ({ items: [] }))) as { items: Shown[] }).items ?? []) : [];
}

async function openRows(url: string, { key }: Customer, importId: string): Promise<number[]> {
  const answer = await ask(url, key, `${imports}/${importId}/errors?state=open&limit=100`);
  const page = answer?.ok ? ((await answer.json().catch(() => ({ items: [] }))) as { items: { row: number }[] }) : { items: [] };
  return page.items.map(({ row }) => row);
}

const patienceMs = 120_000;

/** Corrects the rows that are left. Then every acknowledged push must be listed, and every row of a completed push in the ledger once. */
export async function reckonCorrections(url: string, { customer, references, acknowledged }: Corrector, random: Randomness): Promise<void> {
  const calm = { ...random, chance: () => false };
  for (const deadline = Date.now() + patienceMs; ; await pause(300)) {
    const shown = await shownImports(url, customer);
    const running = shown.filter(({ status }) => status === "queued" || status === "processing");
    const open = await Promise.all(
      shown.filter(({ status }) => status === "completed").map(({ importId }) => openRows(url, customer, importId)),
    );
    if (shown.length > 0 && running.length === 0 && open.flat().length === 0) break;
    if (Date.now() > deadline)
      throw new Error(`not all rows are corrected: ${running.length} imports run, ${open.flat().length} rows are open`);
    await correctAll(url, customer, calm);
  }
  const written = (await everything<{ reference: string }>(url, customer.key, "/v1/org/ledger/activities")).map(
    ({ reference }) => reference,
  );
  expect(written.length).toBeGreaterThan(0);
  expect(written).toHaveLength(new Set(written).size);
  for (const reference of written) expect(references.has(reference)).toBe(true);
  const listed = await everything<Shown & { correctionOf?: unknown }>(url, customer.key, imports);
  const ids = new Set(listed.map(({ importId }) => importId));
  expect([...acknowledged].filter((importId) => !ids.has(importId))).toEqual([]);
  const pushed = listed.filter(({ status, correctionOf }) => status === "completed" && correctionOf === undefined);
  expect(written).toHaveLength(pushed.length * rowsEach);
}
