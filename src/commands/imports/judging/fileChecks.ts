// Files that are judged before anything is recorded. Each is judged in a process of its own, so that the API can serve other requests.
import type { OrganisationFile } from "../../../domain/catalogue/schema.js";
import type { ColumnChoice } from "../../../domain/imports/columns/choice.js";
import type { ImportKind } from "../../../events/importEvents.js";
import type { FileFormat } from "../../../ports/spreadsheets.js";
import type { ClosedState } from "./report/rejectedRows.js";

export interface FileToCheck {
  readonly organisationId: string;
  readonly kind: ImportKind;
  readonly file: { readonly path: string; readonly name: string; readonly format: FileFormat };
  /** The check's temporary files. The caller of `run` removes the folder afterwards. */
  readonly folder: string;
  /** The organisation's present catalogue. */
  readonly catalogue: OrganisationFile;
  /** What its columns are taken for, where its headings are not ours. */
  readonly columns?: ColumnChoice | undefined;
  /** Set for an error report that is to correct the rows of its import. */
  readonly report?: ReportToJudge;
}

export interface Problem {
  readonly row: number;
  readonly columns: readonly string[];
  readonly reason: string;
}

export interface CheckedFile {
  readonly rows: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Shipments that would be written; null for activities. */
  readonly shipments: number | null;
  /** The first problems. */
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
  /** For a corrected error report: the parts to send, the number of rows that did not fit into them, and the rows that are not open any more. */
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

export interface CheckWatch {
  /** Ends the check when it aborts. */
  readonly signal: AbortSignal;
  /** From 0 to 1; is called a few times a second. */
  readonly progress: (share: number) => void;
  /** Ids of shipments that would be written, some thousands at a time, each once. The check waits for the promise. */
  readonly shipments: (ids: readonly string[]) => Promise<void>;
}

export interface FileChecks {
  /** Makes sure that a member has one check at a time: throws a conflict, or returns the function that ends it. */
  readonly enter: (memberId: string) => () => void;
  /** Throws a Rejection for a file that cannot be read, TooBusy when others take too long, or the signal's reason. */
  readonly run: (file: FileToCheck, watch: CheckWatch) => Promise<CheckedFile>;
}
