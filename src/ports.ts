// What the application needs of the event store, the object store and spreadsheets: types, and how two positions compare. src/adapters
// implements them; every folder may import them.
import type { Writable } from "node:stream";

/** A position in the log's global order. Later events have larger positions. */
export interface Position {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** The position before the first event. */
export const beginning: Position = { commit: -1n, prepare: -1n };

/** Every position is after undefined. */
export const isAfter = (position: Position, other: Position | undefined): boolean =>
  other === undefined || (position.commit === other.commit ? position.prepare > other.prepare : position.commit > other.commit);

/** An event to be appended. The id makes retries safe: an append with the same ids at the same revision is recorded once. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  /** Its data, as JSON text. */
  readonly json: string;
  readonly metadata: EventMetadata;
}

export interface EventMetadata {
  readonly organisation: string;
  /** The principal as `kind:id`, such as `worker:<id>`. */
  readonly actor: string;
  readonly $correlationId: string;
  readonly $causationId?: string;
  /** Schema version of the event's data. */
  readonly v: number;
}

export interface StoredEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
  /** By the event store's clock. */
  readonly recordedAt: Date;
}

/** `-1n` means that the stream does not exist yet. */
export type Revision = bigint;
export const noStream: Revision = -1n;

export interface EventBatch {
  readonly events: readonly StoredEvent[];
  /** May be stored as a checkpoint when this batch and all batches before it are handled. */
  readonly position: Position;
  /** True when this batch reaches the end of the log. A cluster's follower may have an earlier end than its leader. */
  readonly caughtUp: boolean;
}

export interface EventStore {
  /** Appends after exactly `expected`. It resends an append of unknown outcome by itself, and throws errors of src/portErrors.ts. */
  append(
    stream: string,
    events: readonly NewEvent[],
    expected: Revision,
    /** `withinMs`: the time for all attempts together. */
    patience?: { withinMs?: number },
  ): Promise<{ revision: Revision; position: Position }>;
  /** Streams events in order; an unknown stream yields nothing. */
  read(stream: string, options?: { from?: Revision; backwards?: boolean; max?: number; signal?: AbortSignal }): AsyncIterable<StoredEvent>;
  /** The newest event of a stream, if any. */
  last(stream: string): Promise<StoredEvent | undefined>;
  /**
   * Calls `onBatch` with the events after `from` (undefined: from the start) of all streams with one of these prefixes, or of all types that
   * begin so, and with every later one. It reconnects with a back-off and resumes. Ends when `signal` aborts.
   */
  follow(
    options: ({ prefixes: readonly string[] } | { types: readonly string[] }) & {
      from: Position | undefined;
      maxBatch?: number;
      signal: AbortSignal;
    },
    onBatch: (batch: EventBatch) => Promise<void>,
  ): Promise<void>;
  /**
   * Calls `onBatch` with the events after `from` up to `until`, at the most up to the present end of the log; for rebuilds and audits.
   * The last batch ends there: it has no later event and no later position.
   */
  replay(
    options: {
      prefixes: readonly string[];
      from?: Position | undefined;
      until?: Position | undefined;
      maxBatch?: number;
      signal?: AbortSignal;
    },
    onBatch: (batch: EventBatch) => Promise<void>,
  ): Promise<Position | undefined>;
  /** Deletes a stream for good: it can neither be read nor appended to afterwards. Deleting a deleted or unknown stream does nothing. */
  deleteStream(stream: string): Promise<void>;
  /** A cheap round trip, for the readiness check. Throws StoreUnavailable. */
  ping(): Promise<void>;
  /** The present end of the log; undefined when the log is empty. */
  head(): Promise<Position | undefined>;
  close(): Promise<void>;
}

/** Slow on purpose, and off the event loop. Throws TooBusy when too many wait already. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a hash the same work is done, and the answer is no. */
  matches(password: string, hash: string | undefined): Promise<boolean>;
  /** Whether it is in the list of common passwords. Takes lower case. */
  isCommon(password: string): boolean;
}

/** What a browser has to bring back from the identity provider, and what we compare it with. */
export interface SingleSignOnChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export type Identity =
  | { readonly kind: "verified"; readonly email: string }
  /** `unverified`: the provider does not vouch for the e-mail. `refused`: by the provider, or what it sent does not fit what was asked. */
  | { readonly kind: "unverified" | "refused" | "unreachable" };

/** OpenID Connect: the authorization code flow with PKCE. */
export interface SingleSignOn {
  /** Where to send the browser; undefined where the provider does not answer. */
  begin(): Promise<{ readonly url: string; readonly checks: SingleSignOnChecks } | undefined>;
  /** `query`: what the browser came back with, from the ? on. */
  finish(query: string, checks: SingleSignOnChecks): Promise<Identity>;
}

export interface ObjectStore {
  /** Stores a local file under a key, completely or not at all. */
  put(key: string, path: string, options: { contentType: string }): Promise<void>;
  /** Fetches an object into a local file. Throws ObjectMissing when there is none. */
  fetch(key: string, path: string): Promise<void>;
  exists(key: string): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** Moves an object to another key. A repeated move does nothing. Throws ObjectMissing when neither key has an object. */
  move(key: string, to: string): Promise<void>;
  /** The objects under a prefix. */
  list(prefix: string): AsyncIterable<{ key: string; modifiedAt: Date; size: number }>;
  /** Aborts the unfinished uploads under a prefix that were begun before `before` and whose keys are `isOurs`. Returns how many. */
  abortUnfinished(prefix: string, which: { before: Date; isOurs: (key: string) => boolean }): Promise<number>;
  /** A link from which the object can be downloaded, without a key, until it expires. The browser saves it as `downloadName`. */
  link(key: string, options: { downloadName: string; expiresInSeconds: number; now: Date }): Promise<string>;
  /** Creates the bucket or the folder if it is missing. For the start of a process that stores submissions. */
  prepare(): Promise<void>;
  /** Throws StoreUnavailable when the store cannot be used. Changes nothing. */
  ping(): Promise<void>;
}

export type FileFormat = "csv" | "xlsx";

/** A cell whose value cannot be used; its row is rejected. `fault` follows the column's name in the message, such as `holds #REF!`. */
export interface CellFault {
  readonly fault: string;
  readonly text: string;
}

/** A row of a file. It has as many cells as the header has columns. Dates are ISO 8601 local times without a zone. */
export interface FileRow {
  /** The row number that a spreadsheet program shows: the header is usually row 1, and blank rows count. */
  readonly row: number;
  readonly cells: readonly (string | CellFault)[];
  /** Set when the whole row is rejected. */
  readonly fault: string | null;
}

/** How far a file has been read. */
export interface Reading {
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** Remarks for the customer on how the file was read. */
  readonly notes: readonly string[];
}

export interface RowBatch extends Reading {
  readonly rows: readonly FileRow[];
}

export interface RowCount extends Reading {
  /** The number of rows so far. */
  readonly rows: number;
}

export interface FileHeader {
  readonly format: FileFormat;
  readonly columns: readonly string[];
  readonly notes: readonly string[];
  /** What a workbook's properties say it is about. */
  readonly subject?: string;
}

export interface ReadOptions {
  readonly format?: FileFormat;
  /** Columns, from 0, in which a workbook's number is read as a date. */
  readonly dateColumns?: ReadonlySet<number>;
  readonly signal?: AbortSignal;
}

/** Reads uploaded files and writes error reports. Throws FileFault for an unusable file; the message says what to fix. */
export interface Spreadsheets {
  readHeader(path: string, fileName: string, signal?: AbortSignal): Promise<FileHeader>;
  readRows(path: string, options?: ReadOptions): AsyncIterable<RowBatch>;
  /** Counts the rows without splitting them into cells. Throws for every fault that `readRows` throws for, except header faults. */
  countCsvRows(path: string, options?: ReadOptions): AsyncIterable<RowCount>;
  /**
   * `columns` is the whole header row: two headings for the row number and the reason, then those of the values. `subject` goes into the
   * workbook's properties, which spreadsheet programs keep.
   */
  createReportWriter(path: string, options: { columns: readonly string[]; subject: string }): Promise<ReportWriter>;
  /** Writes a workbook of one sheet to `output` as it goes. */
  createTableWriter(output: Writable, options: { sheet: string; columns: readonly string[] }): Promise<TableWriter>;
  isFileFault(error: unknown): error is Error;
}

/** Reads header rows of uploads in other threads, so that requests are served meanwhile. Throws as `Spreadsheets` does, or TooBusy. */
export interface HeaderReader {
  read(organisationId: string, file: { readonly path: string; readonly name: string }): Promise<FileHeader>;
}

export interface ReportWriter {
  add(row: number, reason: string, values: readonly string[]): Promise<void>;
  /** Finishes the workbook. */
  close(): Promise<void>;
  /** Closes and removes the file. */
  discard(): Promise<void>;
}

/** Texts stay texts, whatever a spreadsheet would make of them. Rows that a sheet cannot hold are left out, and its last row says so. */
export interface TableWriter {
  add(cells: readonly (string | number)[]): Promise<void>;
  /** Finishes the workbook. */
  close(): Promise<void>;
  /** Gives it up; the output is destroyed. */
  abort(): Promise<void>;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Asked of the address that is connected to, before anything is sent; answers why not, or undefined. */
  readonly whyNot: (address: string) => string | undefined;
  readonly signal: AbortSignal;
}

/** `reason` says why there is no usable answer; a status alone is the receiver's word. */
export interface WebhookAnswer {
  readonly status: number | null;
  readonly reason: string | null;
  /** The beginning of what was answered. */
  readonly answer: string | null;
  readonly milliseconds: number;
}

/** Posts once: no redirects, an end to everything that is waited for or read. Never throws. */
export type PostWebhook = (request: WebhookRequest) => Promise<WebhookAnswer>;
