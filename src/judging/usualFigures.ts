/** What an import's rows are compared with: figures of the organisation's activities that count, without those that the import corrects. */
export interface UsualFigures {
  codes(codes: { readonly chargeCodes: readonly string[]; readonly warehouseCodes: readonly string[] }): Promise<{
    /** Whether there are enough activities to call a code new. */
    readonly enough: boolean;
    /** `usual`: a lower bound of `quantityLimits`, from the whole days before the push; null where there are none. */
    readonly chargeCodes: readonly { readonly known: boolean; readonly usual: number | null }[];
    readonly warehouseCodes: readonly { readonly known: boolean }[];
  }>;
  /** For each charge code, the largest usual quantity in the days before the push; null where too few quantities counted to say. */
  quantityLimits(chargeCodes: readonly string[]): Promise<(number | null)[]>;
  /** The codes of the activities that count, at most some thousand. */
  knownCodes(field: CodeField): Promise<string[]>;
  lastActivities(): Promise<{ readonly rows: number; readonly withCustomer: number }>;
  /** Half the hash of each activity of these days (domain/rows/activityHash.ts), even if it no longer counts, by day, import and row. */
  hashes(days: readonly number[]): Promise<DayHashes[]>;
  /** For some blocks of `hashes`: the other halves and the row numbers, in the same order. */
  hashedRows(blocks: readonly Omit<DayHashes, "lows">[]): Promise<HashedRows[]>;
}

export type CodeField = "chargeCode" | "warehouseCode";

export interface DayHashes {
  readonly day: number;
  /** The commit position of the import's ImportRequested. */
  readonly position: string;
  /** The number of the block: the rows that a large import has on a day are in blocks of some thousand. */
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
