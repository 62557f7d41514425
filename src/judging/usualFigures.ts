/** What an import's rows are compared with to find unusual ones: the organisation's activities that count, without those that the import corrects. */
export interface UsualFigures {
  codes(asked: { readonly chargeCodes: readonly string[]; readonly warehouseCodes: readonly string[] }): Promise<{
    /** Whether there are enough activities to call a code new. */
    readonly enough: boolean;
    /** `usual`: a lower bound of what is usual, from whole days before the push; null where there are none. `quantityLimits` has the exact limit. */
    readonly chargeCodes: readonly { readonly known: boolean; readonly usual: number | null }[];
    readonly warehouseCodes: readonly { readonly known: boolean }[];
  }>;
  /** For each charge code, how much is usual in the days before the push; null where too few quantities counted to say. */
  quantityLimits(chargeCodes: readonly string[]): Promise<(number | null)[]>;
  /** The codes of the activities that count, at most some thousand. */
  knownCodes(field: CodeField): Promise<string[]>;
  lastActivities(): Promise<{ readonly rows: number; readonly withCustomer: number }>;
  /** A hash of each activity of these days (domain/rows/activityHash.ts), also of those that do not count any more. Ordered by import and row. */
  hashes(days: readonly number[]): Promise<DayHashes[]>;
  /** For some entries of `hashes`: the high halves and the row numbers, in the same order. */
  hashedRows(of: readonly Omit<DayHashes, "lows">[]): Promise<HashedRows[]>;
}

export type CodeField = "chargeCode" | "warehouseCode";

export interface DayHashes {
  readonly day: number;
  /** Commit position of the import's ImportRequested. */
  readonly position: string;
  /** Of a large import's rows of a day, some thousand. */
  readonly block: number;
  /** The low half of each row's hash, in 32 bits each, little-endian. */
  readonly lows: Buffer;
}

export interface HashedRows {
  readonly position: string;
  readonly importId: string;
  /** Of each row, in the order of `lows`, the high half of its hash and the row's number. */
  readonly rest: Int32Array;
  /** The import's rows that do not count. */
  readonly uncounted: readonly number[];
}
