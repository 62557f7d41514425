// Which field each column of an uploaded file holds: as in the import whose error report it is, as the organisation chose before, or by our names.
import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import { matchImportHeader } from "../../domain/files/header.js";
import type { Geography } from "../../domain/geography/geography.js";
import { applyChoice, type ColumnChoice, choiceFaults } from "../../domain/imports/columns/choice.js";
import { headingFaults, headingsIn } from "../../domain/imports/columns/headings.js";
import { Rejection } from "../../domain/rejection.js";
import { fixedValueFaults } from "../../domain/rows/fieldReader.js";
import { rowContext } from "../../domain/rows/rowContext.js";
import type { ImportColumns, ImportKind, ImportRequested } from "../../events/importEvents.js";

interface File {
  readonly kind: ImportKind;
  /** The header row. */
  readonly columns: readonly string[];
  /** The import whose error report the file is, where it is one. */
  readonly reported?: ImportRequested | undefined;
  /** What the organisation has chosen for files with these headings. */
  readonly earlierChoice?: ImportColumns | undefined;
}

/** `toChoose`: a person has to choose, since the headings are not ours and no earlier choice fits them. */
type ColumnResolution = { readonly toChoose: true } | { readonly toChoose: false; readonly columns: ImportColumns | undefined };

export function resolveColumns(
  catalogue: Catalogue,
  geography: Geography,
  { kind, columns, reported, earlierChoice }: File,
): ColumnResolution {
  const of = { kind, customFields: catalogue.file.customFields };
  const isOurs = matchImportHeader(columns, { kind, source: "file", customFieldKeys: catalogue.customFieldKeys }).ok;
  if (reported?.columns) {
    const applied = applyChoice(columns, reported.columns, of);
    if (applied.ok) return { toChoose: false, columns: reported.columns };
    // A report that had to be made without the submitted file has our names.
    if (!isOurs)
      throw new Rejection("invalid", `${applied.message} ${choiceFaults(reported.columns, of).length > 0 ? chooseAnew : keepColumns}`);
  }
  if (reported) return { toChoose: false, columns: undefined };
  if (!earlierChoice) return isOurs ? { toChoose: false, columns: undefined } : { toChoose: true };
  const fits = applyChoice(columns, earlierChoice, of).ok && columnChoiceFaults(earlierChoice, kind, catalogue, geography).length === 0;
  return fits ? { toChoose: false, columns: inFileOrder(earlierChoice, columns) } : { toChoose: true };
}

const keepColumns = "Download the error report again, and keep all of its columns.";
/** The catalogue has changed since. */
const chooseAnew = "Upload it as a new file, and choose its columns anew.";

/** The database does not keep the order of the headings; people read them in the file's order. */
const inFileOrder = (choice: ImportColumns, columns: readonly string[]): ImportColumns => ({
  ...choice,
  headings: Object.fromEntries(headingsIn(columns).map((heading) => [heading, choice.headings[heading] ?? null])),
});

/** Throws for a header row whose columns cannot be chosen. */
export function expectChoosableColumns(columns: readonly string[]): void {
  refuse(headingFaults(headingsIn(columns)));
}

/** Why the choice cannot be taken, in sentences. */
export function columnChoiceFaults(choice: ColumnChoice, kind: ImportKind, catalogue: Catalogue, geography: Geography): string[] {
  const own = choiceFaults(choice, { kind, customFields: catalogue.file.customFields });
  return own.length > 0 ? own : fixedValueFaults(choice, kind, rowContext(catalogue, geography));
}

/** Throws with every reason why the choice cannot be taken. */
export function expectValidChoice(choice: ColumnChoice, kind: ImportKind, catalogue: Catalogue, geography: Geography): void {
  refuse(columnChoiceFaults(choice, kind, catalogue, geography));
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new Rejection("invalid", faults.join(" "), faults.length > 1 ? faults : undefined);
}
