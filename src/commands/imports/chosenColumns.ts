// Finds which field each column of an uploaded file holds. The answer comes from the import whose error report the file is, from the
// organisation's earlier choice, or from our own column names.
import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import { matchImportHeader } from "../../domain/files/header.js";
import type { Geography } from "../../domain/geography/geography.js";
import { applyChoice, type ColumnChoice, choiceFaults } from "../../domain/imports/columns/choice.js";
import { headingFaults, headingsIn } from "../../domain/imports/columns/headings.js";
import { Rejection } from "../../domain/rejection.js";
import { fixedValueFaults } from "../../domain/rows/fieldReader.js";
import { rowContext } from "../../domain/rows/rowContext.js";
import type { ImportColumns, ImportKind, ImportRequested } from "../../events/importEvents.js";

interface HeaderToResolve {
  readonly kind: ImportKind;
  /** The header row. */
  readonly columns: readonly string[];
  /** The import whose error report the file is, if it is one. */
  readonly reportedImport?: ImportRequested | undefined;
  /** The organisation's last choice for files with these headings. */
  readonly earlierChoice?: ImportColumns | undefined;
}

/** `mustChoose`: a person has to choose, since the headings are not our column names and no earlier choice fits them. */
type ColumnResolution = { readonly mustChoose: true } | { readonly mustChoose: false; readonly columns: ImportColumns | undefined };

export function resolveColumns(
  catalogue: Catalogue,
  geography: Geography,
  { kind, columns, reportedImport, earlierChoice }: HeaderToResolve,
): ColumnResolution {
  const target = { kind, customFields: catalogue.file.customFields };
  const hasOurNames = matchImportHeader(columns, { kind, source: "file", customFieldKeys: catalogue.customFieldKeys }).ok;
  if (reportedImport?.columns) {
    const applied = applyChoice(columns, reportedImport.columns, target);
    if (applied.ok) return { mustChoose: false, columns: reportedImport.columns };
    const isOutdated = choiceFaults(reportedImport.columns, target).length > 0; // the catalogue has changed since that choice
    // Our column names are right too: an error report that was made without the submitted file has them.
    if (!hasOurNames) throw new Rejection("invalid", `${applied.message} ${isOutdated ? chooseAgainAdvice : keepColumnsAdvice}`);
  }
  if (reportedImport) return { mustChoose: false, columns: undefined };
  if (!earlierChoice) return hasOurNames ? { mustChoose: false, columns: undefined } : { mustChoose: true };
  const fits = applyChoice(columns, earlierChoice, target).ok && columnChoiceFaults(earlierChoice, kind, catalogue, geography).length === 0;
  return fits ? { mustChoose: false, columns: inFileOrder(earlierChoice, columns) } : { mustChoose: true };
}

const keepColumnsAdvice = "Download the error report again, and keep all of its columns.";
const chooseAgainAdvice = "Upload it as a new file, and choose its columns anew.";

/** The database does not keep the order of the headings, and people expect the file's order. */
const inFileOrder = (choice: ImportColumns, columns: readonly string[]): ImportColumns => ({
  ...choice,
  headings: Object.fromEntries(headingsIn(columns).map((heading) => [heading, choice.headings[heading] ?? null])),
});

/** Throws for a header row whose columns cannot be chosen. */
export function expectChoosableColumns(columns: readonly string[]): void {
  rejectFaults(headingFaults(headingsIn(columns)));
}

/** Why the choice cannot be accepted, in sentences. */
export function columnChoiceFaults(choice: ColumnChoice, kind: ImportKind, catalogue: Catalogue, geography: Geography): string[] {
  const faults = choiceFaults(choice, { kind, customFields: catalogue.file.customFields });
  return faults.length > 0 ? faults : fixedValueFaults(choice, kind, rowContext(catalogue, geography));
}

export function expectValidChoice(choice: ColumnChoice, kind: ImportKind, catalogue: Catalogue, geography: Geography): void {
  rejectFaults(columnChoiceFaults(choice, kind, catalogue, geography));
}

function rejectFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Rejection("invalid", faults.join(" "), faults.length > 1 ? faults : undefined);
}
