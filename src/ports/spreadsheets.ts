// What the application needs of spreadsheets: it reads uploaded files, and writes error reports and tables.
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
  /** A workbook's other visible sheets with rows. They are not read, and one of the notes says so. */
  readonly otherSheets?: readonly string[];
  /** The subject in a workbook's properties. */
  readonly subject?: string;
}

export interface ReadOptions {
  /** Detected from the content if it is undefined. */
  readonly format?: FileFormat;
  /** The columns, counted from 0, in which a workbook's number is read as a date. */
  readonly dateColumns?: ReadonlySet<number>;
  /** Turns the digits of a workbook's numeric cell into the cell's text. `column` counts from 0. */
  readonly numberToText?: ((text: string, column: number) => string) | undefined;
  /** How many bytes of a workbook may be unpacked, for a caller that needs only its first rows. */
  readonly maxUnpackedBytes?: number;
  readonly signal?: AbortSignal;
}

/** The path of a file, or the bytes of a CSV file. */
export type FileSource = string | Buffer;

/** The functions that read throw FileFault for an unusable file. Its message says what to fix. */
export interface Spreadsheets {
  readHeader(source: FileSource, fileName: string, signal?: AbortSignal): Promise<FileHeader>;
  readRows(source: FileSource, options?: ReadOptions): AsyncIterable<RowBatch>;
  /**
   * `columns` is the whole header row: two headings for the row number and the reason, then those of the values. `subject` goes into the
   * workbook's properties, which spreadsheet programs keep. `overflowAdvice` says what to do about rows that do not fit into a sheet.
   */
  createReportWriter(
    path: string,
    options: { columns: readonly string[]; subject: string; overflowAdvice?: string },
  ): Promise<ReportWriter>;
  /**
   * Writes a workbook of one sheet to `output` as it goes. `textColumns`: columns, from 0, in which a value that is typed in later stays a
   * text. `subject` goes into the workbook's properties.
   */
  createTableWriter(
    output: Writable,
    options: { sheet: string; columns: readonly string[]; textColumns?: ReadonlySet<number>; subject?: string },
  ): TableWriter;
  /** One record of a CSV file. Its texts are escaped so that no program runs one as a formula, whatever character it splits cells at. */
  csvLine(cells: readonly CsvCell[]): string;
  /** The records that `csvLine` would write for these rows, but much faster. */
  csvFromCopy(output: CopyOutput): Uint8Array;
  cellsFromCopy(output: CopyOutput): CsvCell[][];
  isFileFault(error: unknown): error is Error;
}

/** Reads header rows and first values in other threads, so that this thread serves requests meanwhile. Throws FileFault or TooBusy. */
export interface HeaderReader {
  readHeader(organisationId: string, file: { readonly path: string; readonly name: string }): Promise<FileHeader>;
  /** For each column some of its first values, without repetition and cut short. */
  readValues(organisationId: string, file: { readonly path: string; readonly name: string }): Promise<readonly string[][]>;
}

export interface ReportWriter {
  add(row: number, reason: string, values: readonly string[]): Promise<void>;
  close(): Promise<void>;
  /** Closes the file and removes it. */
  discard(): Promise<void>;
}

/** A date, or a date and a time of day, without a time zone: `2026-03-01` or `2026-03-01T09:30:00`. */
export interface WallTime {
  readonly wallTime: string;
}

/** A text, a number as its exact digits, or a time. */
export type CsvCell = string | { readonly decimal: string } | WallTime;

/** Rows as Postgres' `COPY ... TO` writes them. */
export interface CopyOutput {
  /**
   * Each row is a line, with tabs between its cells. Tabs, line breaks and backslashes in a cell are escaped as Postgres' COPY does it. A
   * cell without a value is empty.
   */
  readonly lines: Buffer;
  /** For each column, whether it has numbers, as their exact digits. The other columns have texts. */
  readonly isNumber: readonly boolean[];
}

/** Texts stay texts, whatever they look like. Rows that the sheet cannot hold are omitted, and its last row says so. */
export interface TableWriter {
  add(cells: readonly (string | number | WallTime)[]): Promise<void>;
  close(): Promise<void>;
  /** Gives up the workbook and destroys the output. */
  abort(): Promise<void>;
}
