// Makes the events of an import without a worker: what its stream would hold after the given rows.
import { randomUUID } from "node:crypto";
import { v5 } from "uuid";
import type { RowsReversed } from "../../src/events/correctionEvents.js";
import type { ImportKind, ImportRequested, RowRejected } from "../../src/events/importEvents.js";
import type { EventType } from "../../src/events/registry.js";
import { streamOf } from "../../src/events/streams.js";
import { versionOf } from "../../src/events/upcasters.js";
import type { EventStore, NewEvent, StoredEvent } from "../../src/ports/eventStore.js";

export type Row =
  | { readonly accept: Record<string, unknown>; readonly shipment?: number }
  | {
      readonly reject: string;
      readonly handle?: string;
      readonly data?: Record<string, string>;
      /** Left out in a story of events that are older than these fields. */
      readonly why?: Pick<RowRejected, "faults" | "lead">;
    };

export interface Story {
  readonly importId?: string;
  readonly organisationId?: string;
  readonly kind: ImportKind;
  readonly source?: "data" | "file";
  readonly sourceDetails?: string;
  readonly rows?: readonly Row[];
  readonly end?: "completed" | "failed" | "cancelled" | "running" | "queued";
  readonly at?: string;
  readonly file?: { key: string; name: string; format: "csv" | "xlsx"; size: number; sha256: string };
  readonly report?: string;
  readonly corrects?: ImportRequested["corrects"];
  readonly sameFileAs?: string;
  readonly columns?: ImportRequested["columns"];
}

export interface Told {
  readonly importId: string;
  readonly stream: string;
  readonly events: readonly NewEvent[];
}

export const activity = (overrides: Record<string, unknown> = {}) => ({
  warehouseCode: "W1",
  chargeCode: "PICK",
  quantity: 3,
  activityTimestamp: "2026-03-01T09:30:00Z",
  ...overrides,
});

export const goodsLine = (shipmentId: string, overrides: Record<string, unknown> = {}) => ({
  shipmentId,
  originPostCode: "2000",
  originSuburb: "Sydney",
  destinationPostCode: "3000",
  destinationSuburb: "Melbourne",
  item: { itemType: "Carton", itemQuantity: 1, itemWeight: 2.5 },
  ...overrides,
});

export function tell(story: Story): Told {
  const importId = story.importId ?? randomUUID();
  const organisationId = story.organisationId ?? "acme";
  const rows = story.rows ?? [];
  const end = story.end ?? "completed";
  const at = story.at ?? "2026-03-01T10:00:00.000Z";
  const worker = { kind: "worker", id: "w1" };
  const told: { type: EventType; data: unknown }[] = [{ type: "ImportRequested", data: requested(importId, organisationId, story, at) }];
  if (end !== "queued") told.push({ type: "ImportStarted", data: { importId, by: worker, catalogueVersion: 1, localities: {}, at } });
  for (const [index, row] of rows.entries()) told.push(outcome(row, index, story));
  const counts = countsOf(story.kind, rows);
  if (end === "completed") {
    const report = story.report ? { key: story.report, size: 10 } : null;
    told.push({ type: "ImportCompleted", data: { importId, counts, report, notes: [], by: worker, at } });
  }
  if (end === "failed")
    told.push({ type: "ImportFailed", data: { importId, reason: "The file broke off.", progress: 40, by: worker, at } });
  if (end === "cancelled")
    told.push({ type: "ImportCancelled", data: { importId, by: { kind: "key", id: "wb_live_1234" }, progress: 40, at } });
  const metadata = { organisation: organisationId, actor: "worker:w1", $correlationId: importId };
  return {
    importId,
    stream: streamOf.import(importId),
    events: told.map((event, ordinal) => ({
      type: event.type,
      json: JSON.stringify(event.data),
      id: v5(String(ordinal), importId),
      // The version before the event store's clock counts: a story has its own times.
      metadata: { ...metadata, v: event.type === "ImportCompleted" ? 2 : versionOf(event.type) },
    })),
  };
}

function requested(importId: string, organisationId: string, story: Story, at: string) {
  return {
    importId,
    organisationId,
    kind: story.kind,
    source: story.source ?? "file",
    sourceDetails: story.sourceDetails ?? "march.csv",
    file: story.file ?? {
      key: `uploads/${organisationId}/${importId}`,
      name: "march.csv",
      format: "csv",
      size: 10,
      sha256: "0".repeat(64),
    },
    by: { kind: "key" as const, id: "wb_live_1234" },
    requestId: "r1",
    at,
    ...(story.corrects && { corrects: story.corrects }),
    ...(story.sameFileAs && { sameFileAs: story.sameFileAs }),
    ...(story.columns && { columns: story.columns }),
  };
}

/** Files number their rows as a spreadsheet shows them: the header is row 1. */
function outcome(row: Row, index: number, { kind, source = "file" }: Story): { type: EventType; data: unknown } {
  const number = index + (source === "file" ? 2 : 1);
  if ("accept" in row) {
    return {
      type: "RowAccepted",
      data: { row: number, ...(kind === "shipments" && { shipment: row.shipment ?? index + 1 }), values: row.accept },
    };
  }
  const handle = kind === "shipments" ? { shipmentId: row.handle ?? "" } : { reference: row.handle ?? null };
  return { type: "RowRejected", data: { row: number, ...handle, error: row.reject, ...row.why, data: row.data ?? {} } };
}

function countsOf(kind: ImportKind, rows: readonly Row[]) {
  const accepted = rows.filter((row) => "accept" in row);
  const shipments = new Set(rows.flatMap((row, index) => ("accept" in row ? [row.shipment ?? index + 1] : [])));
  return {
    received: rows.length,
    processed: kind === "activities" ? accepted.length : shipments.size,
    failed: rows.length - accepted.length,
  };
}

/** The events as the log would return them, but without a log. `start` is the number of the first position. */
export function stored(told: Told, start: number): StoredEvent[] {
  return told.events.map((event, index) => {
    const position = BigInt(start + index) * 100n;
    const { json, ...rest } = event;
    return {
      ...rest,
      data: JSON.parse(json),
      stream: told.stream,
      revision: BigInt(index),
      position: { commit: position, prepare: position },
      recordedAt: new Date(0),
    };
  });
}

/** The event of a reversal by a member. */
export function reversal(of: { importId: string; organisationId?: string }, data: Partial<RowsReversed> = {}): NewEvent {
  const { importId, organisationId = "acme" } = of;
  const made = { importId, reversalId: randomUUID(), rows: "all", count: 1, reason: "sent twice", at: "2026-03-02T10:00:00.000Z" };
  return {
    id: randomUUID(),
    type: "RowsReversed",
    json: JSON.stringify({ ...made, by: { kind: "member", id: "m-1" }, ...data }),
    metadata: { organisation: organisationId, actor: "member:m-1", $correlationId: importId, v: 1 }, // as in a story: with its own time
  };
}

export async function append(eventStore: EventStore, told: Told): Promise<void> {
  for (let from = 0; from < told.events.length; from += 500) {
    await eventStore.append(told.stream, told.events.slice(from, from + 500), BigInt(from) - 1n);
  }
}
