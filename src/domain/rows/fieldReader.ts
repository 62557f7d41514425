import type { ColumnChoice } from "../imports/columns/choice.js";
import { toIsoDate } from "../imports/columns/dateOrder.js";
import { readNumber } from "../imports/columns/decimal.js";
import { columnsOf, type Field, type ImportKind } from "../imports/fields.js";
import { limits } from "../imports/limits.js";
import { isOtherDateForm, readTimestamp } from "../imports/timestamp.js";
import { type Cell, type Columns, textColumn } from "./cells.js";
import { type Fault, fault } from "./faults.js";
import type { RowContext } from "./rowContext.js";

type Value = string | number;

/** Returns the value to record, or undefined if there is none. Adds a fault if a required value is missing, or the cell is wrong. */
type ReadField = (cells: readonly Cell[], faults: Fault[]) => Value | undefined;

type ReadFields = (cells: readonly Cell[], faults: Fault[], target?: Record<string, unknown>) => Record<string, unknown>;

/** Reads the values of these fields into an object, in their order. Fields without a value are absent. */
export function fieldsReader(columns: Columns, fields: readonly Field[], context: RowContext): ReadFields {
  const readers = fields.map((field) => ({ name: field.name, read: fieldReader(columns, field, context) }));
  return (cells, faults, target = {}) => {
    for (const { name, read } of readers) {
      const value = read(cells, faults);
      if (value !== undefined) target[name] = value;
    }
    return target;
  };
}

function fieldReader(columns: Columns, field: Field, context: RowContext): ReadField {
  const number = (text: string) => readNumber(text, columns.decimal);
  switch (field.type) {
    case "identifier":
      return textReader(columns, field, limits.identifierLength);
    case "customer":
      return customerReader(columns, field, context);
    case "text":
    case "place":
      return textReader(columns, field, limits.textLength);
    case "number":
      return parsedReader(columns, field, number);
    case "nonZero":
      return parsedReader(columns, field, (text) => number(text) || undefined);
    case "positive":
      return parsedReader(columns, field, (text) => ifPositive(number(text)));
    case "time":
      return parsedReader(columns, field, (text) => readTimestamp(text, context.timezone), dateAdvice);
  }
}

function textReader(columns: Columns, { name, required, heading, missingReason }: Field, maxLength: number): ReadField {
  const read = textColumn(columns, name, maxLength);
  const missingFault = required === "value" ? fault("required", missingReason ?? `${heading} is required`, name) : undefined;
  return (cells, faults) => {
    const text = read(cells, faults);
    if (text === "" && missingFault) faults.push(missingFault);
    return text || undefined;
  };
}

function customerReader(columns: Columns, field: Field, context: RowContext): ReadField {
  const read = textReader(columns, field, limits.identifierLength);
  const unknown = fault("unknownCustomer", "Customer not found", field.name);
  return (cells, faults) => {
    const customerId = read(cells, faults);
    if (customerId !== undefined && !context.knowsCustomer(String(customerId))) faults.push(unknown);
    return customerId;
  };
}

/** Reads numbers and times. An invalid text gives one fault, an unreadable cell two. `adviceOn` may add advice on the text. */
function parsedReader(
  { fields, names }: Columns,
  { name, required, heading }: Field,
  parse: (text: string) => Value | undefined,
  adviceOn: (text: string) => string | undefined = () => undefined,
): ReadField {
  const index = fields.indexOf(name);
  const invalid = fault("invalid", `Valid ${heading.charAt(0).toLowerCase()}${heading.slice(1)} is required`, name);
  return (cells, faults) => {
    const cell = index === -1 ? "" : cells[index];
    const text = typeof cell === "object" ? undefined : (cell ?? "").trim();
    if (text === "" && required !== "value") return undefined;
    const value = text === undefined ? undefined : parse(text);
    if (value !== undefined) return value;
    const advice = text === undefined ? undefined : adviceOn(text);
    faults.push(advice === undefined ? invalid : { ...invalid, advice });
    if (typeof cell === "object") faults.push(fault("unreadable", `${names[index] ?? name} ${cell.fault}`, name));
    return undefined;
  };
}

const ifPositive = (value: number | undefined): number | undefined => (value !== undefined && value > 0 ? value : undefined);

/** A date in another form is rejected with advice and not guessed: 6/10/2026 may be in June or in October. */
const dateAdvice = (text: string): string | undefined =>
  isOtherDateForm(text) ? "write it as 2026-10-06, 2026-10-06T09:30:00 or 2026-10-06T09:30:00+10:00" : undefined;

/** Why rows with these fixed values would all be rejected. A place is judged only together with the rest of its row. */
export const fixedValueFaults = ({ fixed = {}, dateOrder, decimal }: ColumnChoice, kind: ImportKind, context: RowContext): string[] =>
  columnsOf(kind).flatMap((field) => {
    const { name, heading } = field;
    const value = Object.hasOwn(fixed, name) ? fixed[name] : undefined;
    if (value === undefined) return [];
    const faults: Fault[] = [];
    const cell = (field.type === "time" && dateOrder && toIsoDate(value, dateOrder)) || value;
    fieldsReader({ names: [name], fields: [name], decimal }, [field], context)([cell], faults);
    return faults.length === 0 ? [] : [`The fixed value of ${heading}: ${faults.map(({ sentence }) => sentence).join("; ")}.`];
  });
