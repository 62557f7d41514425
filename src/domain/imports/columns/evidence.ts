// What the values of a file say against a choice of its columns.
import type { Cell } from "../../rows/cells.js";
import { columnsOf, isNumber, type Kind } from "../fields.js";
import type { ColumnChoice } from "./choice.js";
import { contradictingDate, createDateForms, type DateOrder } from "./dateOrder.js";
import { contradictingNumber, createNumberForms, type DecimalMark, decimalMarkIn } from "./decimal.js";
import { fileHeadings } from "./headings.js";

export interface FileColumn {
  readonly heading: string;
  /** Some of the column's values; empty where there is no file. */
  readonly values: readonly string[];
  /** The few texts of the column that decide how its numbers are written. */
  readonly numbers: readonly string[];
}

/** By column: the few values that decide its order of day and month, and how its numbers are written. */
export interface Evidence {
  readonly values: readonly (readonly string[])[];
  readonly numbers: readonly (readonly string[])[];
}

/** Goes through all rows of a file; what it keeps does not grow with them. */
export function gatherEvidence() {
  const columns: { readonly dates: ReturnType<typeof createDateForms>; readonly numbers: ReturnType<typeof createNumberForms> }[] = [];
  return {
    add(cells: readonly Cell[]): void {
      for (let index = 0; index < cells.length; index++) {
        const cell = cells[index];
        const column = columns[index] ?? { dates: createDateForms(), numbers: createNumberForms() };
        columns[index] = column;
        if (typeof cell !== "string") continue;
        column.dates.add(cell);
        column.numbers.add(cell);
      }
    },
    evidence: (): Evidence => ({
      values: columns.map(({ dates }) => dates.values()),
      numbers: columns.map(({ numbers }) => numbers.values()),
    }),
  };
}

export const fileColumns = (columns: readonly string[], { values, numbers }: Evidence): FileColumn[] =>
  fileHeadings(columns).flatMap((heading, index) =>
    heading === undefined ? [] : [{ heading, values: values[index] ?? [], numbers: numbers[index] ?? [] }],
  );

/** What the file's numbers say about how they are written, in the columns that the choice takes for numbers. */
export const decimalMarkOfFile = (choice: ColumnChoice, kind: Kind, file: readonly FileColumn[]) =>
  decimalMarkIn(numberColumns(choice, kind, file).flatMap(({ numbers }) => numbers));

function numberColumns({ headings }: ColumnChoice, kind: Kind, file: readonly FileColumn[]): FileColumn[] {
  const fields = new Set<string>(columnsOf(kind).flatMap((field) => (isNumber(field) ? [field.name] : [])));
  return file.filter(({ heading }) => fields.has(headings[heading] ?? ""));
}

const decimalWords: Readonly<Record<DecimalMark, string>> = { point: "decimal point", comma: "decimal comma" };

/** In a sentence: why the file's numbers cannot be read as the choice has it. Undefined where they can. */
export function numbersFault(choice: ColumnChoice, kind: Kind, file: readonly FileColumn[]): string | undefined {
  const { decimal } = choice;
  const columns = numberColumns(choice, kind, file);
  const value = contradictingNumber(
    columns.flatMap(({ numbers }) => numbers),
    decimal,
  );
  if (value === undefined) return undefined;
  const { heading } = columns.find(({ numbers }) => numbers.includes(value)) ?? { heading: "A column" };
  if (decimal === undefined) return `${heading} has ${value}, and it was not said how numbers are written.`;
  return `${heading} has ${value}, which has no ${decimalWords[decimal]}; a ${decimalWords[decimal]} was chosen.`;
}

/** The headings whose columns the choice takes for times. */
export function dateColumns({ headings }: ColumnChoice, kind: Kind, file: readonly FileColumn[]): FileColumn[] {
  const times = new Set<string>(columnsOf(kind).flatMap(({ name, type }) => (type === "time" ? [name] : [])));
  return file.filter(({ heading }) => times.has(headings[heading] ?? ""));
}

export const orderNames: Readonly<Record<DateOrder, string>> = { dayFirst: "day first", monthFirst: "month first" };

/** In a sentence: why the file's dates cannot be read as the choice has it. Undefined where they can. */
export function datesFault(choice: ColumnChoice, kind: Kind, file: readonly FileColumn[]): string | undefined {
  const { dateOrder } = choice;
  for (const { heading, values } of dateColumns(choice, kind, file)) {
    const value = contradictingDate(values, dateOrder);
    if (value === undefined) continue;
    if (dateOrder === undefined) return `${heading} has ${value}, and it was not said whether the day or the month comes first.`;
    const other = dateOrder === "dayFirst" ? "monthFirst" : "dayFirst";
    return `${heading} has ${value}, which can only be ${orderNames[other]}; ${orderNames[dateOrder]} was chosen.`;
  }
  return undefined;
}
