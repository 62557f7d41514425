// Every version of a shipment, from the streams of the imports that wrote it.
import type { Principal } from "../../domain/principal.js";
import { decode } from "../../events/codec.js";
import { endsImport, type ImportRequested } from "../../events/importEvents.js";
import { streamPrefix } from "../../events/streams.js";
import { type EventStore, type StoredEvent, shareOf } from "../../ports/eventStore.js";

export interface ShipmentVersion {
  readonly importId: string;
  readonly by: Principal;
  readonly requestId: string;
  readonly sourceDetails: string;
  readonly fileName: string;
  readonly pushedAt: string;
  /** When the import completed. The ledger shows the version from then on, unless it already had a later push. */
  readonly writtenAt: string;
  /** The import of a later push that completed earlier: the ledger never showed this version. */
  readonly supersededBy: string | null;
  readonly rows: readonly number[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly items: readonly unknown[];
}

interface OpenImport {
  readonly request: ImportRequested;
  /** Commit position of ImportRequested: the later push wins. */
  readonly pushed: bigint;
  readonly shipments: Map<number, { rows: number[]; fields: Record<string, unknown>; items: unknown[] }>;
}

interface VersionsQuery {
  readonly eventStore: EventStore;
  readonly organisationId: string;
  readonly shipmentId: string;
  /** Later events are left out. */
  readonly asOf?: Date | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { events: number; share: number }) => void;
}

interface Written {
  readonly version: Omit<ShipmentVersion, "supersededBy">;
  readonly pushed: bigint;
  /** Commit position of ImportCompleted. */
  readonly completed: bigint;
}

/** In the order of the pushes. Failed and cancelled imports have written nothing. */
export async function shipmentVersions(question: VersionsQuery): Promise<ShipmentVersion[]> {
  const versions: Written[] = [];
  const open = new Map<string, OpenImport>();
  const head = await question.eventStore.head();
  let events = 0;
  await question.eventStore.replay({ prefixes: [streamPrefix.import], signal: question.signal }, async (batch) => {
    for (const event of batch.events) {
      if (event.metadata.organisation === question.organisationId) applyEvent(event, open, question, versions);
    }
    events += batch.events.length;
    question.onProgress?.({ events, share: shareOf(batch.position, head) });
  });
  return inPushedOrder(versions);
}

/** The sort is stable, so shipments of one import stay in their order. */
function inPushedOrder(versions: readonly Written[]): ShipmentVersion[] {
  const sorted = versions.toSorted((one, other) => (one.pushed < other.pushed ? -1 : one.pushed > other.pushed ? 1 : 0));
  return sorted.map(({ version, completed }, index) => {
    const later = sorted.slice(index + 1).find((each) => each.completed <= completed);
    return { ...version, supersededBy: later?.version.importId ?? null };
  });
}

function applyEvent(stored: StoredEvent, open: Map<string, OpenImport>, question: VersionsQuery, versions: Written[]): void {
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
  if (event.type === "RowAccepted") addLine(source, event.data, question.shipmentId);
  if (event.type === "ImportCompleted") versions.push(...written(source, event.data.at, event.position.commit));
  if (endsImport(event.type)) open.delete(stored.stream);
}

/** Lines belong to a shipment by their id. The number tells apart two elements of a JSON push that have the same id. */
function addLine(
  source: OpenImport,
  { row, shipment = row, values }: { row: number; shipment?: number | undefined; values: Record<string, unknown> },
  shipmentId: string,
): void {
  if (values["shipmentId"] !== shipmentId) return;
  const known = source.shipments.get(shipment);
  const { item, ...fields } = values;
  if (known) {
    known.rows.push(row);
    known.items.push(item);
  } else source.shipments.set(shipment, { rows: [row], fields, items: [item] });
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
