// Collects the values of a file that decide how its dates and numbers are read, and finds those that contradict the chosen way.
import type { Cell } from "../../rows/cells.js";
import { columnsOf, type ImportKind, isNumberField } from "../fields.js";
import type { ColumnChoice } from "./choice.js";
import { contradictingDate, createDateEvidence, type DateOrder } from "./dateOrder.js";
import { contradictingNumber, createNumberEvidence, type DecimalMark, decimalMarkIn } from "./decimal.js";
import { fileHeadings } from "./headings.js";

export interface FileColumn {
  readonly heading: string;
  /** The few texts of the column that decide its order of day and month; empty if there is no file. */
  readonly values: readonly string[];
  /** The few texts of the column that decide how its numbers are written; empty if there is no file. */
  readonly numbers: readonly string[];
}

/** By column, in the file's order: `values` decide the order of day and month, `numbers` how numbers are written. */
export interface Evidence {
  readonly values: readonly (readonly string[])[];
  readonly numbers: readonly (readonly string[])[];
}

/** Collects the evidence of all rows of a file. What it keeps does not grow with the number of rows. */
export function createEvidenceCollector() {
  const columns: { dates: ReturnType<typeof createDateEvidence>; numbers: ReturnType<typeof createNumberEvidence> }[] = [];
  return {
    add(cells: readonly Cell[]): void {
      for (let index = 0; index < cells.length; index++) {
        const cell = cells[index];
        const column = columns[index] ?? { dates: createDateEvidence(), numbers: createNumberEvidence() };
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

/** The decimal mark that the file's numbers show, in the columns that were chosen for number fields. */
export const decimalMarkOfFile = (choice: ColumnChoice, kind: ImportKind, file: readonly FileColumn[]) =>
  decimalMarkIn(numberColumns(choice, kind, file).flatMap(({ numbers }) => numbers));

function numberColumns({ headings }: ColumnChoice, kind: ImportKind, file: readonly FileColumn[]): FileColumn[] {
  const fields = new Set<string>(columnsOf(kind).flatMap((field) => (isNumberField(field) ? [field.name] : [])));
  return file.filter(({ heading }) => fields.has(headings[heading] ?? ""));
}

const decimalWords: Readonly<Record<DecimalMark, string>> = { point: "decimal point", comma: "decimal comma" };

/** Why the file's numbers cannot be read as chosen, as a sentence. Undefined if they can. */
export function numbersFault(choice: ColumnChoice, kind: ImportKind, file: readonly FileColumn[]): string | undefined {
  const { decimal } = choice;
  const columns = numberColumns(choice, kind, file);
  const value = contradictingNumber(
    columns.flatMap(({ numbers }) => numbers),
    decimal,
  );
  if (value === undefined) return undefined;
  const { heading } = columns.find(({ numbers }) => numbers.includes(value)) ?? { heading: "A column" };
  if (decimal === undefined) return `${heading} has ${value}, and nobody has chosen how numbers are written.`;
  return `${heading} has ${value}, which has no ${decimalWords[decimal]}; a ${decimalWords[decimal]} was chosen.`;
}

/** The columns that were chosen for time fields. */
export function dateColumns({ headings }: ColumnChoice, kind: ImportKind, file: readonly FileColumn[]): FileColumn[] {
  const times = new Set<string>(columnsOf(kind).flatMap(({ name, type }) => (type === "time" ? [name] : [])));
  return file.filter(({ heading }) => times.has(headings[heading] ?? ""));
}

export const dateOrderNames: Readonly<Record<DateOrder, string>> = { dayFirst: "day first", monthFirst: "month first" };

/** Why the file's dates cannot be read as chosen, as a sentence. Undefined if they can. */
export function datesFault(choice: ColumnChoice, kind: ImportKind, file: readonly FileColumn[]): string | undefined {
  const { dateOrder } = choice;
  for (const { heading, values } of dateColumns(choice, kind, file)) {
    const value = contradictingDate(values, dateOrder);
    if (value === undefined) continue;
    if (dateOrder === undefined) return `${heading} has ${value}, and nobody has chosen whether the day or the month comes first.`;
    const other = dateOrder === "dayFirst" ? "monthFirst" : "dayFirst";
    return `${heading} has ${value}, which can only be ${dateOrderNames[other]}; ${dateOrderNames[dateOrder]} was chosen.`;
  }
  return undefined;
}
