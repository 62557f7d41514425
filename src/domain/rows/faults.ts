// Why a row is rejected: a list of faults. The error of a rejected row is their sentences, joined by `; `. Its event has the codes and fields.
import type { Kind } from "../imports/fields.js";
import { columnsInSentences } from "./olderReasons.js";

/** These are on disk: a code keeps its meaning, and new ones are added. */
export const faultCodes = [
  /** There has to be a value. */
  "required",
  /** Not a number, amount or time that the field can have. */
  "invalid",
  /** Beside `invalid`, in older events: it is a date, but not written as ISO 8601 has it. */
  "dateForm",
  /** A spreadsheet's cell without a value, such as a formula's error. */
  "unreadable",
  "tooLong",
  /** It has characters that cannot be stored. */
  "unstorable",
  "unknownCustomer",
  "zoneNotFound",
  "missingCustomField",
  /** Another value than in the first line of the shipment. */
  "contradiction",
  "tooManyLines",
  /** The row as a whole cannot be read or kept. */
  "unusableRow",
  /** Whatever its values are: this import may not record the row. */
  "refused",
] as const;
export type FaultCode = (typeof faultCodes)[number];

/** As an event has it: the code, then the fields at fault, a custom one as `customFields.<key>`; no field where it is the row as a whole. */
export type RecordedFault = [code: FaultCode, ...columns: string[]];

export interface Fault {
  readonly recorded: RecordedFault;
  /** Never has `; ` in it. */
  readonly sentence: string;
  /** What is wrong with this value, or how to write it. People are told; it is not recorded, and the API does not say it. */
  readonly advice?: string | undefined;
}

export const fault = (code: FaultCode, sentence: string, ...columns: readonly string[]): Fault => ({
  recorded: [code, ...columns],
  sentence,
});

export interface RowReason {
  /** What the API, the error report and the event say. */
  readonly reason: string;
  readonly faults: readonly Fault[];
  /** Set for a line without a fault of its own that is rejected with its shipment: the row of the line at fault. */
  readonly lead?: number;
}

export const reasonOf = (faults: readonly Fault[]): RowReason => ({ reason: faults.map(({ sentence }) => sentence).join("; "), faults });

/** The reason for people who are about to mend the row: each sentence with its advice. */
export const reasonWithAdvice = ({ reason, faults, lead }: RowReason): string =>
  lead === undefined ? faults.map(({ sentence, advice }) => (advice ? `${sentence}: ${advice}` : sentence)).join("; ") : reason;

/** The reason of a row that its import may not record. */
export const refusal = (sentence: string): RowReason => reasonOf([fault("refused", sentence)]);

const fieldsIn = (recorded: readonly RecordedFault[]): string[] => recorded.flatMap(([, ...columns]) => columns);

export const fieldsAtFault = ({ faults }: RowReason): string[] => [...new Set(fieldsIn(faults.map(({ recorded }) => recorded)))];

export interface RecordedReason {
  readonly error: string;
  readonly faults?: readonly RecordedFault[] | null | undefined;
  readonly lead?: number | null | undefined;
}

/** What an event has besides the error: of a line that is rejected with its shipment only the row at fault, whose event has the faults. */
export const recordedFaults = ({ faults, lead }: RowReason): { faults: RecordedFault[] } | { lead: number } =>
  lead === undefined ? { faults: faults.map(({ recorded }) => recorded) } : { lead };

/** The fields that a rejected row's cells are marked in, in the order of its faults. `customFieldKeys` are needed only for older events. */
export function faultyColumns(kind: Kind, { error, faults, lead }: RecordedReason, customFieldKeys: ReadonlySet<string>): string[] {
  if (typeof lead === "number") return [];
  return [...new Set(faults ? fieldsIn(faults) : columnsInSentences(kind, error, customFieldKeys))];
}
