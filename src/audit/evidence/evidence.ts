// All imports, folded from their streams up to one position of the log: what the projections should show there.
import { streamPrefix } from "../../events/streams.js";
import { type EventStore, type Position, type StoredEvent, shareOf } from "../../ports/eventStore.js";
import type { Findings } from "../findings.js";
import { type CorrectionEvidence, correctionEvidence } from "./correctionEvidence.js";
import { digestOfSums, digestOfVersions, type TableDigest } from "./digests.js";
import { type FoldedShipment, foldEvent, type ImportFold, newFold, recounted } from "./importFold.js";
import { gatherReversals, type ReversalEvidence } from "./reversalEvidence.js";

/** What is kept of a fold: counts and digests, not the rows. */
export interface AuditedImport extends Pick<ImportFold, "importId" | "requested" | "started" | "ended" | "revision"> {
  readonly requested: NonNullable<ImportFold["requested"]>;
  readonly counts: { readonly received: number; readonly processed: number; readonly failed: number };
  /** Digest of the rows that activities or shipment_lines should have. */
  readonly accepted: { readonly rows: number; readonly digest: string };
  readonly rejected: { readonly rows: number; readonly digest: string };
  readonly totals: TableDigest;
  readonly versions: TableDigest;
}

export interface AuditedShipment extends Omit<FoldedShipment, "number" | "revisions"> {
  readonly importId: string;
  /** Commit position of the import's ImportRequested. */
  readonly position: bigint;
}

export interface Evidence {
  /** By commit position of ImportRequested, as the tables refer to them. */
  readonly imports: ReadonlyMap<string, AuditedImport>;
  /** The version that should be in the ledger, by organisation and shipmentId. */
  readonly shipments: ReadonlyMap<string, AuditedShipment>;
  readonly corrections: CorrectionEvidence;
  readonly reversals: ReversalEvidence;
  readonly events: number;
}

export const shipmentKey = (organisationId: string, shipmentId: string): string => JSON.stringify([organisationId, shipmentId]);

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
    counts: recounted(fold),
    accepted: { rows: fold.accepted, digest: fold.acceptedRows.copy().digest("hex") },
    rejected: { rows: fold.rejected, digest: fold.rejectedRows.copy().digest("hex") },
    totals: digestOfSums(fold.sums ?? new Map()),
    versions: digestOfVersions([...(fold.shipments?.values() ?? [])]),
  };
}

interface Gathering {
  readonly eventStore: EventStore;
  /** Later events are left out. */
  readonly until: Position;
  readonly organisationId: string | undefined;
  readonly signal: AbortSignal;
  readonly findings: Findings;
  readonly onProgress: ((progress: { events: number; share: number }) => void) | undefined;
}

export async function gatherEvidence(gathering: Gathering): Promise<Evidence> {
  const { eventStore, until, signal, onProgress, findings } = gathering;
  const imports = new Map<string, AuditedImport>();
  const shipments = new Map<string, AuditedShipment>();
  const streams = new Map<string, ImportFold | "ended" | "not wanted">();
  const corrections = correctionEvidence();
  const reversals = await gatherReversals(gathering);
  let events = 0;
  const onEvent = (event: StoredEvent) => {
    if (event.stream.startsWith(streamPrefix.corrections)) return onCorrection(event, corrections, gathering);
    const state = streams.get(event.stream) ?? (isWanted(event, gathering) ? newFold(event.stream, { whole: true }) : "not wanted");
    streams.set(event.stream, state);
    if (state === "not wanted") return;
    if (state === "ended") return reportLateEvent(event, findings);
    foldEvent(state, event);
    if (event.type === "ImportRequested" && state.requested) corrections.requested(state.requested.data);
    if (!state.ended) return;
    corrections.ended(state.importId, state.ended.type === "ImportCompleted");
    // The import has ended: keep its counts and digests, and free its fold.
    close(state, imports, findings);
    keepShipments(state, shipments);
    streams.set(event.stream, "ended");
  };
  await eventStore.replay({ prefixes: [streamPrefix.import, streamPrefix.corrections], until, signal }, async (batch) => {
    for (const event of batch.events) onEvent(event);
    events += batch.events.length;
    onProgress?.({ events, share: shareOf(batch.position, until) });
  });
  for (const fold of streams.values()) if (typeof fold === "object") close(fold, imports, findings);
  return { imports, shipments, corrections, reversals, events };
}

function onCorrection(event: StoredEvent, corrections: CorrectionEvidence, gathering: Gathering): void {
  if (!isWanted(event, gathering)) return;
  const fault = corrections.addEvent(event);
  if (fault === undefined) return;
  const importId = event.stream.slice(streamPrefix.corrections.length);
  gathering.findings.add({ organisationId: event.metadata.organisation, importId, sentence: `stream of corrections: ${fault}` });
}

function reportLateEvent({ stream, type, revision, metadata }: StoredEvent, findings: Findings): void {
  const importId = stream.slice(streamPrefix.import.length);
  const sentence = `stream: ${type} at revision ${revision} comes after the import's end`;
  findings.add({ organisationId: metadata.organisation, importId, sentence });
}

/** A stream belongs to the organisation that its first event names. */
function isWanted(first: StoredEvent, { organisationId }: Gathering): boolean {
  return organisationId === undefined || first.metadata.organisation === organisationId;
}

/** Of two versions the one that was pushed later counts, whichever import completed first. Within an import the later shipment counts. */
function keepShipments(fold: ImportFold, shipments: Map<string, AuditedShipment>): void {
  const { requested, ended, importId } = fold;
  if (requested?.data.kind === "shipments" && ended?.type === "ImportCompleted") {
    for (const { shipmentId, fields, items } of [...(fold.shipments?.values() ?? [])].sort((a, b) => a.number - b.number)) {
      const key = shipmentKey(requested.data.organisationId, shipmentId);
      const position = requested.position.commit;
      if ((shipments.get(key)?.position ?? position) > position) continue;
      shipments.set(key, { shipmentId, fields, items, importId, position });
    }
  }
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
