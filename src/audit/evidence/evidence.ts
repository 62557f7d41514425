// Gathers the evidence of what the tables should have: folds imports from their streams, up to one position of the event log.
import { streamOf, streamPrefix } from "../../events/streams.js";
import { fractionOfLog, isAfter, type StoredEvent } from "../../ports/eventStore.js";
import type { Findings } from "../findings.js";
import { addUncounted, type CorrectingImport } from "./countedEvidence.js";
import { addImport, addRow, type EvidenceWriter } from "./evidenceTables.js";
import { foldEvent, type ImportFold, newImportFold, readEvent } from "./importFold.js";
import { gatherReversals, type ReversalOptions, reversalFaults } from "./reversalEvidence.js";

/** What the audit keeps of an import after its fold is freed. */
export interface AuditedImport {
  readonly importId: string;
  readonly requested: NonNullable<ImportFold["requested"]>;
  readonly ended: ImportFold["ended"];
}

/** The import and its organisation, as a finding names them. */
export const importOwnerOf = ({ importId, requested }: AuditedImport) => ({ importId, organisationId: requested.data.organisationId });

interface EvidenceOptions extends ReversalOptions {
  readonly onProgress: ((progress: { events: number; fraction: number }) => void) | undefined;
}

/** Writes the evidence of all organisations' imports, or of one organisation's. Returns these imports and how many events it has read. */
export async function gatherEvidence(writer: EvidenceWriter, options: EvidenceOptions) {
  const { eventStore, until, signal, onProgress, findings } = options;
  const imports: AuditedImport[] = [];
  const foldOfStream = new Map<string, ImportFold | "ended" | "not wanted">();
  const reversals = await gatherReversals(options);
  const correctingImports: CorrectingImport[] = [];
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
    if (event.stream.startsWith(streamPrefix.reversals)) return; // gatherReversals has read them
    const { stream } = event;
    const fold = foldOfStream.get(stream) ?? (isWanted(event, options) ? newImportFold(stream, { withShipments: true }) : "not wanted");
    foldOfStream.set(stream, fold);
    if (fold === "not wanted") return;
    if (fold === "ended") return reportLateEvent(event, findings);
    addRow(writer, fold, foldEvent(fold, event));
    if (!fold.ended) return;
    keepCorrectingImport(fold, correctingImports);
    closeFold(fold);
    foldOfStream.set(stream, "ended"); // frees the fold
  };
  await eventStore.replay(
    { prefixes: [streamPrefix.import, streamPrefix.corrections, streamPrefix.reversals], until, signal },
    async (batch) => {
      for (const event of batch.events) onEvent(event);
      await writer.flush();
      events += batch.events.length;
      onProgress?.({ events, fraction: fractionOfLog(batch.position, until) });
    },
  );
  for (const fold of foldOfStream.values()) if (typeof fold === "object") closeFold(fold);
  const activityImports = imports.filter(({ requested }) => requested.data.kind === "activities");
  const positions = new Map(activityImports.map(({ importId, requested }) => [importId, requested.position.commit]));
  addUncounted(writer, correctingImports, positions, reversals);
  await writer.flush();
  return { imports, events };
}

/** Writes the evidence of one import, up to a position of the event log. Returns false if it was not requested by then. */
export async function gatherImport(
  writer: EvidenceWriter,
  importId: string,
  { eventStore, until, signal }: Pick<EvidenceOptions, "eventStore" | "until" | "signal">,
): Promise<boolean> {
  const stream = streamOf.import(importId);
  const fold = newImportFold(stream, { withShipments: false });
  for await (const event of eventStore.read(stream, { signal })) {
    if (isAfter(event.position, until)) break;
    addRow(writer, fold, foldEvent(fold, event));
    if (writer.pendingRows() >= maxPendingRows) await writer.flush();
  }
  addImport(writer, fold);
  await writer.flush();
  return fold.requested !== undefined;
}

const maxPendingRows = 1_000;

function keepCorrectingImport({ importId, requested, ended, acceptedRows }: ImportFold, correctingImports: CorrectingImport[]): void {
  if (requested?.data.kind !== "activities" || !requested.data.corrects || ended?.type !== "ImportCompleted") return;
  correctingImports.push({ position: requested.position.commit, importId, corrects: requested.data.corrects, acceptedRows });
}

/** The audit takes nothing from the streams of corrections. It only reports events in them that cannot be read. */
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

/** Whether the event's organisation is audited. The first event of an import's stream decides for the whole stream. */
const isWanted = ({ metadata }: StoredEvent, { organisationId }: EvidenceOptions): boolean =>
  organisationId === undefined || metadata.organisation === organisationId;

function reportFaults({ importId, requested, faults, faultCount }: ImportFold, findings: Findings): void {
  const owner = { organisationId: requested?.data.organisationId, importId };
  faults.forEach((sentence, index) => {
    const count = index === faults.length - 1 ? faultCount - index : 1; // the last sentence also counts the faults that were not kept
    findings.add({ ...owner, sentence: `stream: ${sentence}` }, count);
  });
  if (!requested) findings.add({ ...owner, sentence: "stream: there is no ImportRequested" });
}
