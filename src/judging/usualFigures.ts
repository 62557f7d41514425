/** What an import's rows are compared with: figures of the organisation's activities that count, except those that the import corrects. */
export interface UsualFigures {
  codes(codes: { readonly chargeCodes: readonly string[]; readonly warehouseCodes: readonly string[] }): Promise<{
    /** Whether there are enough activities to call a code new. */
    readonly enough: boolean;
    /** `usual`: a lower bound of the code's limit in `quantityLimits`, from the whole days before the push; null if they have none. */
    readonly chargeCodes: readonly { readonly known: boolean; readonly usual: number | null }[];
    readonly warehouseCodes: readonly { readonly known: boolean }[];
  }>;
  /** For each charge code, the largest quantity that is not unusual, by the days before the push; null if too few quantities counted. */
  quantityLimits(chargeCodes: readonly string[]): Promise<(number | null)[]>;
  /** The codes of the activities that count, at most some thousand. */
  knownCodes(field: CodeField): Promise<string[]>;
  /** How many of the last activities were looked at (at most `unusualLimits.lastActivities`), and how many of these have a customer. */
  lastActivities(): Promise<{ readonly rows: number; readonly withCustomer: number }>;
  /** The low half of each activity's hash (domain/rows/activityHash.ts), by day, import and row. Some of the activities may not count. */
  hashes(days: readonly number[]): Promise<DayHashes[]>;
  /** For some blocks of `hashes`, in the same order: the high halves, the row numbers, and which of the rows do not count. */
  hashedRows(blocks: readonly Omit<DayHashes, "lows">[]): Promise<HashedRows[]>;
}

export type CodeField = "chargeCode" | "warehouseCode";

export interface DayHashes {
  readonly day: number;
  /** The commit position of the import's ImportRequested. */
  readonly position: string;
  /** Numbers the blocks of an import's day: the rows of a large import are in several blocks of some thousand. */
  readonly block: number;
  /** The low half of each row's hash, in 32 bits each, little-endian. */
  readonly lows: Buffer;
}

export interface HashedRows {
  readonly position: string;
  readonly importId: string;
  /** For each row, in the order of `lows`: the high half of its hash, then its row number. */
  readonly rest: Int32Array;
  /** The numbers of the import's rows that do not count. */
  readonly uncounted: readonly number[];
}
