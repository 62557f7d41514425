// The rows of a correction as the file its customer would have uploaded: what was sent, with the corrected values in place.
import { type DecimalMark, writtenNumber } from "../imports/columns/decimal.js";
import { columnsOf, customFieldPrefix, elementColumn, isNumber, type Kind } from "../imports/fields.js";
import { cutMark } from "../imports/limits.js";
import { Rejection } from "../rejection.js";
import { firstMessages, pathText } from "../validation.js";
import type { CorrectionPush } from "./importPushes.js";
import { csvRecord } from "./toFile.js";

/** The values sent for a rejected row, by column name; null where they are too large to be sent again. */
export type SentValues = Readonly<Record<string, string>> | null;

export interface CorrectionSources {
  readonly kind: Kind;
  /** The organisation's own fields, as of today. */
  readonly customFieldKeys: ReadonlySet<string>;
  /** By row; a row that is not in it was sent without values that can be sent again. */
  readonly earlier: ReadonlyMap<number, SentValues>;
  /** For each row, the element of a JSON push of shipments that it goes back to; undefined where it goes back to a file. */
  readonly elements?: readonly number[] | undefined;
  /** The rows whose values were recorded: nothing of them is cut short. */
  readonly accepted?: ReadonlySet<number>;
  /** How the numbers of the corrected import are written; undefined for the contract's way. */
  readonly decimal?: DecimalMark | undefined;
}

/** `elements`: the number of shipments or activities. */
export function correctedFile(push: CorrectionPush, sources: CorrectionSources) {
  const { kind } = sources;
  const { rows } = push;
  const faults = firstMessages(faultsOf(push, sources));
  if (faults.length > 0) throw new Rejection("invalid", "The body is not as described", faults);
  const corrected = correctedRows(push, sources);
  const lines = correctedTable(corrected, kind).map(csvRecord);
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  return { lines, bytes, elements: kind === "shipments" ? shipmentsIn(corrected, sources.elements) : rows.length };
}

/** By field: what was sent, with the corrected values in place. */
export function correctedRows(
  { rows }: CorrectionPush,
  { kind, customFieldKeys, earlier, accepted, decimal }: CorrectionSources,
): ReadonlyMap<string, string>[] {
  const fieldOf = knownColumns(kind, customFieldKeys);
  return rows.map(({ row, values }) => {
    const kept = earlier.get(row) ?? {};
    const written = accepted?.has(row) ? writtenValues(kept, kind, decimal) : kept;
    return new Map([...byField(written, fieldOf), ...byField(values, fieldOf)]);
  });
}

/** The values of a recorded row, with its numbers as the import's own file has them. */
export const writtenValues = (
  values: Readonly<Record<string, string>>,
  kind: Kind,
  decimal: DecimalMark | undefined,
): Record<string, string> => {
  const numbers = new Set<string>(columnsOf(kind).flatMap((field) => (isNumber(field) ? [field.name] : [])));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, numbers.has(name) ? writtenNumber(value, decimal) : value]),
  );
};

/** The header row and a record for each row, as the file has them. */
export function correctedTable(corrected: readonly ReadonlyMap<string, string>[], kind: Kind): (string | undefined)[][] {
  const custom = new Set(corrected.flatMap((fields) => [...fields.keys()].filter((field) => field.startsWith(customFieldPrefix))));
  const columns = [...columnsOf(kind).map(({ name }) => name), ...custom];
  return [
    [elementColumn, ...columns],
    ...corrected.map((fields, index) => [String(index + 1), ...columns.map((field) => fields.get(field))]),
  ];
}

/** Lines of one element, or of a file, with one shipmentId are one shipment; a line without one stands alone. */
function shipmentsIn(lines: readonly ReadonlyMap<string, string>[], elements: CorrectionSources["elements"]): number {
  const keys = lines.map((fields, index) => {
    const id = (fields.get("shipmentId") ?? "").trim();
    return id === "" ? index : `${elements?.[index]} ${id}`;
  });
  return new Set(keys).size;
}

type FieldOf = (column: string) => string | undefined;

function knownColumns(kind: Kind, customFieldKeys: ReadonlySet<string>): FieldOf {
  const fields = new Map<string, string>();
  for (const key of kind === "shipments" ? customFieldKeys : []) {
    fields.set(key, `${customFieldPrefix}${key}`);
    fields.set(`${customFieldPrefix}${key}`, `${customFieldPrefix}${key}`);
  }
  for (const { name } of columnsOf(kind)) fields.set(name, name);
  return (column) => fields.get(column);
}

const byField = (values: Readonly<Record<string, string>>, fieldOf: FieldOf): [string, string][] =>
  Object.entries(values).flatMap(([column, value]) => {
    const field = fieldOf(column);
    return field === undefined ? [] : [[field, value] as [string, string]];
  });

function* faultsOf({ rows }: CorrectionPush, sources: CorrectionSources): Generator<string> {
  for (const [index, each] of rows.entries())
    for (const { column, what } of correctionFaults(each, sources))
      yield `${pathText(column === undefined ? ["rows", index] : ["rows", index, "values", column], "body")} ${what}`;
}

export interface CorrectionFault {
  /** The column at fault; absent where it is the whole row. */
  readonly column?: string;
  /** The field that the column holds; absent where there is none. */
  readonly field?: string;
  /** The end of a sentence that begins with the column's name or with the row. */
  readonly what: string;
}

/** Why a row cannot be sent again as it is, before any rule of the importer. */
export function* correctionFaults(
  { row, values }: CorrectionPush["rows"][number],
  { kind, customFieldKeys, earlier, accepted }: CorrectionSources,
): Generator<CorrectionFault> {
  const fieldOf = knownColumns(kind, customFieldKeys);
  const replaced = new Set<string>();
  for (const column of Object.keys(values)) {
    const field = fieldOf(column);
    if (field === undefined) yield { column, what: "is not a column of this import" };
    else if (replaced.has(field)) yield { column, field, what: "is given twice" };
    else replaced.add(field);
  }
  const sent = earlier.get(row);
  if (!sent) yield { what: "is too large to be corrected here: send the row again in a file" };
  for (const [column, value] of Object.entries(sent ?? {})) {
    const field = fieldOf(column);
    if (field === undefined) {
      if (value.trim() !== "") yield { what: `was sent with ${column}, which is no longer a column: send the row again` };
    } else if (!replaced.has(field) && !isWhole(value) && !accepted?.has(row))
      yield { column, field, what: "is required: the value that was sent is not kept whole, so it has to be replaced" };
  }
}

/** False for what was cut short when the row was rejected, and for characters that could not be kept. */
export const isWhole = (value: string): boolean => !value.endsWith(cutMark) && !value.includes("\ufffd");
