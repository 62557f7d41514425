// Every version of a shipment, from the streams of the imports that wrote it and of their reversals.
import type { Principal } from "../../domain/principal.js";
import { decode } from "../../events/codec.js";
import { type ImportRequested, isImportEnding } from "../../events/importEvents.js";
import { streamPrefix } from "../../events/streams.js";
import { type EventStore, type StoredEvent, shareOf } from "../../ports/eventStore.js";
import { type Reversal, reversalsOfImport } from "../evidence/reversalEvidence.js";

export interface RecordedVersion {
  readonly importId: string;
  readonly by: Principal;
  readonly requestId: string;
  readonly sourceDetails: string;
  readonly fileName: string;
  readonly pushedAt: string;
  /** When the import completed. */
  readonly writtenAt: string;
  /** When the version came into the ledger: when it was written, or when the later push was reversed that was there first. Null: it never did. */
  readonly shownAt: string | null;
  /** The import of the later push that was there first, of a version that was never in the ledger. */
  readonly supersededBy: string | null;
  readonly reversed: { readonly at: string; readonly reason: string; readonly by: Principal; readonly reversalId: string } | null;
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
  /** What was recorded or reversed later is left out. */
  readonly asOf?: Date | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { events: number; share: number }) => void;
}

interface WrittenVersion {
  readonly version: Omit<RecordedVersion, "shownAt" | "supersededBy" | "reversed">;
  /** Its number in the import. */
  readonly number: number;
  readonly pushed: bigint;
  /** Commit position of ImportCompleted. */
  readonly completed: bigint;
  reversal?: Reversal | undefined;
}

/** In the order of the pushes. Failed and cancelled imports have written nothing. */
export async function shipmentVersions(question: VersionsQuery): Promise<RecordedVersion[]> {
  const versions: WrittenVersion[] = [];
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
  await addReversals(versions, question);
  return inPushedOrder(versions);
}

/** Shipments of one import with the same id are reversed together, whichever of them a reversal names. */
async function addReversals(versions: readonly WrittenVersion[], { eventStore, asOf }: VersionsQuery): Promise<void> {
  for (const importId of new Set(versions.map(({ version }) => version.importId))) {
    const own = versions.filter(({ version }) => version.importId === importId);
    const reversals = await reversalsOfImport(eventStore, importId);
    const found = own.flatMap(({ number }) => reversals.ofShipment(number) ?? []);
    const made = found.find(({ data }) => asOf === undefined || new Date(data.at) <= asOf);
    for (const each of own) each.reversal = made;
  }
}

/** The sort is stable, so shipments of one import stay in their order. */
function inPushedOrder(versions: readonly WrittenVersion[]): RecordedVersion[] {
  const sorted = versions.toSorted((one, other) => (one.pushed < other.pushed ? -1 : one.pushed > other.pushed ? 1 : 0));
  return sorted.map((own, index) => {
    const later = sorted.slice(index + 1);
    const { version, reversal } = own;
    const shownAt = cameIntoLedger(own, later);
    return {
      ...version,
      shownAt,
      supersededBy: shownAt === null ? (later.find((each) => isThere(each, own.completed))?.version.importId ?? null) : null,
      reversed: reversal
        ? { at: reversal.data.at, reason: reversal.data.reason, by: reversal.data.by, reversalId: reversal.data.reversalId }
        : null,
    };
  });
}

/** Whether a version can be in the ledger at a place in the event log. */
const isThere = ({ completed, reversal }: WrittenVersion, place: bigint): boolean =>
  completed <= place && (reversal === undefined || reversal.position.commit > place);

/** A version comes into the ledger when it completes, or when a later push is reversed, unless another later push is there. */
function cameIntoLedger(own: WrittenVersion, later: readonly WrittenVersion[]): string | null {
  const places = [
    { place: own.completed, at: own.version.writtenAt },
    ...later.flatMap(({ reversal }) => (reversal ? [{ place: reversal.position.commit, at: reversal.data.at }] : [])),
  ].sort((one, other) => (one.place < other.place ? -1 : 1));
  return places.find(({ place }) => isThere(own, place) && !later.some((each) => isThere(each, place)))?.at ?? null;
}

function applyEvent(stored: StoredEvent, open: Map<string, OpenImport>, question: VersionsQuery, versions: WrittenVersion[]): void {
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
  if (event.type === "ImportCompleted") versions.push(...versionsWritten(source, event.data.at, event.position.commit));
  if (isImportEnding(event.type)) open.delete(stored.stream);
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

function versionsWritten({ request, pushed, shipments }: OpenImport, writtenAt: string, completed: bigint): WrittenVersion[] {
  const { importId, by, requestId, sourceDetails, file, at } = request;
  const inOrder = [...shipments].sort(([a], [b]) => a - b);
  return inOrder.map(([number, shipment]) => ({
    number,
    version: { importId, by, requestId, sourceDetails, fileName: file.name, pushedAt: at, writtenAt, ...shipment },
    pushed,
    completed,
  }));
}
