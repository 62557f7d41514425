// Files that are judged before anything is recorded. Each is judged in a process of its own, so that the API can serve other requests.
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
  /** Whether to read how its dates and numbers are written. */
  readonly read: boolean;
  /** Absent for a file whose rows are not judged. */
  readonly judge?: FileToJudge | undefined;
}

export interface FileToJudge {
  readonly kind: ImportKind;
  /** The check's temporary files. The caller of `run` removes the folder afterwards. */
  readonly folder: string;
  /** The organisation's present catalogue. */
  readonly catalogue: OrganisationFile;
  /** Which field each column holds, where the headings are not ours. */
  readonly columns?: ColumnChoice | undefined;
  /** Where to write the rejected rows as an error report, for a file that is not one itself. Nothing else is looked for then. */
  readonly rejectedTo?: string | undefined;
  /** Set for an error report that is to correct the rows of its import. */
  readonly report?: ReportToJudge | undefined;
  /** Where the file is read first: one with more rows is not judged. */
  readonly mostRows?: number | undefined;
}

/** What was asked for. */
export interface CheckResult {
  readonly evidence?: Evidence | undefined;
  readonly checked?: CheckedFile | undefined;
}

/** Why rows are rejected. */
export interface Problems {
  /** The most frequent reasons first. */
  readonly groups: readonly ProblemGroup[];
  /** Further reasons, and their rows. */
  readonly more: UnlistedCount;
  /** The first rejected rows of the file, whatever their reasons. */
  readonly inOrder: readonly Omit<Problem, "values">[];
}

export interface ProblemGroup {
  readonly reason: string;
  readonly rows: number;
  /** Those of them that are lines without a fault of their own, rejected with their shipments. */
  readonly withShipment: number;
  /** For each fault that names columns. */
  readonly values: readonly FaultyValues[];
  /** Its first rows that have the fault themselves, in the file's order. */
  readonly first: readonly Problem[];
}

/** What stands in the columns at fault, the most frequent values first. Blank cells are an empty text. */
export interface FaultyValues {
  readonly columns: readonly string[];
  readonly moreColumns: number;
  readonly values: readonly { readonly value: string; readonly rows: number }[];
  /** Further values, and their rows. */
  readonly more: UnlistedCount;
}

export interface Problem {
  readonly row: number;
  readonly columns: readonly string[];
  /** By column. */
  readonly values: readonly string[];
  readonly moreColumns: number;
  /** The whole reason, with advice. */
  readonly reason: string;
}

/** What is counted and not listed. `atLeast`: there were more kinds than `kinds`, too many to count; the number of rows is exact. */
export interface UnlistedCount {
  readonly kinds: number;
  readonly rows: number;
  readonly atLeast: boolean;
}

/** Accepted activities that are perhaps wrong, as people are shown them before the file is recorded. */
export interface UnusualInFile {
  /** How many rows, each once. */
  readonly count: number;
  /** By kind. New charge codes and new warehouse codes are told apart. */
  readonly groups: readonly ProblemGroup[];
  /** How many rows are already recorded by an earlier import; those with the most rows. */
  readonly recorded: readonly { readonly importId: string; readonly rows: number }[];
  /** How many other imports have recorded some. */
  readonly otherImports: number;
}

export interface CheckedFile {
  readonly rows: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Shipments that would be written; null for activities. */
  readonly shipments: number | null;
  readonly problems: Problems;
  /** Accepted activities that are perhaps wrong. */
  readonly unusual?: UnusualInFile | undefined;
  readonly notes: readonly string[];
  /** For a corrected error report: the parts to send, the number of rows that did not fit into them, and the closed rows. */
  readonly report?: { readonly parts: readonly CorrectionPart[]; readonly later: number; readonly closed: readonly ClosedRows[] };
}

/** They are neither sent nor counted as rejected. */
export interface ClosedRows {
  readonly state: ClosedState;
  readonly rows: number;
}

export interface ReportToJudge {
  readonly importId: string;
  /** The import's rejected rows, as rejectedRows.ts reads them. */
  readonly rowsPath: string;
  /** How that import's numbers are written; undefined for the contract's way. */
  readonly decimal?: DecimalMark | undefined;
  /** How many imports it may become; 0 to judge only. */
  readonly mostParts: number;
}

/** One import's share of a corrected report, as the file that a correction over the API would become. */
export interface CorrectionPart {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** The rejected rows that it corrects, in its own order. */
  readonly rows: readonly number[];
  /** Shipments or activities. */
  readonly elements: number;
}

/** What a check asks for while it runs. */
export interface CheckAnswers extends UsualFigures {
  /** Is called with the ids of shipments that would be written, some thousands at a time, each once. */
  shipments(ids: readonly string[]): Promise<void>;
}

export interface CheckListener {
  /** From 0 to 1; is called a few times a second. */
  readonly progress: (share: number) => void;
  readonly answers: CheckAnswers;
}

export interface CheckWatch extends CheckListener {
  /** Ends the check when it aborts. */
  readonly signal: AbortSignal;
}

export interface FileChecks {
  /** Makes sure that a member has one check at a time: throws a conflict, or returns the function that ends it, which may be called again. */
  readonly enter: (memberId: string) => () => void;
  /** Throws a Rejection for a file that cannot be read, TooBusy when others take too long, or the signal's reason. */
  readonly run: (file: FileToCheck, watch: CheckWatch) => Promise<CheckResult>;
}
