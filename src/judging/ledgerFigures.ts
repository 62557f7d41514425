import type { UnusualOfKind } from "../events/importEvents.js";

/** What unusual rows are compared with: the activities of the organisation that count, without those that a correction replaces. */
export interface LedgerFigures {
  codes(asked: { readonly chargeCodes: readonly string[]; readonly warehouseCodes: readonly string[] }): Promise<CodeFigures>;
  /** For each charge code, how much is usual in the days before the push; null where too few quantities counted to say. */
  quantityLimits(chargeCodes: readonly string[]): Promise<(number | null)[]>;
  /** The codes that stand in an activity that counts, at most some thousand. */
  knownCodes(field: CodeField): Promise<string[]>;
  lastActivities(): Promise<{ readonly rows: number; readonly withCustomer: number }>;
  /** What the activities of these days say, those that do not count any more too. Ordered by import. */
  contents(days: readonly number[]): Promise<DayContents[]>;
  /** Of these, the rest of what `contents` compares them by. */
  contentRows(of: readonly Omit<DayContents, "lows">[]): Promise<ContentRows[]>;
}

export type CodeField = "chargeCode" | "warehouseCode";

export interface CodeFigures {
  /** Whether there are enough activities to call a code new. */
  readonly enough: boolean;
  /** At least so much is usual in whole days before the push; null where there are none. Exactly it is asked for where that does not do. */
  readonly chargeCodes: readonly { readonly known: boolean; readonly usual: number | null }[];
  readonly warehouseCodes: readonly { readonly known: boolean }[];
}

export interface DayContents {
  readonly day: number;
  /** Commit position of the import's ImportRequested. */
  readonly position: string;
  /** Of each row the low half of its content: 32 bits, little-endian. */
  readonly lows: Uint8Array;
}

export interface ContentRows {
  readonly position: string;
  readonly importId: string;
  /** Of each row, in the order of `lows`, the high half of its content and the row's number. */
  readonly rest: Uint8Array;
  /** The import's rows that do not count. */
  readonly uncounted: readonly number[];
}

/** What is recorded of unusual rows, as ImportCompleted has it. */
export interface UnusualRows {
  /** How many rows, each once. */
  readonly count: number;
  readonly kinds: readonly UnusualOfKind[];
}
