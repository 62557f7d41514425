// All imports, folded from their streams up to one position of the event log.

import { streamOf, streamPrefix } from "../../events/streams.js";
import { isAfter, type StoredEvent, shareOf } from "../../ports/eventStore.js";
import type { Findings } from "../findings.js";
import { addCounted, type CorrectingImport } from "./countedEvidence.js";
import { addImport, addRow, type EvidenceWriter } from "./evidenceTables.js";
import { foldEvent, type ImportFold, newImportFold, readEvent } from "./importFold.js";
import { gatherReversals, type ReversalOptions, reversalFaults } from "./reversalEvidence.js";

/** What is kept of a fold. */
export interface AuditedImport {
  readonly importId: string;
  readonly requested: NonNullable<ImportFold["requested"]>;
  readonly ended: ImportFold["ended"];
}

/** Whose import it is, for a finding. */
export const ownerOf = ({ importId, requested }: AuditedImport) => ({ importId, organisationId: requested.data.organisationId });

interface EvidenceOptions extends ReversalOptions {
  readonly onProgress: ((progress: { events: number; share: number }) => void) | undefined;
}

/** Writes the evidence of all imports. */
export async function gatherEvidence(writer: EvidenceWriter, options: EvidenceOptions) {
  const { eventStore, until, signal, onProgress, findings } = options;
  const imports: AuditedImport[] = [];
  const streams = new Map<string, ImportFold | "ended" | "not wanted">();
  const reversals = await gatherReversals(options);
  const correcting: CorrectingImport[] = [];
  let events = 0;
  const closeFold = (fold: ImportFold) => {
    const { importId, requested, ended } = fold;
    reportFaults(fold, findings);
    addImport(writer, fold);
    if (requested) imports.push({ importId, requested, ended });
    const reversed = reversals.get(importId);
    if (!reversed) return;
    const owner = { organisationId: requested?.data.organisationId, importId };
    for (const fault of reversalFaults(fold, reversed)) findings.add({ ...owner, sentence: `stream of reversals: ${fault}` });
    for (const { number, shipmentId } of fold.shipments?.values() ?? []) {
      if (reversed.ofShipment(number))
        writer.add("audited_reversed_shipments", { import_position: String(requested?.position.commit), shipment_id: shipmentId });
    }
  };
  const onEvent = (event: StoredEvent) => {
    if (event.stream.startsWith(streamPrefix.corrections)) return checkCorrection(event, options);
    if (event.stream.startsWith(streamPrefix.reversals)) return; // gathered before
    const state = streams.get(event.stream) ?? (isWanted(event, options) ? newImportFold(event.stream, { whole: true }) : "not wanted");
    streams.set(event.stream, state);
    if (state === "not wanted") return;
    if (state === "ended") return reportLateEvent(event, findings);
    addRow(writer, state, foldEvent(state, event));
    if (!state.ended) return;
    keepCorrecting(state, correcting);
    // The import has ended: its fold is freed.
    closeFold(state);
    streams.set(event.stream, "ended");
  };
  await eventStore.replay(
    { prefixes: [streamPrefix.import, streamPrefix.corrections, streamPrefix.reversals], until, signal },
    async (batch) => {
      for (const event of batch.events) onEvent(event);
      await writer.flush();
      events += batch.events.length;
      onProgress?.({ events, share: shareOf(batch.position, until) });
    },
  );
  for (const fold of streams.values()) if (typeof fold === "object") closeFold(fold);
  const ofActivities = imports.filter(({ requested }) => requested.data.kind === "activities");
  addCounted(writer, correcting, new Map(ofActivities.map(({ importId, requested }) => [importId, requested.position.commit])), reversals);
  await writer.flush();
  return { imports, events };
}

/** Writes the evidence of one import, up to a position of the event log. False when it was not requested by then. */
export async function gatherImport(
  writer: EvidenceWriter,
  importId: string,
  { eventStore, until, signal }: Pick<EvidenceOptions, "eventStore" | "until" | "signal">,
): Promise<boolean> {
  const stream = streamOf.import(importId);
  const fold = newImportFold(stream, { whole: false });
  for await (const event of eventStore.read(stream, { signal })) {
    if (isAfter(event.position, until)) break;
    addRow(writer, fold, foldEvent(fold, event));
    if (writer.waiting() >= rowsAtOnce) await writer.flush();
  }
  addImport(writer, fold);
  await writer.flush();
  return fold.requested !== undefined;
}

const rowsAtOnce = 1_000;

function keepCorrecting({ importId, requested, ended, acceptedNumbers: accepted }: ImportFold, correcting: CorrectingImport[]): void {
  if (requested?.data.kind !== "activities" || !requested.data.corrects || ended?.type !== "ImportCompleted") return;
  correcting.push({ position: requested.position.commit, importId, corrects: requested.data.corrects, accepted });
}

/** What became of rejected rows decides nothing here, but its events have to be readable. */
function checkCorrection(event: StoredEvent, options: EvidenceOptions): void {
  if (!isWanted(event, options)) return;
  const importId = event.stream.slice(streamPrefix.corrections.length);
  const owner = { organisationId: event.metadata.organisation, importId };
  readEvent("corrections", event, (fault) => options.findings.add({ ...owner, sentence: `stream of corrections: ${fault}` }));
}

function reportLateEvent({ stream, type, revision, metadata }: StoredEvent, findings: Findings): void {
  const importId = stream.slice(streamPrefix.import.length);
  const sentence = `stream: ${type} at revision ${revision} comes after the import's end`;
  findings.add({ organisationId: metadata.organisation, importId, sentence });
}

/** A stream belongs to the organisation that its first event names. */
const isWanted = (first: StoredEvent, { organisationId }: EvidenceOptions): boolean =>
  organisationId === undefined || first.metadata.organisation === organisationId;

function reportFaults({ importId, requested, faults, faultCount }: ImportFold, findings: Findings): void {
  const owner = { organisationId: requested?.data.organisationId, importId };
  faults.forEach((sentence, index) => {
    const rest = index === faults.length - 1 ? faultCount - index : 1;
    findings.add({ ...owner, sentence: `stream: ${sentence}` }, rest);
  });
  if (!requested) findings.add({ ...owner, sentence: "stream: there is no ImportRequested" });
}
