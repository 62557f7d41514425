// Why a row is rejected: a list of faults. The row's error is their sentences, joined by `; `. Its event has their codes and fields.
import type { ImportKind } from "../imports/fields.js";
import { columnsInSentences } from "./olderReasons.js";

/** Codes are on disk: they keep their meaning, and new ones may be added. */
export const faultCodes = [
  /** The field needs a value and has none. */
  "required",
  /** Not a number, amount or time that the field can have. */
  "invalid",
  /** Only in older events, beside `invalid`: a date that is not written as ISO 8601. */
  "dateForm",
  /** A spreadsheet's cell without a value, such as a formula's error. */
  "unreadable",
  "tooLong",
  /** The value has characters that cannot be stored. */
  "unstorable",
  "unknownCustomer",
  "zoneNotFound",
  "missingCustomField",
  /** Another value than in the first line of the shipment. */
  "contradiction",
  "tooManyLines",
  /** The row as a whole cannot be read or kept. */
  "unusableRow",
  /** This import may not record the row, whatever its values are. */
  "refused",
] as const;
export type FaultCode = (typeof faultCodes)[number];

/** A fault in an event: the code, then the fields at fault (a custom one as `customFields.<key>`); no field if it is the whole row. */
export type RecordedFault = [code: FaultCode, ...fields: string[]];

export interface Fault {
  readonly recordedFault: RecordedFault;
  /** Never has `; ` in it, which separates sentences. */
  readonly sentence: string;
  /** What is wrong with this value, or how to write it. For people only: it is neither recorded nor in the API. */
  readonly advice?: string | undefined;
}

export const fault = (code: FaultCode, sentence: string, ...fields: readonly string[]): Fault => ({
  recordedFault: [code, ...fields],
  sentence,
});

export interface RowReason {
  /** The reason in the API, the error report and the event. */
  readonly reason: string;
  readonly faults: readonly Fault[];
  /** Set for a line without a fault of its own that is rejected with its shipment: the row of the line at fault. */
  readonly lead?: number;
}

export const reasonOf = (faults: readonly Fault[]): RowReason => ({ reason: faults.map(({ sentence }) => sentence).join("; "), faults });

/** The reason for people who correct the row: each sentence with its advice. */
export const reasonWithAdvice = ({ reason, faults, lead }: RowReason): string =>
  lead === undefined ? faults.map(({ sentence, advice }) => (advice ? `${sentence}: ${advice}` : sentence)).join("; ") : reason;

/** The reason of a row that its import may not record. */
export const refusal = (sentence: string): RowReason => reasonOf([fault("refused", sentence)]);

const fieldsIn = (faults: readonly RecordedFault[]): string[] => faults.flatMap(([, ...fields]) => fields);

export const fieldsAtFault = ({ faults }: RowReason): string[] => [...new Set(fieldsIn(faults.map(({ recordedFault }) => recordedFault)))];

export interface RecordedReason {
  readonly error: string;
  readonly faults?: readonly RecordedFault[] | null | undefined;
  readonly lead?: number | null | undefined;
}

/** What an event has besides the error. A line rejected with its shipment has only the row at fault, whose event has the faults. */
export const recordedFaults = ({ faults, lead }: RowReason): { faults: RecordedFault[] } | { lead: number } =>
  lead === undefined ? { faults: faults.map(({ recordedFault }) => recordedFault) } : { lead };

/** The fields whose cells are marked in a rejected row, in the order of its faults. `customFieldKeys` are needed only for older events. */
export function faultyColumns(kind: ImportKind, { error, faults, lead }: RecordedReason, customFieldKeys: ReadonlySet<string>): string[] {
  if (typeof lead === "number") return [];
  return [...new Set(faults ? fieldsIn(faults) : columnsInSentences(kind, error, customFieldKeys))];
}
