// What the application needs of spreadsheets: to read uploaded files, to write error reports and tables.
import type { Writable } from "node:stream";
import type { FaultyCell, Row } from "../domain/rows/cells.js";

export type FileFormat = "csv" | "xlsx";

export type { FaultyCell as CellFault, Row as FileRow };

/** How far a file has been read. */
export interface ReadProgress {
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** Remarks for the customer on how the file was read. */
  readonly notes: readonly string[];
}

export interface RowBatch extends ReadProgress {
  readonly rows: readonly Row[];
}

export interface FileHeader {
  readonly format: FileFormat;
  readonly columns: readonly string[];
  readonly notes: readonly string[];
  /** Of a workbook: its other visible sheets that have rows, which are not read. One of the notes says so. */
  readonly otherSheets?: readonly string[];
  /** What a workbook's properties say it is about. */
  readonly subject?: string;
}

export interface ReadOptions {
  readonly format?: FileFormat;
  /** Columns, from 0, in which a workbook's number is read as a date. */
  readonly dateColumns?: ReadonlySet<number>;
  /** Writes a workbook's numeric cells; `column` from 0. */
  readonly writeNumber?: ((text: string, column: number) => string) | undefined;
  /** How many bytes of a workbook may be unpacked, for a caller that needs only its first rows. */
  readonly mostInflated?: number;
  readonly signal?: AbortSignal;
}

/** The path of a file, or the bytes of a CSV file. */
export type FileSource = string | Buffer;

/** Reads uploaded files and writes error reports. Throws FileFault for an unusable file; the message says what to fix. */
export interface Spreadsheets {
  readHeader(source: FileSource, fileName: string, signal?: AbortSignal): Promise<FileHeader>;
  readRows(source: FileSource, options?: ReadOptions): AsyncIterable<RowBatch>;
  /**
   * `columns` is the whole header row: two headings for the row number and the reason, then those of the values. `subject` goes into the
   * workbook's properties, which spreadsheet programs keep. `notHere` says what to do about rows that do not fit into a sheet.
   */
  createReportWriter(path: string, options: { columns: readonly string[]; subject: string; notHere?: string }): Promise<ReportWriter>;
  /**
   * Writes a workbook of one sheet to `output` as it goes. `texts`: columns, from 0, in which a value that is typed in later stays a text.
   * `subject` goes into the workbook's properties.
   */
  createTableWriter(
    output: Writable,
    options: { sheet: string; columns: readonly string[]; texts?: ReadonlySet<number>; subject?: string },
  ): TableWriter;
  /** A record of a text file that people open: no program runs one of its texts as a formula, whatever character it splits cells at. */
  csvLine(cells: readonly CsvCell[]): string;
  /** The records of copied rows, as `csvLine` gives them, at a small part of its cost. */
  copiedCsv(rows: CopiedRows): Uint8Array;
  copiedCells(rows: CopiedRows): CsvCell[][];
  isFileFault(error: unknown): error is Error;
}

/** Reads header rows and first values of uploads in other threads, so that requests are served meanwhile. Throws as `Spreadsheets` does, or TooBusy. */
export interface HeaderReader {
  read(organisationId: string, file: { readonly path: string; readonly name: string }): Promise<FileHeader>;
  /** By column: some of its first values, each once and cut short. */
  values(organisationId: string, file: { readonly path: string; readonly name: string }): Promise<readonly (readonly string[])[]>;
}

export interface ReportWriter {
  add(row: number, reason: string, values: readonly string[]): Promise<void>;
  /** Finishes the workbook. */
  close(): Promise<void>;
  /** Closes and removes the file. */
  discard(): Promise<void>;
}

/** A date, or a date and a clock, as a spreadsheet has them: without a zone, such as `2026-03-01` or `2026-03-01T09:30:00`. */
export interface WallTime {
  readonly wallTime: string;
}

/** A text, a number as its exact digits, or a time. */
export type CsvCell = string | { readonly decimal: string } | WallTime;

/** Rows as the database copies them out. */
export interface CopiedRows {
  /**
   * Each row is a line, with tabs between its cells. Tabs, line breaks and backslashes in a cell are escaped as Postgres' COPY does it. A cell
   * without a value is empty.
   */
  readonly lines: Buffer;
  /** By column: numbers as their exact digits, or texts. */
  readonly isNumber: readonly boolean[];
}

/** Texts stay texts, whatever a spreadsheet would make of them. Rows that a sheet cannot hold are left out, and its last row says so. */
export interface TableWriter {
  add(cells: readonly (string | number | WallTime)[]): Promise<void>;
  /** Finishes the workbook. */
  close(): Promise<void>;
  /** Gives up the workbook and destroys the output. */
  abort(): Promise<void>;
}
