// Compares rows by one digest per import, and one by one only where the digests differ.
import { createHash, type Hash } from "node:crypto";
import type { PoolClient } from "pg";
import { decode } from "../../events/codec.js";
import { readRowEvents } from "../../events/importLayout.js";
import type { EventStore } from "../../ports/eventStore.js";
import { type AuditedImport, ownerOf } from "../evidence/evidence.js";
import { type Findings, shortJson } from "../findings.js";
import { activityShape, lineShape, type RowShape, type RowTable, rejectionShape, rowColumns, rowFields, tableShape } from "../rowShapes.js";
import { readSnapshotRows } from "../snapshot.js";

export const rowTables: readonly RowTable[] = ["activities", "shipment_lines", "rejections"];

interface Sources {
  readonly client: PoolClient;
  readonly eventStore: EventStore;
  readonly findings: Findings;
}

/** `positions` narrows the comparison to these imports. Without it, rows that belong to no import are found as well. */
export async function compareRows(
  { client, eventStore, findings }: Sources,
  table: RowTable,
  imports: ReadonlyMap<string, AuditedImport>,
  positions: readonly string[] | undefined,
): Promise<void> {
  const found = await digestsByImport(client, table, positions);
  for (const [position, { rows, digest }] of found) {
    if (imports.has(position)) continue;
    const sentence = `${rows} rows of ${table} at position ${position} (digest ${digest.slice(0, 8)}) belong to no import`;
    findings.add({ sentence }, rows);
  }
  for (const [position, audited] of imports) {
    const expected = expectedRows(table, audited);
    const { rows, digest } = found.get(position) ?? nothing;
    if (rows === expected.rows && digest === expected.digest) continue;
    await compareOneByOne({ client, eventStore, findings }, table, audited);
  }
}

const nothing = { rows: 0, digest: createHash("sha256").digest("hex") };

/** shipment_lines has goods lines only while their import runs. A failed or cancelled activity import has no rows. */
function expectedRows(table: RowTable, { requested, ended, accepted, rejected }: AuditedImport): { rows: number; digest: string } {
  if (table === "rejections") return rejected;
  const { kind } = requested.data;
  if (table === "activities") return kind === "activities" && (!ended || ended.type === "ImportCompleted") ? accepted : nothing;
  return kind === "shipments" && !ended ? accepted : nothing;
}

async function digestsByImport(client: PoolClient, table: RowTable, positions: readonly string[] | undefined) {
  const hashes = new Map<string, { rows: number; readonly hash: Hash }>();
  const query = `select import_position, ${rowColumns[table]} from ${table}
                  where $1::bigint[] is null or import_position = any($1) order by import_position, "row"`;
  for await (const [position, ...columns] of readSnapshotRows(client, query, [positions ?? null])) {
    const own = hashes.get(String(position)) ?? { rows: 0, hash: createHash("sha256") };
    own.rows += 1;
    own.hash.update(`${JSON.stringify(tableShape(table, columns))}\n`);
    hashes.set(String(position), own);
  }
  return new Map([...hashes].map(([position, { rows, hash }]) => [position, { rows, digest: hash.digest("hex") }]));
}

async function compareOneByOne({ client, eventStore, findings }: Sources, table: RowTable, audited: AuditedImport): Promise<void> {
  const report = (sentence: string) => findings.add({ ...ownerOf(audited), sentence });
  const query = `select ${rowColumns[table]} from ${table} where import_position = $1 order by "row"`;
  const stored = readSnapshotRows(client, query, [String(audited.requested.position.commit)]);
  const recorded = expectedRows(table, audited).rows > 0 ? rowsOfStream(eventStore, table, audited) : none();
  try {
    let [row, event] = [await stored.next(), await recorded.next()];
    while (!row.done || !event.done) {
      const shape = row.done ? undefined : tableShape(table, row.value);
      const expected = event.done ? undefined : event.value;
      const order = numberOf(shape) - numberOf(expected);
      if (order > 0) report(`row ${expected?.[0]} is missing from ${table}`);
      else if (order < 0) report(`row ${shape?.[0]} of ${table} has no counterpart in the stream`);
      else reportDifferences(table, shape ?? [], expected ?? [], report);
      if (order <= 0) row = await stored.next();
      if (order >= 0) event = await recorded.next();
    }
  } finally {
    await stored.return(undefined);
  }
}

const numberOf = (shape: RowShape | undefined): number => (shape === undefined ? Number.MAX_SAFE_INTEGER : Number(shape[0]));

function reportDifferences(table: RowTable, shape: RowShape, expected: RowShape, report: (sentence: string) => void): void {
  const fields = rowFields[table].filter((_, index) => shape[index] !== expected[index]);
  if (fields.length === 0) return;
  const index = rowFields[table].indexOf(fields[0] ?? "");
  const [found, wanted] = [shape[index], expected[index]].map(shortJson);
  const more = fields.length > 1 ? ` (and ${fields.slice(1).join(", ")})` : "";
  report(`row ${shape[0]} of ${table}: ${fields[0]} is ${found}, the stream says ${wanted}${more}`);
}

async function* none(): AsyncGenerator<RowShape> {}

async function* rowsOfStream(
  eventStore: EventStore,
  table: RowTable,
  { importId, requested, revision }: AuditedImport,
): AsyncGenerator<RowShape> {
  for await (const stored of readRowEvents(eventStore, importId)) {
    if (stored.revision > revision) return;
    const event = decode(stored);
    if (event?.type === "RowRejected" && table === "rejections") yield rejectionShape(event.data, requested.data.kind);
    if (event?.type === "RowAccepted" && table === "activities") yield activityShape(event.data);
    if (event?.type === "RowAccepted" && table === "shipment_lines") yield lineShape(event.data);
  }
}
