// What the values of a file say against a choice of its columns.
import { columnsOf, type Kind } from "../fields.js";
import type { ColumnChoice } from "./choice.js";
import { type DateOrder, valueAgainst } from "./dateOrder.js";
import { fileHeadings } from "./headings.js";

export interface HeadingOfFile {
  readonly heading: string;
  /** Some of the column's values; empty where there is no file. */
  readonly values: readonly string[];
}

/** `values`: by column. */
export const headingsOfFile = (columns: readonly string[], values: readonly (readonly string[])[]): HeadingOfFile[] =>
  fileHeadings(columns).flatMap((heading, index) => (heading === undefined ? [] : [{ heading, values: values[index] ?? [] }]));

/** The headings whose columns the choice takes for times. */
export function datesOf({ headings }: ColumnChoice, kind: Kind, file: readonly HeadingOfFile[]): HeadingOfFile[] {
  const times = new Set<string>(columnsOf(kind).flatMap(({ name, type }) => (type === "time" ? [name] : [])));
  return file.filter(({ heading }) => times.has(headings[heading] ?? ""));
}

export const orderNames: Readonly<Record<DateOrder, string>> = { dayFirst: "day first", monthFirst: "month first" };

/** In a sentence: why the file's dates cannot be read as the choice has it. Undefined where they can. */
export function datesAgainst(choice: ColumnChoice, kind: Kind, file: readonly HeadingOfFile[]): string | undefined {
  const { dateOrder } = choice;
  for (const { heading, values } of datesOf(choice, kind, file)) {
    const value = valueAgainst(values, dateOrder);
    if (value === undefined) continue;
    if (dateOrder === undefined) return `${heading} has ${value}, and it was not said whether the day or the month comes first.`;
    const other = dateOrder === "dayFirst" ? "monthFirst" : "dayFirst";
    return `${heading} has ${value}, which can only be ${orderNames[other]}; ${orderNames[dateOrder]} was chosen.`;
  }
  return undefined;
}
