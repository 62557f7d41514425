// Every version of a shipment, from the streams of the imports that wrote it and of their reversals.
import type { Principal } from "../../domain/principal.js";
import { decode } from "../../events/codec.js";
import { type ImportRequested, isImportEnding } from "../../events/importEvents.js";
import { streamPrefix } from "../../events/streams.js";
import { type EventStore, fractionOfLog, type StoredEvent } from "../../ports/eventStore.js";
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
  /** When the version entered the ledger: at `writtenAt`, or when a later push that kept it out was reversed. Null if it never did. */
  readonly shownAt: string | null;
  /** The import whose later version kept this one out of the ledger, perhaps the same import. Null if this version has been in the ledger. */
  readonly supersededBy: string | null;
  readonly reversed: { readonly at: string; readonly reason: string; readonly by: Principal; readonly reversalId: string } | null;
  readonly rows: readonly number[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly items: readonly unknown[];
}

/** An import of shipments whose end has not been read yet. */
interface OpenImport {
  readonly request: ImportRequested;
  /** Commit position of ImportRequested: of two pushes with the same shipment, the ledger has the later one's version. */
  readonly pushPosition: bigint;
  readonly shipments: Map<number, { rows: number[]; fields: Record<string, unknown>; items: unknown[] }>;
}

interface VersionsQuery {
  readonly eventStore: EventStore;
  readonly organisationId: string;
  readonly shipmentId: string;
  /** Events that were recorded later are ignored. */
  readonly asOf?: Date | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { events: number; fraction: number }) => void;
}

interface WrittenVersion {
  readonly version: Omit<RecordedVersion, "shownAt" | "supersededBy" | "reversed">;
  /** The shipment's number in the import. */
  readonly number: number;
  readonly pushPosition: bigint;
  /** Commit position of ImportCompleted. */
  readonly completionPosition: bigint;
  reversal?: Reversal | undefined;
}

/** The versions in the order of their pushes. Failed and cancelled imports have written none. */
export async function deriveShipmentVersions(query: VersionsQuery): Promise<RecordedVersion[]> {
  const versions: WrittenVersion[] = [];
  const openImports = new Map<string, OpenImport>();
  const head = await query.eventStore.head();
  let events = 0;
  await query.eventStore.replay({ prefixes: [streamPrefix.import], signal: query.signal }, async (batch) => {
    for (const event of batch.events) {
      if (event.metadata.organisation === query.organisationId) applyEvent(event, openImports, query, versions);
    }
    events += batch.events.length;
    query.onProgress?.({ events, fraction: fractionOfLog(batch.position, head) });
  });
  await addReversals(versions, query);
  return inPushOrder(versions);
}

/** Shipments of one import with the same id are reversed together, whichever of them a reversal names. */
async function addReversals(versions: readonly WrittenVersion[], { eventStore, asOf }: VersionsQuery): Promise<void> {
  for (const importId of new Set(versions.map(({ version }) => version.importId))) {
    const versionsOfImport = versions.filter(({ version }) => version.importId === importId);
    const reversals = await reversalsOfImport(eventStore, importId);
    const candidates = versionsOfImport.flatMap(({ number }) => reversals.ofShipment(number) ?? []);
    const reversal = candidates.find(({ data }) => asOf === undefined || new Date(data.at) <= asOf);
    for (const each of versionsOfImport) each.reversal = reversal;
  }
}

/** The sort is stable, so one import's shipments with the same id stay in their order. */
function inPushOrder(versions: readonly WrittenVersion[]): RecordedVersion[] {
  const sorted = versions.toSorted((one, other) => Number(one.pushPosition - other.pushPosition));
  return sorted.map((written, index) => {
    const later = sorted.slice(index + 1);
    const { version, reversal, completionPosition } = written;
    const shownAt = ledgerEntryTime(written, later);
    return {
      ...version,
      shownAt,
      supersededBy: shownAt === null ? (later.find((each) => isEffectiveAt(completionPosition, each))?.version.importId ?? null) : null,
      reversed: reversal
        ? { at: reversal.data.at, reason: reversal.data.reason, by: reversal.data.by, reversalId: reversal.data.reversalId }
        : null,
    };
  });
}

/** Whether a version's import is completed, and the version not reversed, at a commit position. */
const isEffectiveAt = (position: bigint, { completionPosition, reversal }: WrittenVersion): boolean =>
  completionPosition <= position && (reversal === undefined || reversal.position.commit > position);

/** A version enters the ledger when it completes or when a later push is reversed, if no later push is effective at that moment. */
function ledgerEntryTime(written: WrittenVersion, later: readonly WrittenVersion[]): string | null {
  const moments = [
    { position: written.completionPosition, at: written.version.writtenAt },
    ...later.flatMap(({ reversal }) => (reversal ? [{ position: reversal.position.commit, at: reversal.data.at }] : [])),
  ].sort((one, other) => (one.position < other.position ? -1 : 1));
  const entry = moments.find(({ position }) => isEffectiveAt(position, written) && !later.some((each) => isEffectiveAt(position, each)));
  return entry?.at ?? null;
}

function applyEvent(stored: StoredEvent, openImports: Map<string, OpenImport>, query: VersionsQuery, versions: WrittenVersion[]): void {
  if (query.asOf && stored.recordedAt > query.asOf) return;
  const event = decode(stored);
  if (event?.type === "ImportRequested") {
    const { kind, organisationId } = event.data;
    if (kind === "shipments" && organisationId === query.organisationId)
      openImports.set(event.stream, { request: event.data, pushPosition: event.position.commit, shipments: new Map() });
    return;
  }
  const openImport = openImports.get(stored.stream);
  if (!openImport || !event) return;
  if (event.type === "RowAccepted") addLine(openImport, event.data, query.shipmentId);
  if (event.type === "ImportCompleted") versions.push(...writtenVersions(openImport, event.data.at, event.position.commit));
  if (isImportEnding(event.type)) openImports.delete(stored.stream);
}

/** Adds the row if it is a line of the wanted shipment. The number tells apart two elements of a JSON push that have the same id. */
function addLine(
  openImport: OpenImport,
  { row, shipment = row, values }: { row: number; shipment?: number | undefined; values: Record<string, unknown> },
  shipmentId: string,
): void {
  if (values["shipmentId"] !== shipmentId) return;
  const known = openImport.shipments.get(shipment);
  const { item, ...fields } = values;
  if (known) {
    known.rows.push(row);
    known.items.push(item);
  } else openImport.shipments.set(shipment, { rows: [row], fields, items: [item] });
}

function writtenVersions({ request, pushPosition, shipments }: OpenImport, writtenAt: string, completionPosition: bigint) {
  const { importId, by, requestId, sourceDetails, file, at } = request;
  const byNumber = [...shipments].sort(([a], [b]) => a - b);
  return byNumber.map(([number, shipment]) => ({
    number,
    version: { importId, by, requestId, sourceDetails, fileName: file.name, pushedAt: at, writtenAt, ...shipment },
    pushPosition,
    completionPosition,
  }));
}
