// Checks after recovery: acknowledged pushes are there, every row has one outcome, the ledgers equal the model's.
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { EventStore, StoredEvent } from "../../src/ports/eventStore.js";
import { expectedAfter, type Push } from "../model/ledgerModel.js";
import { ask, type Customer, type Sent } from "./callers/customer.js";
import { rowsOf } from "./callers/submissions.js";

export interface Shown {
  readonly importId: string;
  readonly status: string;
  readonly progress: number;
  readonly sourceDetails: string;
  readonly counts: { received: number; processed: number; failed: number };
}

const ended = ["completed", "failed", "cancelled"];
const lists = ["/v1/org/shipments/imports", "/v1/org/fulfilment/imports"];

/** All items of a list, page by page. A page that cannot be read is asked for again. */
export async function everything<Item>(url: string, key: string, path: string, deadline = Date.now() + 60_000): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const search: string = `${path.includes("?") ? "&" : "?"}limit=500${cursor ? `&cursor=${cursor}` : ""}`;
    const answer = await ask(url, key, path + search);
    const page = answer?.ok ? ((await answer.json()) as { items: Item[]; nextCursor: string | null }) : undefined;
    if (page) {
      items.push(...page.items);
      cursor = page.nextCursor;
    } else if (Date.now() > deadline) throw new Error(`${path} cannot be read: ${answer?.status ?? "no answer"}`);
    else await pause(200);
  }
  return items;
}

/** Waits until nothing is queued or running, and the lists show every acknowledged push. */
export async function untilEnded(url: string, customer: Customer, deadlineMs = 180_000): Promise<Shown[]> {
  const acknowledged = customer.sent.flatMap(({ importId }) => importId ?? []);
  for (const deadline = Date.now() + deadlineMs; ; await pause(250)) {
    const shown = (await Promise.all(lists.map((path) => everything<Shown>(url, customer.key, path, deadline)))).flat();
    const ids = new Set(shown.map(({ importId }) => importId));
    const missing = acknowledged.filter((importId) => !ids.has(importId));
    const open = shown.filter(({ status }) => !ended.includes(status));
    if (missing.length === 0 && open.length === 0) return shown;
    if (Date.now() > deadline) {
      throw new Error(`not ended: missing ${JSON.stringify(missing)}, unfinished ${JSON.stringify(open)}`);
    }
  }
}

export async function reckon(url: string, customer: Customer, shown: readonly Shown[], eventStore: EventStore): Promise<void> {
  const byName = new Map(customer.sent.map((sent) => [sent.name, sent]));
  const inOrder: { push: Push; end: StoredEvent }[] = [];
  for (const item of shown) {
    const sent = byName.get(item.sourceDetails);
    if (!sent) throw new Error(`import ${item.importId} came from nowhere: ${item.sourceDetails}`);
    if (sent.importId !== undefined) expect(item.importId).toBe(sent.importId);
    if (sent.cancelled) expect(item.status).toBe("cancelled");
    const { kind, shipments, activities } = sent.submission;
    const push = { importId: item.importId, kind, shipments, activities, unusable: false };
    inOrder.push({ push, end: await checkStream(eventStore, sent, item) });
  }
  expect(new Set(shown.map(({ sourceDetails }) => sourceDetails)).size, "a push became two imports").toBe(shown.length);
  inOrder.sort((a, b) => (a.end.position.commit < b.end.position.commit ? -1 : 1));
  await checkLedgers(
    url,
    customer,
    shown,
    inOrder.map(({ push }) => push),
  );
}

const endOf: Record<string, string> = { completed: "ImportCompleted", failed: "ImportFailed", cancelled: "ImportCancelled" };

/** Checks an import's stream: requested, started, one outcome per row in row order, and the end that the API shows. */
async function checkStream(eventStore: EventStore, { submission }: Sent, { importId, status }: Shown): Promise<StoredEvent> {
  const events: StoredEvent[] = [];
  for await (const event of eventStore.read(`import-${importId}`)) events.push(event);
  const types = events.map(({ type }) => type);
  const outcomes = events.filter(({ type }) => type.startsWith("Row"));
  const begun = types.includes("ImportStarted") ? ["ImportStarted"] : [];
  expect(types, importId).toEqual(["ImportRequested", ...begun, ...outcomes.map(({ type }) => type), endOf[status]]);
  const first = submission.lane === "file" ? 2 : 1;
  const rows = outcomes.map(({ data }) => (data as { row: number }).row);
  expect(rows, importId).toEqual(rows.map((_, index) => index + first));
  if (status === "completed") expect(rows, importId).toHaveLength(rowsOf(submission));
  expect(status, "nothing in these submissions makes an import fail").not.toBe("failed");
  return events.at(-1) as StoredEvent;
}

/** `pushes` are in the order in which their imports ended. */
async function checkLedgers(url: string, { key }: Customer, shown: readonly Shown[], pushes: readonly Push[]): Promise<void> {
  const byId = new Map(shown.map((item) => [item.importId, item]));
  const expected = expectedAfter(pushes, (importId) => byId.get(importId)?.status ?? "");
  for (const [importId, counts] of expected.counts) expect(byId.get(importId)?.counts, importId).toEqual(counts);
  const shipments = await everything<{ shipmentId: string; items: unknown; importId: string }>(url, key, "/v1/org/ledger/shipments");
  const ledger = shipments.map(({ shipmentId, items, importId }) => [shipmentId, { items, importId }] as const);
  expect(new Map(ledger)).toEqual(expected.shipments);
  expect(ledger).toHaveLength(expected.shipments.size);
  const activities = await everything<Record<string, unknown>>(url, key, "/v1/org/ledger/activities");
  expect(activities).toHaveLength([...expected.activities.values()].reduce((sum, list) => sum + list.length, 0));
  for (const [importId, list] of expected.activities) {
    const written = activities.filter((row) => row["importId"] === importId).map(({ importId: _, row: __, ...fields }) => fields);
    expect(written, importId).toEqual(list);
  }
}
