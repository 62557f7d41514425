// What the inside of the application asks of the outside world. Types only: adapters fulfil them, anyone may name them.

/** A place in the event store's one global order. Only grows. */
export interface Position {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** An event on its way into a stream. The id makes every retry safe: same id, same revision, recorded once. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  /** The data where it is JSON text already; `data` is then not looked at. */
  readonly json?: string;
  readonly metadata: EventMetadata;
}

export interface EventMetadata {
  readonly organisation: string;
  /** Who did it: `key:<prefix>`, `cli`, `worker:<id>`. */
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
  /** The event store's own clock. */
  readonly recordedAt: Date;
}

/** `-1n` means that the stream does not exist yet. */
export type Revision = bigint;
export const noStream: Revision = -1n;

export interface EventBatch {
  readonly events: readonly StoredEvent[];
  /** Safe to persist once every event of this batch, and of those before it, has been dealt with. Before the first event while nothing was reported. */
  readonly position: Position;
  /** True when the reader had reached the end of the log at this batch; a cluster's follower may have an earlier end than its leader. */
  readonly caughtUp: boolean;
}

export interface EventStore {
  /** Appends after exactly `expected`. Resends an append of unknown outcome itself; throws a typed error from src/portErrors.ts. */
  append(
    stream: string,
    events: readonly NewEvent[],
    expected: Revision,
    /** No longer than this in all, where the caller waits for it. */
    patience?: { withinMs?: number },
  ): Promise<{ revision: Revision; position: Position }>;
  /** Streams events in order; an unknown stream yields nothing. */
  read(stream: string, options?: { from?: Revision; backwards?: boolean; max?: number; signal?: AbortSignal }): AsyncIterable<StoredEvent>;
  /** The newest event of a stream, if any. */
  last(stream: string): Promise<StoredEvent | undefined>;
  /** Hands over batches of `$all`, restricted to streams with one of these prefixes, for ever: reconnects, backs off, resumes. Ends when `signal` aborts. `from` undefined = from the start; exclusive. */
  follow(
    options: { prefixes: readonly string[]; from: Position | undefined; maxBatch?: number; signal: AbortSignal },
    deal: (batch: EventBatch) => Promise<void>,
  ): Promise<void>;
  /** Reads `$all` from (exclusive) `from` up to the end as it is now, in batches; for rebuilds and audits. */
  replay(
    options: { prefixes: readonly string[]; from?: Position | undefined; maxBatch?: number; signal?: AbortSignal },
    deal: (batch: EventBatch) => Promise<void>,
  ): Promise<Position | undefined>;
  /** Deletes a stream for good: nothing can be read from it or appended to it afterwards. One that is deleted already, or never was, is no fault. */
  deleteStream(stream: string): Promise<void>;
  /** Cheap round trip for readiness; throws the typed outage error. */
  ping(): Promise<void>;
  /** The end of `$all` now; undefined when the store is empty. */
  head(): Promise<Position | undefined>;
  close(): Promise<void>;
}

/** Slow on purpose, and off the event loop. Throws TooBusy when too many wait already. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a hash the same work is done, and the answer is no. */
  matches(password: string, hash: string | undefined): Promise<boolean>;
  /** Whether it is one of those that everybody tries first. Lower case. */
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
  /** Stores a local file under a key, whole or not at all. */
  put(key: string, path: string, options: { contentType: string }): Promise<void>;
  /** Fetches an object into a local file. Throws ObjectMissing when there is none. */
  fetch(key: string, path: string): Promise<void>;
  exists(key: string): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** Keeps an object under another key only. Moving what was moved already does nothing; ObjectMissing where there never was one. */
  move(key: string, to: string): Promise<void>;
  /** Keys under a prefix with their age, for sweeping orphans. */
  list(prefix: string): AsyncIterable<{ key: string; modifiedAt: Date; size: number }>;
  /** Gives up uploads under a prefix that were begun before then and never finished, of those keys alone; says how many. */
  abortUnfinished(prefix: string, which: { before: Date; isOurs: (key: string) => boolean }): Promise<number>;
  /** A link that anyone holding it may GET until it expires, saved under `downloadName`. */
  link(key: string, options: { downloadName: string; expiresInSeconds: number; now: Date }): Promise<string>;
  /** Makes the bucket, or the folder, where it is missing. For the start of a process that stores submissions. */
  prepare(): Promise<void>;
  /** Throws StoreUnavailable where the store cannot be used. Changes nothing. */
  ping(): Promise<void>;
}

export type FileFormat = "csv" | "xlsx";

/** A cell whose value cannot be used; the row it stands in is to be rejected. `fault` reads after the column's name: `holds #REF!`. */
export interface CellFault {
  readonly fault: string;
  readonly text: string;
}

/** A row of a file: as many cells as the header has columns. Dates are ISO 8601 wall times, without a zone. */
export interface FileRow {
  /** As a spreadsheet program numbers it: the header is usually row 1, blank rows count. */
  readonly row: number;
  readonly cells: readonly (string | CellFault)[];
  /** Set when the row as a whole is to be rejected. */
  readonly fault: string | null;
}

/** How far a file has been read. */
export interface Reading {
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** What the customer is to be told about how the file was read. */
  readonly notes: readonly string[];
}

export interface RowBatch extends Reading {
  readonly rows: readonly FileRow[];
}

export interface RowCount extends Reading {
  /** Up to here. */
  readonly rows: number;
}

export interface FileHeader {
  readonly format: FileFormat;
  readonly columns: readonly string[];
  readonly notes: readonly string[];
}

export interface ReadOptions {
  readonly format?: FileFormat;
  /** Columns, from 0, in which a workbook's plain number is a date serial. */
  readonly dateColumns?: ReadonlySet<number>;
  readonly signal?: AbortSignal;
}

/** Reads uploaded files and writes error reports. A file that cannot be used is a FileFault whose message says what to fix. */
export interface Spreadsheets {
  readHeader(path: string, fileName: string, signal?: AbortSignal): Promise<FileHeader>;
  readRows(path: string, options?: ReadOptions): AsyncIterable<RowBatch>;
  /** Reads to the end and finds whatever `readRows` would refuse the file for, but for its header, without taking its rows apart. */
  countCsvRows(path: string, options?: ReadOptions): AsyncIterable<RowCount>;
  createReportWriter(path: string, options: { columns: readonly string[] }): Promise<ReportWriter>;
  isFileFault(error: unknown): error is Error;
}

/** Reads the header rows of uploads beside the requests that are being served. Throws as `Spreadsheets` does, or TooBusy. */
export interface HeaderReader {
  read(organisationId: string, file: { readonly path: string; readonly name: string }): Promise<FileHeader>;
}

export interface ReportWriter {
  add(row: number, reason: string, values: readonly string[]): Promise<void>;
  /** Finishes the workbook. */
  close(): Promise<void>;
  /** Gives up: closes and removes the file. */
  discard(): Promise<void>;
}
