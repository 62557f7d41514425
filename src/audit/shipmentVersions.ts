// Every version a shipment had, from the streams of the imports that wrote it.
import type { Principal } from "../domain/principal.js";
import { decode } from "../events/codec.js";
import type { ImportRequested } from "../events/importEvents.js";
import { streamPrefix } from "../events/streams.js";
import type { EventStore, StoredEvent } from "../ports.js";

export interface ShipmentVersion {
  readonly importId: string;
  readonly by: Principal;
  readonly requestId: string;
  readonly sourceDetails: string;
  readonly fileName: string;
  readonly pushedAt: string;
  /** When the import completed, and with it this version came into the ledger, unless a later push was there already. */
  readonly writtenAt: string;
  /** The import of the later push that stood in the ledger by then: this version was never shown. */
  readonly supersededBy: string | null;
  readonly rows: readonly number[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly items: readonly unknown[];
}

interface OpenImport {
  readonly request: ImportRequested;
  /** Of ImportRequested: what was pushed later wins. */
  readonly pushed: bigint;
  readonly shipments: Map<number, { rows: number[]; fields: Record<string, unknown>; items: unknown[] }>;
}

interface Question {
  readonly eventStore: EventStore;
  readonly organisationId: string;
  readonly shipmentId: string;
  /** Only what had been recorded by then. */
  readonly asOf?: Date | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { events: number; share: number }) => void;
}

interface Written {
  readonly version: Omit<ShipmentVersion, "supersededBy">;
  readonly pushed: bigint;
  /** Of ImportCompleted. */
  readonly completed: bigint;
}

/** In the order they were pushed. Imports that failed or were cancelled wrote nothing. */
export async function shipmentVersions(question: Question): Promise<ShipmentVersion[]> {
  const versions: Written[] = [];
  const open = new Map<string, OpenImport>();
  const head = await question.eventStore.head();
  let events = 0;
  await question.eventStore.replay({ prefixes: [streamPrefix.import], signal: question.signal }, async (batch) => {
    for (const event of batch.events) {
      if (event.metadata.organisation === question.organisationId) hear(event, open, question, versions);
    }
    events += batch.events.length;
    question.onProgress?.({
      events,
      share: head && head.commit > 0n ? Math.min(1, Number(batch.position.commit) / Number(head.commit)) : 1,
    });
  });
  return inPushedOrder(versions);
}

/** Sorting keeps the shipments of one import in their order. */
function inPushedOrder(versions: readonly Written[]): ShipmentVersion[] {
  const sorted = versions.toSorted((one, other) => (one.pushed < other.pushed ? -1 : one.pushed > other.pushed ? 1 : 0));
  return sorted.map(({ version, completed }, index) => {
    const later = sorted.slice(index + 1).find((each) => each.completed <= completed);
    return { ...version, supersededBy: later?.version.importId ?? null };
  });
}

function hear(stored: StoredEvent, open: Map<string, OpenImport>, question: Question, versions: Written[]): void {
  if (question.asOf && stored.recordedAt > question.asOf) return;
  const event = decode(stored);
  if (event?.type === "ImportRequested") {
    const { kind, organisationId } = event.data;
    if (kind === "shipments" && organisationId === question.organisationId)
      open.set(event.stream, { request: event.data, pushed: event.position.commit, shipments: new Map() });
    return;
  }
  const source = open.get(stored.stream);
  if (!source || !event) return;
  if (event.type === "RowAccepted") hearLine(source, event.data, question.shipmentId);
  if (event.type === "ImportCompleted") versions.push(...written(source, event.data.at, event.position.commit));
  if (event.type === "ImportCompleted" || event.type === "ImportFailed" || event.type === "ImportCancelled") open.delete(stored.stream);
}

/** Lines after a shipment's first belong to it by its number. */
function hearLine(
  source: OpenImport,
  { row, shipment = row, values }: { row: number; shipment?: number | undefined; values: Record<string, unknown> },
  shipmentId: string,
): void {
  const known = source.shipments.get(shipment);
  const { item, ...fields } = values;
  if (known) {
    known.rows.push(row);
    known.items.push(item);
  } else if (fields["shipmentId"] === shipmentId) source.shipments.set(shipment, { rows: [row], fields, items: [item] });
}

function written({ request, pushed, shipments }: OpenImport, writtenAt: string, completed: bigint): Written[] {
  const { importId, by, requestId, sourceDetails, file, at } = request;
  const inOrder = [...shipments].sort(([a], [b]) => a - b).map(([, shipment]) => shipment);
  return inOrder.map((shipment) => ({
    version: { importId, by, requestId, sourceDetails, fileName: file.name, pushedAt: at, writtenAt, ...shipment },
    pushed,
    completed,
  }));
}
