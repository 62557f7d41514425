import type { ImportComparison } from "../../audit/compareImport.js";
import { statusAtEnd } from "../../audit/evidence/evidenceTables.js";
import type { CorrectionStep, ImportHistory, RowStretch } from "../../audit/history/importHistory.js";
import { type NameOf, principalOf } from "../../domain/principal.js";
import type { Range } from "../../domain/ranges.js";
import type { RecordedEventOn } from "../../events/codec.js";
import { countText, withSeparators } from "../progress.js";
import { columnLines } from "./auditText.js";

export interface ImportReport {
  readonly history: ImportHistory;
  /** What is wrong with the stored submission or error report. */
  readonly fileFaults: readonly string[];
  /** The import's stream of corrections, which also has the decisions to reverse rows. */
  readonly corrections: readonly CorrectionStep[];
  readonly reversals: readonly RecordedEventOn<"reversals">[];
  /** Undefined for a past state, which cannot be compared with the tables. */
  readonly comparison: ImportComparison | undefined;
  readonly nameOf: NameOf;
}

/** The lines that `audit import` prints. */
export function importReportText({ history, fileFaults, corrections, reversals, comparison, nameOf }: ImportReport): string[] {
  const { requested, counts, reasons } = history;
  const { importId, organisationId, kind, source, file, sourceDetails, corrects, columns, sameFileAs, by, requestId, at } = requested.data;
  return [
    `Import        ${importId} (${kind}, ${source === "file" ? "an uploaded file" : "a JSON push"})`,
    `Organisation  ${organisationId}`,
    `Pushed        ${at} by ${nameOf(by)}, request ${requestId}`,
    `Reference     ${sourceDetails}`,
    ...(corrects
      ? [`Corrects      ${rowsText(corrects.rows)} of import ${corrects.importId}${corrects.reason ? `: ${corrects.reason}` : ""}`]
      : []),
    ...(sameFileAs ? [`Same file as  ${sameFileAs}`] : []),
    `File          ${file.name}, ${withSeparators(file.size)} bytes, sha-256 ${file.sha256}`,
    `              ${fileFaults.length === 0 ? "the stored file still has this hash" : fileFaults.join("; ")}`,
    ...(columns ? columnLines(columns, nameOf) : []),
    "",
    `Status        ${statusText(history)}`,
    "",
    "History",
    ...historyLines(history, nameOf).map((line) => `  ${line}`),
    "",
    "Counts, recounted from the stream",
    `  ${rowCount(counts.received)} received, ${countText(counts.processed, nouns[kind].one, nouns[kind].many)} ${processedText(history)}, ${rowCount(counts.failed)} rejected`,
    `  ${recordedCounts(history)}`,
    ...(reasons.length > 0
      ? ["", "Rejected rows by reason", ...reasons.map(({ reason, rows }) => `  ${withSeparators(rows).padStart(9)}  ${reason}`)]
      : []),
    ...correctionLines(corrections, nameOf),
    ...reversalLines(reversals, nameOf, nouns[kind]),
    "",
    ...comparisonLines(history, comparison),
  ];
}

const nouns = { shipments: { one: "shipment", many: "shipments" }, activities: { one: "activity", many: "activities" } };
const rowCount = (rows: number | bigint) => countText(rows, "row", "rows");

function statusText({ ended, started, reachesEnd }: ImportHistory): string {
  const status = ended ? statusAtEnd[ended.type] : started ? "processing" : "queued";
  return reachesEnd ? status : `${status} at that moment; the import went on afterwards`;
}

const processedText = ({ ended }: ImportHistory): string => {
  if (!ended) return "accepted so far";
  return ended.type === "ImportCompleted" ? "written to the ledger" : "accepted and not written";
};

function recordedCounts({ ended, counts }: ImportHistory): string {
  if (ended?.type !== "ImportCompleted") return "no counts were recorded: the import did not complete";
  const { received, processed, failed } = ended.data.counts;
  const areSame = received === counts.received && processed === counts.processed && failed === counts.failed;
  return areSame
    ? "the counts recorded at its completion are the same"
    : `recorded at its completion: ${received} received, ${processed} processed, ${failed} failed`;
}

function historyLines({ requested, started, stretches, ended }: ImportHistory, nameOf: NameOf): string[] {
  const line = (revision: string, at: Date, text: string) => `${revision.padEnd(12)} ${at.toISOString()}  ${text}`;
  const lines = [line("0", requested.recordedAt, "requested")];
  if (started) {
    const { by, catalogueVersion } = started.data;
    lines.push(line("1", started.recordedAt, `started by ${nameOf(by)}, judged by catalogue version ${catalogueVersion}`));
  }
  stretches.forEach((stretch, index) => {
    lines.push(line(`${stretch.from}-${stretch.to}`, stretch.begun, stretchText(stretch, index === 0, nameOf)));
  });
  if (ended) lines.push(line(String(ended.revision), ended.recordedAt, endingText(ended, nameOf)));
  return lines;
}

function stretchText({ actor, firstRow, lastRow, from, to, ended, pause }: RowStretch, isFirst: boolean, nameOf: NameOf): string {
  const prefix = isFirst ? "" : `taken up after ${pause.toFixed(1)} s: `;
  return `${prefix}${rowCount(to - from + 1n)} (${firstRow} to ${lastRow}) recorded by ${nameOf(principalOf(actor))} until ${ended.toISOString()}`;
}

function endingText(ended: NonNullable<ImportHistory["ended"]>, nameOf: NameOf): string {
  switch (ended.type) {
    case "ImportCompleted":
      return `completed by ${nameOf(ended.data.by)}${ended.data.notes.length > 0 ? ` (${ended.data.notes.join("; ")})` : ""}`;
    case "ImportFailed":
      return `failed: ${ended.data.reason}`;
    case "ImportCancelled":
      return `cancelled by ${nameOf(ended.data.by)}${ended.data.reason === undefined ? "" : ` (${ended.data.reason})`}`;
  }
}

function comparisonLines({ fold }: ImportHistory, comparison: ImportComparison | undefined): string[] {
  const streamLines =
    fold.faultCount === 0
      ? ["The stream is whole: no gaps, one outcome per row, in row order."]
      : [`The stream has ${fold.faultCount} faults:`, ...fold.faults.map((each) => `  ${each}`)];
  if (!comparison) return streamLines;
  if (comparison.verdict === "agrees") return [...streamLines, "The tables agree with it, row by row."];
  if (comparison.verdict === "not comparable") return [...streamLines, `The tables could not be compared: ${comparison.why}.`];
  return [...streamLines, `The tables differ from it in ${comparison.count} places:`, ...comparison.differences.map((each) => `  ${each}`)];
}

export function importJson({ history, fileFaults, corrections, reversals, comparison }: Omit<ImportReport, "nameOf">) {
  const { requested, started, stretches, ended, counts, accepted, reasons, reachesEnd, fold } = history;
  return {
    importId: requested.data.importId,
    status: ended ? statusAtEnd[ended.type] : started ? "processing" : "queued",
    whole: reachesEnd,
    revision: Number(fold.revision),
    requested: { ...requested.data, recordedAt: requested.recordedAt },
    started: started ? { ...started.data, recordedAt: started.recordedAt } : null,
    stretches: stretches.map((each) => ({ ...each, from: Number(each.from), to: Number(each.to) })),
    ended: ended
      ? { ...ended.data, type: ended.type, revision: Number(ended.revision), recordedAt: ended.recordedAt, actor: ended.metadata.actor }
      : null,
    counts,
    acceptedRows: accepted,
    reasons,
    corrections: stepsJson(corrections),
    reversals: stepsJson(reversals),
    streamFaults: fold.faults,
    fileFaults,
    projection: comparison ?? null,
  };
}

export function correctionLines(steps: readonly CorrectionStep[], nameOf: NameOf): string[] {
  if (steps.length === 0) return [];
  const lines = steps.map((step) => `  ${String(step.revision).padEnd(12)} ${step.recordedAt.toISOString()}  ${stepText(step, nameOf)}`);
  return ["", "Corrections and decided reversals", ...lines];
}

function reversalLines(steps: ImportReport["reversals"], nameOf: NameOf, { one, many }: (typeof nouns)["shipments"]): string[] {
  if (steps.length === 0) return [];
  const lines = steps.map(({ revision, recordedAt, data: { rows, count, by, reason, includedIn } }) => {
    const what =
      rows === "all" ? `all that was left, ${countText(count, one, many)},` : `${countText(count, one, many)} (rows ${rangesText(rows)})`;
    const within = includedIn ? `, with import ${includedIn.importId}` : "";
    return `  ${String(revision).padEnd(12)} ${recordedAt.toISOString()}  ${what} reversed by ${nameOf(by)}${within}: ${reason}`;
  });
  return ["", "Reversals", ...lines];
}

const rangesText = (ranges: readonly Range[]): string =>
  ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(", ");

function stepText(step: CorrectionStep, nameOf: NameOf): string {
  const { by } = step.data;
  switch (step.type) {
    case "RowsClaimed": {
      const { correction, refused, rows } = step.data;
      const claimedText = rows.length === 0 ? "nothing" : rowsText(rows);
      const refusals = refused.map(
        ({ row, why, importId }) => `row ${row} refused: ${refusalText[why]}${importId === undefined ? "" : ` import ${importId}`}`,
      );
      return [`${claimedText} taken by import ${correction}, recorded by ${nameOf(by)}`, ...refusals].join("; ");
    }
    case "RowsDismissed":
      return `${rowsText(step.data.rows)} dismissed by ${nameOf(by)}${step.data.note === "" ? "" : `: ${step.data.note}`}`;
    case "RowsReopened":
      return `${rowsText(step.data.rows)} opened again by ${nameOf(by)}`;
    case "ReversalDecided":
      return `reversal ${step.data.reversalId} decided by ${nameOf(by)}`;
  }
}

const refusalText = {
  claimed: "taken already by",
  dismissed: "dismissed",
  superseded: "its shipment was written since by",
  reversed: "reversed",
  withdrawn: "its import is reversed",
} as const;

const rowsText = (rows: readonly number[]): string => `${rows.length === 1 ? "row" : "rows"} ${rows.join(", ")}`;

/** The events of a stream of corrections or of reversals, for `--json`. */
const stepsJson = (steps: readonly (CorrectionStep | RecordedEventOn<"reversals">)[]) =>
  steps.map(({ type, data, revision, recordedAt }) => ({ type, revision: Number(revision), recordedAt, ...data }));
