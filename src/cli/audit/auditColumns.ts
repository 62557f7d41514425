import type { NameOf } from "../../domain/principal.js";
import type { ImportColumns } from "../../events/importEvents.js";

/** What an import's columns were taken for, as `audit import` prints it. */
export function columnLines({ headings, fixed = {}, dateOrder, decimal, by, at }: ImportColumns, nameOf: NameOf): string[] {
  const taken = Object.entries(headings).map(([heading, field]) => `${oneLine(heading)}: ${field ?? "left out"}`);
  const values = Object.entries(fixed).map(([field, value]) => `${field} is ${oneLine(value)} in every row`);
  const order = dateOrder === undefined ? [] : [`dates such as 03/04/2026 are ${dateOrder === "dayFirst" ? "day first" : "month first"}`];
  const numbers = decimal === undefined ? [] : [`numbers have a decimal ${decimal}`];
  return [
    `Columns       chosen ${at} by ${nameOf(by)}`,
    ...[...taken, ...values, ...order, ...numbers].map((line) => `              ${line}`),
  ];
}

/** A heading may have line breaks in it. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ");
