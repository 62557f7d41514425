// Makes the file that a customer would have uploaded from a correction: the values that were sent, with the corrected values in place.
import { type DecimalMark, formatNumber } from "../imports/columns/decimal.js";
import { columnsOf, customFieldPrefix, elementColumn, type ImportKind, isNumberField } from "../imports/fields.js";
import { cutMark } from "../imports/limits.js";
import { Rejection } from "../rejection.js";
import { firstMessages, pathText } from "../validation.js";
import type { CorrectionPush } from "./importPushes.js";
import { csvRecord } from "./toFile.js";

/** By column name: the values sent for a rejected row, or recorded for an accepted one. Null if they are too large to be sent again. */
export type SentValues = Readonly<Record<string, string>> | null;

export interface CorrectionSources {
  readonly kind: ImportKind;
  /** The keys of the organisation's current custom fields. */
  readonly customFieldKeys: ReadonlySet<string>;
  /** By row. A row that is not in the map has no values that can be sent again. */
  readonly sentValues: ReadonlyMap<number, SentValues>;
  /** For each row, the element of the JSON push of shipments that it first came from. Undefined if the rows came from a file. */
  readonly elements?: readonly number[] | undefined;
  /** The rows that were accepted, whose values were recorded whole. */
  readonly acceptedRows?: ReadonlySet<number>;
  /** How the numbers of the corrected import are written; undefined for the contract's way. */
  readonly decimal?: DecimalMark | undefined;
}

/** Returns the file's lines, their size in bytes, and the number of shipments or activities as `elements`. */
export function correctedFile(push: CorrectionPush, sources: CorrectionSources) {
  const { kind } = sources;
  const { rows } = push;
  const faults = firstMessages(faultsOf(push, sources));
  if (faults.length > 0) throw new Rejection("invalid", "The body is not as described", faults);
  const corrected = correctedRows(push, sources);
  const lines = correctedTable(corrected, kind).map(csvRecord);
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  return { lines, bytes, elements: kind === "shipments" ? countShipments(corrected, sources.elements) : rows.length };
}

/** The values of each row by field: what was sent or recorded, with the corrected values in place. */
export function correctedRows(
  { rows }: CorrectionPush,
  { kind, customFieldKeys, sentValues, acceptedRows, decimal }: CorrectionSources,
): ReadonlyMap<string, string>[] {
  const fieldOf = fieldFinder(kind, customFieldKeys);
  return rows.map(({ row, values }) => {
    const sent = sentValues.get(row) ?? {};
    const written = acceptedRows?.has(row) ? formatRecordedValues(sent, kind, decimal) : sent;
    return new Map([...entriesByField(written, fieldOf), ...entriesByField(values, fieldOf)]);
  });
}

/** Writes the numbers of a recorded row with the decimal mark of its import's file. */
export const formatRecordedValues = (
  values: Readonly<Record<string, string>>,
  kind: ImportKind,
  decimal: DecimalMark | undefined,
): Record<string, string> => {
  const numbers = new Set<string>(columnsOf(kind).flatMap((field) => (isNumberField(field) ? [field.name] : [])));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, numbers.has(name) ? formatNumber(value, decimal) : value]),
  );
};

/** The records of the file: the header row, then one for each row. */
export function correctedTable(corrected: readonly ReadonlyMap<string, string>[], kind: ImportKind): (string | undefined)[][] {
  const custom = new Set(corrected.flatMap((fields) => [...fields.keys()].filter((field) => field.startsWith(customFieldPrefix))));
  const columns = [...columnsOf(kind).map(({ name }) => name), ...custom];
  return [
    [elementColumn, ...columns],
    ...corrected.map((fields, index) => [String(index + 1), ...columns.map((field) => fields.get(field))]),
  ];
}

/** Within one element, or within a file, lines with one shipmentId are one shipment. A line without one is a shipment of its own. */
function countShipments(lines: readonly ReadonlyMap<string, string>[], elements: CorrectionSources["elements"]): number {
  const keys = lines.map((fields, index) => {
    const id = (fields.get("shipmentId") ?? "").trim();
    return id === "" ? index : `${elements?.[index]} ${id}`;
  });
  return new Set(keys).size;
}

type FieldOf = (column: string) => string | undefined;

function fieldFinder(kind: ImportKind, customFieldKeys: ReadonlySet<string>): FieldOf {
  const fields = new Map<string, string>();
  for (const key of kind === "shipments" ? customFieldKeys : []) {
    fields.set(key, `${customFieldPrefix}${key}`);
    fields.set(`${customFieldPrefix}${key}`, `${customFieldPrefix}${key}`);
  }
  for (const { name } of columnsOf(kind)) fields.set(name, name);
  return (column) => fields.get(column);
}

const entriesByField = (values: Readonly<Record<string, string>>, fieldOf: FieldOf): [string, string][] =>
  Object.entries(values).flatMap(([column, value]) => {
    const field = fieldOf(column);
    return field === undefined ? [] : [[field, value] as [string, string]];
  });

function* faultsOf({ rows }: CorrectionPush, sources: CorrectionSources): Generator<string> {
  for (const [index, each] of rows.entries())
    for (const { column, problem } of correctionFaults(each, sources))
      yield `${pathText(column === undefined ? ["rows", index] : ["rows", index, "values", column], "body")} ${problem}`;
}

export interface CorrectionFault {
  /** The column at fault; absent if it is the whole row. */
  readonly column?: string;
  /** The field that the column holds; absent if there is none. */
  readonly field?: string;
  /** The end of a sentence that begins with the column's name or with the row. */
  readonly problem: string;
}

/** Why a row cannot be sent again with these corrections. The importer judges the row by its own rules later. */
export function* correctionFaults(
  { row, values }: CorrectionPush["rows"][number],
  { kind, customFieldKeys, sentValues, acceptedRows }: CorrectionSources,
): Generator<CorrectionFault> {
  const fieldOf = fieldFinder(kind, customFieldKeys);
  const replaced = new Set<string>();
  for (const column of Object.keys(values)) {
    const field = fieldOf(column);
    if (field === undefined) yield { column, problem: "is not a column of this import" };
    else if (replaced.has(field)) yield { column, field, problem: "is given twice" };
    else replaced.add(field);
  }
  const sent = sentValues.get(row);
  if (!sent) yield { problem: "is too large to be corrected here: send the row again in a file" };
  for (const [column, value] of Object.entries(sent ?? {})) {
    const field = fieldOf(column);
    if (field === undefined) {
      if (value.trim() !== "") yield { problem: `was sent with ${column}, which is no longer a column: send the row again` };
    } else if (!replaced.has(field) && !isKeptWhole(value) && !acceptedRows?.has(row))
      yield { column, field, problem: "is required: the value that was sent is not kept whole, so it has to be replaced" };
  }
}

/** False for a value that was cut when its row was rejected, or that had characters which could not be kept. */
export const isKeptWhole = (value: string): boolean => !value.endsWith(cutMark) && !value.includes("\ufffd");
