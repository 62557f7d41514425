// Imports for the portal's pages to show: ended ones, one with rejected rows, and a month of activities.
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { noStream } from "../../../src/ports/eventStore.js";
import { goodsLine, type Row, tell } from "../importStory.js";
import { projectLog } from "../projectLog.js";
import { reverse } from "../reversalStory.js";
import type { TestService } from "../service.js";

/** A customer that no other organisation has. */
export const retailOf = (organisationId: string) => `${organisationId}-retail`;

/** A shipment that no other organisation has. */
export const ownShipmentOf = (organisationId: string) => `${organisationId}-1001`;

/** Adds an import with a month of activities, some of which are reversed. Returns its id. */
export async function addActivities({ pool, eventStore }: TestService, organisationId: string): Promise<string> {
  const charges = ["PICK", "PACK", "PALLET-IN", "STORAGE-PALLET-WEEK", "=LABEL()"];
  const rows = Array.from({ length: 402 }, (_, n): Row => {
    const at = new Date(Date.UTC(2026, 6, 1 + (n % 30), n % 24, n % 60)).toISOString();
    const customer = n % 9 === 0 ? {} : { customerId: n % 3 === 0 ? "CUST-002" : retailOf(organisationId) };
    const value = {
      warehouseCode: n % 2 === 0 ? "SYD-1" : "MEL-2",
      chargeCode: charges[n % charges.length],
      quantity: ((n * 37) % 900) / 4 + 0.1,
    };
    return { accept: { ...value, ...customer, activityTimestamp: at, reference: `ORD-${5000 + n}`, status: "done" } };
  });
  const story = { organisationId, kind: "activities", sourceDetails: "July storage and handling.csv", rows } as const;
  const { importId, stream, events } = tell({ ...story, at: "2026-07-31T10:00:00.000Z" });
  await eventStore.append(stream, events, noStream);
  await reverse(eventStore, { organisationId, importId, rows: [[402, 403]], count: 2, at: "2026-08-03T10:00:00.000Z" });
  await projectLog({ pool, eventStore });
  return importId;
}

/** Adds an import with rejected rows by its events, so that it has a history. */
export async function addRejectedRows({ pool, eventStore, objectStore }: TestService, organisationId: string): Promise<string> {
  const reasons = ["Customer not found", "Valid item quantity is required", "Destination not serviceable: 9999 NOWHERE"];
  const rows = Array.from({ length: 60 }, (_, n): Row => {
    if (n % 2 === 0) return { accept: goodsLine(n === 0 ? ownShipmentOf(organisationId) : `SO-${1000 + n}`), shipment: n + 1 };
    const data = { shipmentId: `SO-${1000 + n}`, customerId: "CUST-404", destinationPostCode: "9999", itemQuantity: "-1" };
    return { reject: reasons[n % 7 === 0 ? 1 : n % 5 === 0 ? 2 : 0] ?? "", handle: `SO-${1000 + n}`, data };
  });
  const importId = randomUUID();
  const file = {
    key: `uploads/${organisationId}/${importId}`,
    name: "tuesday-orders.csv",
    format: "csv",
    size: 48_213,
    sha256: "0".repeat(64),
  } as const;
  const report = `reports/${importId}.xlsx`;
  const at = new Date(Date.now() - 3_600_000).toISOString();
  const story = { importId, organisationId, kind: "shipments", sourceDetails: "tuesday-orders.csv", rows, file, report, at } as const;
  const { stream, events } = tell(story);
  await eventStore.append(stream, events, noStream);
  const here = fileURLToPath(import.meta.url); // any file will do
  for (const key of [file.key, report]) await objectStore.put(key, here, { contentType: "text/csv" });
  await projectLog({ pool, eventStore });
  return importId;
}

/** Imports of earlier days, straight into the table: no test opens their pages. */
export async function addEndedImports({ pool }: TestService, organisationId: string): Promise<void> {
  const ended = [
    { kind: "shipments", name: "monday-orders.csv", status: "completed", received: 12840, failed: 17 },
    { kind: "activities", name: "July storage and handling", status: "completed", received: 1486230, failed: 0 },
    { kind: "shipments", name: "friday-late-orders-from-the-second-warehouse.xlsx", status: "failed", received: 0, failed: 0 },
    { kind: "activities", name: "Returns", status: "cancelled", received: 310, failed: 4 },
  ];
  for (const [index, { kind, name, status, received, failed }] of ended.entries()) {
    await pool.query(
      `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
         file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, started_at, finished_at, revision)
       values (gen_random_uuid(), least((select min(position) from imports), 0) - 1, $1, $2, 'file', $3, $4, 100, $5, $5 - $6::int, $6, 'x', $3, 1, 'x', 'cli:test', '[]',
         now() - $7::int * interval '7 hours', now(), now() - $7::int * interval '7 hours', 1)`,
      [organisationId, kind, name, status, received, failed, index + 1],
    );
  }
}
