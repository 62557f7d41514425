// All imports, folded from their streams up to one position of the log: what the projections should show there.

import { decodeOn, UnreadableEvent } from "../../events/codec.js";
import { streamPrefix } from "../../events/streams.js";
import { type EventStore, type Position, type StoredEvent, shareOf } from "../../ports/eventStore.js";
import type { Findings } from "../findings.js";
import { type CorrectingImport, type CountedEvidence, countedEvidence } from "./countedEvidence.js";
import { digestOfSums, type TotalsDigest } from "./digests.js";
import { type FoldedShipment, foldEvent, type ImportFold, newImportFold, recountRows } from "./importFold.js";
import { gatherReversals, type ImportReversals, reversalFaults } from "./reversalEvidence.js";

/** What is kept of a fold: counts and digests, not the rows. */
export interface AuditedImport extends Pick<ImportFold, "importId" | "requested" | "started" | "ended" | "revision"> {
  readonly requested: NonNullable<ImportFold["requested"]>;
  readonly counts: { readonly received: number; readonly processed: number; readonly failed: number };
  /** Digest of the rows that activities or shipment_lines should have. */
  readonly accepted: { readonly rows: number; readonly digest: string };
  readonly rejected: { readonly rows: number; readonly digest: string };
  readonly totals: TotalsDigest;
}

export interface StreamEvidence {
  /** By commit position of ImportRequested, as the tables refer to them. */
  readonly imports: ReadonlyMap<string, AuditedImport>;
  readonly shipments: ShipmentEvidence;
  readonly counted: CountedEvidence;
  readonly events: number;
}

/** Whose import it is, for a finding. */
export const ownerOf = ({ importId, requested }: AuditedImport) => ({ importId, organisationId: requested.data.organisationId });

export function auditedImportOf(fold: ImportFold): AuditedImport | undefined {
  const { importId, requested, started, ended, revision } = fold;
  if (!requested) return undefined;
  return {
    importId,
    requested,
    started,
    ended,
    revision,
    counts: recountRows(fold),
    accepted: { rows: fold.accepted, digest: fold.acceptedRows.copy().digest("hex") },
    rejected: { rows: fold.rejected, digest: fold.rejectedRows.copy().digest("hex") },
    totals: digestOfSums(fold.sums ?? new Map()),
  };
}

interface EvidenceOptions {
  readonly eventStore: EventStore;
  /** Later events are left out. */
  readonly until: Position;
  readonly organisationId: string | undefined;
  readonly signal: AbortSignal;
  readonly findings: Findings;
  readonly onProgress: ((progress: { events: number; share: number }) => void) | undefined;
}

export async function gatherEvidence(options: EvidenceOptions): Promise<StreamEvidence> {
  const { eventStore, until, signal, onProgress, findings } = options;
  const imports = new Map<string, AuditedImport>();
  const shipments: ShipmentEvidence = new Map();
  const streams = new Map<string, ImportFold | "ended" | "not wanted">();
  const reversals = await gatherReversals(options);
  const correcting: CorrectingImport[] = [];
  let events = 0;
  const closeFold = (fold: ImportFold) => {
    close(fold, imports, findings);
    const reversed = reversals.get(fold.importId);
    if (reversed) reportReversals(fold, reversed, findings);
    addShipments(shipments, fold, reversed);
  };
  const onEvent = (event: StoredEvent) => {
    if (event.stream.startsWith(streamPrefix.corrections)) return checkCorrection(event, options);
    if (event.stream.startsWith(streamPrefix.reversals)) return; // gathered before
    const state = streams.get(event.stream) ?? (isWanted(event, options) ? newImportFold(event.stream, { whole: true }) : "not wanted");
    streams.set(event.stream, state);
    if (state === "not wanted") return;
    if (state === "ended") return reportLateEvent(event, findings);
    foldEvent(state, event);
    if (!state.ended) return;
    keepCorrecting(state, correcting);
    // The import has ended: keep its counts and digests, and free its fold.
    closeFold(state);
    streams.set(event.stream, "ended");
  };
  await eventStore.replay(
    { prefixes: [streamPrefix.import, streamPrefix.corrections, streamPrefix.reversals], until, signal },
    async (batch) => {
      for (const event of batch.events) onEvent(event);
      events += batch.events.length;
      onProgress?.({ events, share: shareOf(batch.position, until) });
    },
  );
  for (const fold of streams.values()) if (typeof fold === "object") closeFold(fold);
  const activityImports = [...imports.values()].filter(({ requested }) => requested.data.kind === "activities");
  const positions = new Map(activityImports.map(({ importId, requested }) => [importId, requested.position.commit]));
  const counted = countedEvidence(correcting, positions, reversals);
  return { imports, shipments, counted, events };
}

function keepCorrecting({ importId, requested, ended, acceptedNumbers: accepted }: ImportFold, correcting: CorrectingImport[]): void {
  if (requested?.data.kind !== "activities" || !requested.data.corrects || ended?.type !== "ImportCompleted") return;
  correcting.push({ position: requested.position.commit, importId, corrects: requested.data.corrects, accepted });
}

/** What became of rejected rows decides nothing here, but its events have to be readable. */
function checkCorrection(event: StoredEvent, options: EvidenceOptions): void {
  if (!isWanted(event, options)) return;
  const { stream, type, revision, metadata } = event;
  const importId = stream.slice(streamPrefix.corrections.length);
  const add = (fault: string) =>
    options.findings.add({ organisationId: metadata.organisation, importId, sentence: `stream of corrections: ${fault}` });
  try {
    if (!decodeOn("corrections", event)) add(`${type} at revision ${revision} is unknown`);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    add(error.message);
  }
}

function reportLateEvent({ stream, type, revision, metadata }: StoredEvent, findings: Findings): void {
  const importId = stream.slice(streamPrefix.import.length);
  const sentence = `stream: ${type} at revision ${revision} comes after the import's end`;
  findings.add({ organisationId: metadata.organisation, importId, sentence });
}

/** A stream belongs to the organisation that its first event names. */
function isWanted(first: StoredEvent, { organisationId }: EvidenceOptions): boolean {
  return organisationId === undefined || first.metadata.organisation === organisationId;
}

function reportReversals(fold: ImportFold, reversed: ImportReversals, findings: Findings): void {
  const owner = { organisationId: fold.requested?.data.organisationId, importId: fold.importId };
  for (const fault of reversalFaults(fold, reversed)) findings.add({ ...owner, sentence: `stream of reversals: ${fault}` });
}

function close(fold: ImportFold, imports: Map<string, AuditedImport>, findings: Findings): void {
  const organisationId = fold.requested?.data.organisationId;
  fold.faults.forEach((sentence, index) => {
    const rest = index === fold.faults.length - 1 ? fold.faultCount - index : 1;
    findings.add({ organisationId, importId: fold.importId, sentence: `stream: ${sentence}` }, rest);
  });
  const audited = auditedImportOf(fold);
  if (audited) imports.set(String(audited.requested.position.commit), audited);
  else findings.add({ organisationId, importId: fold.importId, sentence: "stream: there is no ImportRequested" });
}

interface AuditedShipment extends Pick<FoldedShipment, "shipmentId" | "fields" | "items"> {
  readonly importId: string;
  /** Commit position of the import's ImportRequested. */
  readonly position: bigint;
}

/** By organisation and shipmentId. */
type ShipmentEvidence = Map<string, AuditedShipment>;

export const shipmentKey = (organisationId: string, shipmentId: string): string => JSON.stringify([organisationId, shipmentId]);

/** An import has ended. */
function addShipments(shown: ShipmentEvidence, fold: ImportFold, reversals: ImportReversals | undefined): void {
  const { requested, ended, importId } = fold;
  if (requested?.data.kind !== "shipments" || ended?.type !== "ImportCompleted") return;
  const position = requested.position.commit;
  for (const { shipmentId, fields, items } of unreversedShipments(fold, reversals)) {
    const key = shipmentKey(requested.data.organisationId, shipmentId);
    const other = shown.get(key);
    // Of two versions the one that was pushed later counts, whichever import completed first.
    if (!other || other.position < position) shown.set(key, { shipmentId, fields, items, importId, position });
  }
}

/** The last of the shipments with the same id. One reversal takes all of these back. */
function unreversedShipments(fold: ImportFold, reversals: ImportReversals | undefined): Iterable<FoldedShipment> {
  const last = new Map<string, FoldedShipment>();
  const reversed = new Set<string>();
  for (const shipment of [...(fold.shipments?.values() ?? [])].sort((a, b) => a.number - b.number)) {
    last.set(shipment.shipmentId, shipment);
    if (reversals?.ofShipment(shipment.number)) reversed.add(shipment.shipmentId);
  }
  for (const shipmentId of reversed) last.delete(shipmentId);
  return last.values();
}
