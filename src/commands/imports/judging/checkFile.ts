import type { Catalogue } from "../../../domain/catalogue/catalogue.js";
import type { Geography } from "../../../domain/geography/geography.js";
import { customFieldPrefix } from "../../../domain/imports/fields.js";
import { shortened } from "../../../domain/imports/shortened.js";
import { cellText } from "../../../domain/rows/cells.js";
import { faultyColumns } from "../../../domain/rows/faultyColumns.js";
import { rowContext } from "../../../domain/rows/rowContext.js";
import type { ImportKind } from "../../../events/importEvents.js";
import type { Spreadsheets } from "../../../ports.js";
import type { CheckedFile, FileToCheck, Problem } from "./fileChecks.js";
import { ImportFault } from "./importFault.js";
import { openSubmission } from "./openSubmission.js";
import { prepareRows } from "./prepareRows.js";

interface Judging {
  readonly spreadsheets: Spreadsheets;
  readonly catalogue: Catalogue;
  readonly geography: Geography;
}

interface Watch {
  /** From 0 to 1. */
  readonly progress: (share: number) => void;
  readonly shipments: (ids: readonly string[]) => Promise<void>;
}

export const shownProblems = 100;
const shownReasonBytes = 1_000;
const idsAtOnce = 5_000;

/** What an import of this file would record, judged by the same code and by today's catalogue. Nothing is recorded. */
export async function checkFile(
  { spreadsheets, catalogue, geography }: Judging,
  { kind, file, folder }: Pick<FileToCheck, "kind" | "file" | "folder">,
  watch: Watch,
): Promise<CheckedFile> {
  const request = { kind, source: "file", file } as const;
  const submission = await openSubmission(spreadsheets, request, catalogue, { path: file.path, folder });
  const rules = rowContext(catalogue, geography);
  const prepared = await prepareRows(request, submission, rules, new Map(), async (share) => watch.progress(share / 2));
  if (prepared.rows === 0) throw new ImportFault("The file has no rows below its header row.");
  const idColumn = submission.columns.fields.indexOf("shipmentId");
  const problems: Problem[] = [];
  let [ordinal, accepted, shipments, ids]: [number, number, number, string[]] = [0, 0, 0, []];
  for await (const { rows } of submission.readAgain()) {
    for (const row of rows) {
      const { reason, shipment } = { shipment: undefined, ...prepared.verdict(row, ordinal++) };
      if (reason !== undefined) {
        if (problems.length < shownProblems) problems.push(problemOf(kind, catalogue, row.row, reason));
        continue;
      }
      accepted += 1;
      // Shipments are numbered by their first lines, so a higher number is a shipment not seen before.
      if (shipment === undefined || shipment <= shipments) continue;
      shipments = shipment;
      ids.push(cellText(row.cells[idColumn]).trim());
      if (ids.length < idsAtOnce) continue;
      await watch.shipments(ids);
      ids = [];
    }
    watch.progress(0.5 + ordinal / prepared.rows / 2);
  }
  if (ids.length > 0) await watch.shipments(ids);
  const counts = { rows: ordinal, accepted, rejected: ordinal - accepted, shipments: kind === "shipments" ? shipments : null };
  return { ...counts, problems, notes: prepared.notes };
}

const problemOf = (kind: ImportKind, { customFieldKeys }: Catalogue, row: number, reason: string): Problem => ({
  row,
  columns: faultyColumns(kind, reason, customFieldKeys).map((field) =>
    field.startsWith(customFieldPrefix) ? field.slice(customFieldPrefix.length) : field,
  ),
  reason: shortened(reason, shownReasonBytes),
});
