// Checks of files before they are recorded. Each runs in a process of its own, so that the API can serve other requests. CheckedFile and
// the types in it are stored as JSON with the portal's drafts, so their fields must keep their names.
import type { OrganisationFile } from "../domain/catalogue/schema.js";
import type { ColumnChoice } from "../domain/imports/columns/choice.js";
import type { DecimalMark } from "../domain/imports/columns/decimal.js";
import type { Evidence } from "../domain/imports/columns/evidence.js";
import type { ImportKind } from "../events/importEvents.js";
import type { FileFormat } from "../ports/spreadsheets.js";
import type { ClosedState } from "./report/rejectedRows.js";
import type { UsualFigures } from "./usualFigures.js";

export interface FileToCheck {
  readonly organisationId: string;
  readonly file: { readonly path: string; readonly name: string; readonly format: FileFormat };
  /** Whether to gather how the file's dates and numbers are written. */
  readonly wantsEvidence: boolean;
  /** How to judge the rows. Absent if they are not judged. */
  readonly judge?: FileToJudge | undefined;
}

export interface FileToJudge {
  readonly kind: ImportKind;
  /** The folder for temporary files. The caller of `run` removes it afterwards. */
  readonly folder: string;
  /** The organisation's present catalogue. */
  readonly catalogue: OrganisationFile;
  /** Which field each column holds, where the headings are not the contract's. */
  readonly columns?: ColumnChoice | undefined;
  /** Where to write an error report of the rejected rows, for a file that is not a report itself. Then unusual rows are not looked for. */
  readonly errorReportPath?: string | undefined;
  /** Set if the file is an error report that corrects the rows of its import. */
  readonly report?: ReportToJudge | undefined;
  /** A file with more rows is not judged. Only with `wantsEvidence`, which counts them first. */
  readonly maxRows?: number | undefined;
}

/** Has the parts that `FileToCheck` asks for. `checked` is also absent if the file has more than `maxRows` rows. */
export interface CheckResult {
  readonly evidence?: Evidence | undefined;
  readonly checked?: CheckedFile | undefined;
}

/** Why rows are rejected. */
export interface Problems {
  /** The most frequent reasons first. */
  readonly groups: readonly ProblemGroup[];
  /** The reasons that are not listed, and their rows. */
  readonly more: UnlistedCount;
  /** The first rejected rows of the file, whatever their reasons. */
  readonly inOrder: readonly Omit<RowProblem, "values">[];
}

export interface ProblemGroup {
  readonly reason: string;
  readonly rows: number;
  /** How many of these rows are lines without a fault of their own, rejected with their shipments. */
  readonly withShipment: number;
  /** One entry for each fault that names columns. */
  readonly values: readonly FaultyValues[];
  /** The first rows that have the fault themselves, in the file's order. */
  readonly first: readonly RowProblem[];
}

/** The values in the columns at fault, the most frequent first. A blank cell is an empty text. */
export interface FaultyValues {
  readonly columns: readonly string[];
  readonly moreColumns: number;
  readonly values: readonly { readonly value: string; readonly rows: number }[];
  /** The values that are not listed, and their rows. */
  readonly more: UnlistedCount;
}

export interface RowProblem {
  readonly row: number;
  readonly columns: readonly string[];
  /** The row's values in `columns`, in the same order. */
  readonly values: readonly string[];
  readonly moreColumns: number;
  /** The whole reason, with advice. */
  readonly reason: string;
}

/** Counts what is not listed: `kinds` of reasons or values, in `rows` rows. With `atLeast` there are more kinds; `rows` is always exact. */
export interface UnlistedCount {
  readonly kinds: number;
  readonly rows: number;
  readonly atLeast: boolean;
}

/** Accepted activities that are perhaps wrong, as the portal shows them before the file is recorded. */
export interface UnusualInFile {
  /** How many rows are unusual. A row of several kinds is counted once. */
  readonly count: number;
  /** One group for each kind, but separate groups for new charge codes and for new warehouse codes. */
  readonly groups: readonly ProblemGroup[];
  /** The imports that had already recorded the most of these rows, and how many of the rows. */
  readonly recorded: readonly { readonly importId: string; readonly rows: number }[];
  /** How many imports besides those in `recorded` had already recorded some of the rows. */
  readonly otherImports: number;
}

export interface CheckedFile {
  readonly rows: number;
  readonly accepted: number;
  readonly rejected: number;
  /** How many shipments would be written; null for activities. */
  readonly shipments: number | null;
  readonly problems: Problems;
  readonly unusual?: UnusualInFile | undefined;
  readonly notes: readonly string[];
  /** For a corrected error report: the parts to send, how many rows did not fit into them, and the closed rows. */
  readonly report?: { readonly parts: readonly CorrectionPart[]; readonly later: number; readonly closed: readonly ClosedRows[] };
}

/** Rows of a corrected report that are no longer open. They are neither sent nor counted as rejected. */
export interface ClosedRows {
  readonly state: ClosedState;
  readonly rows: number;
}

export interface ReportToJudge {
  readonly importId: string;
  /** The file with the import's rejected rows, in the format that rejectedRows.ts reads. */
  readonly rowsPath: string;
  /** How that import writes numbers; undefined for the contract's way. */
  readonly decimal?: DecimalMark | undefined;
  /** The most imports that the report may become; 0 to judge only. */
  readonly maxParts: number;
}

/** One import's share of a corrected report, as the file that a correction over the API would become. */
export interface CorrectionPart {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** The numbers of the rejected rows that the part corrects, in the order of the part's rows. */
  readonly rows: readonly number[];
  /** How many shipments or activities the part has. */
  readonly elements: number;
}

/** The questions that a check asks while it runs, as functions with which its caller answers them. */
export interface CheckAnswers extends UsualFigures {
  /** Called with the ids of the shipments that would be written, some thousands at a time and each only one time. */
  shipments(ids: readonly string[]): Promise<void>;
}

export interface CheckListener {
  /** Called with a fraction from 0 to 1 as the check goes on. */
  readonly progress: (fraction: number) => void;
  readonly answers: CheckAnswers;
}

export interface CheckWatch extends CheckListener {
  /** Ends the check when it aborts. */
  readonly signal: AbortSignal;
}

export interface FileChecks {
  /** Begins a check for a member; throws a conflict if the member's last check has not ended. Returns the function that ends this one. */
  readonly enter: (memberId: string) => () => void;
  /** Throws a Rejection for a file that cannot be read, TooBusy when others take too long, or the signal's reason. */
  readonly run: (file: FileToCheck, watch: CheckWatch) => Promise<CheckResult>;
}
