// The rows of a correction as the file its customer would have uploaded: what was sent, with the corrected values in place.
import { columnsOf, customFieldPrefix, elementColumn } from "../imports/fields.js";
import { cutMark } from "../imports/shortened.js";
import { Rejection } from "../rejection.js";
import { firstOf, pathText } from "../validation/messages.js";
import type { CorrectionPush } from "./correctionPush.js";
import { csvLine } from "./toFile.js";

type Kind = "shipments" | "activities";

/** The values sent for a rejected row, by column name; null where they are too large to be sent again. */
export type SentValues = Readonly<Record<string, string>> | null;

export interface CorrectedFile {
  readonly lines: readonly string[];
  readonly bytes: number;
  /** Shipments or activities. */
  readonly elements: number;
}

interface Sources {
  readonly kind: Kind;
  /** The organisation's own fields, as of today. */
  readonly customFieldKeys: ReadonlySet<string>;
  readonly sentFor: (row: number) => SentValues;
}

export function correctedFile({ rows }: CorrectionPush, { kind, customFieldKeys, sentFor }: Sources): CorrectedFile {
  const fieldOf = knownColumns(kind, customFieldKeys);
  const faults = firstOf(faultsOf({ rows }, fieldOf, sentFor));
  if (faults.length > 0) throw new Rejection("invalid", "The body is not as described", faults);
  const corrected = rows.map(({ row, values }) => new Map([...byField(sentFor(row) ?? {}, fieldOf), ...byField(values, fieldOf)]));
  const custom = new Set(corrected.flatMap((fields) => [...fields.keys()].filter((field) => field.startsWith(customFieldPrefix))));
  const columns = [...columnsOf(kind).map(({ name }) => name), ...custom];
  const lines = [
    csvLine([elementColumn, ...columns]),
    ...corrected.map((fields, index) => csvLine([index + 1, ...columns.map((field) => fields.get(field))])),
  ];
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  return { lines, bytes, elements: kind === "shipments" ? shipmentsIn(corrected) : rows.length };
}

/** Lines with one shipmentId are one shipment; a line without one stands alone. */
function shipmentsIn(lines: readonly ReadonlyMap<string, string>[]): number {
  const ids = lines.map((fields) => (fields.get("shipmentId") ?? "").trim());
  return new Set(ids.filter((id) => id !== "")).size + ids.filter((id) => id === "").length;
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

function* faultsOf({ rows }: CorrectionPush, fieldOf: FieldOf, sentFor: Sources["sentFor"]): Generator<string> {
  for (const [index, { row, values }] of rows.entries()) {
    const at = (column: string) => pathText(["rows", index, "values", column], "body");
    const replaced = new Set<string>();
    for (const column of Object.keys(values)) {
      const field = fieldOf(column);
      if (field === undefined) yield `${at(column)} is not a column of this import`;
      else if (replaced.has(field)) yield `${at(column)} is given twice`;
      else replaced.add(field);
    }
    const sent = sentFor(row);
    if (sent === null) yield `${pathText(["rows", index], "body")} is too large to be corrected here: send the row again in a file`;
    for (const [column, value] of Object.entries(sent ?? {})) {
      const field = fieldOf(column);
      if (field === undefined) {
        if (value.trim() !== "")
          yield `${pathText(["rows", index], "body")} was sent with ${column}, which is no longer a column: send the row again`;
      } else if (!replaced.has(field) && !isWhole(value))
        yield `${at(column)} is required: the value that was sent is not kept whole, so it has to be replaced`;
    }
  }
}

/** False for what was cut short when the row was rejected, and for characters that could not be kept. */
export const isWhole = (value: string): boolean => !value.endsWith(cutMark) && !value.includes("\ufffd");
