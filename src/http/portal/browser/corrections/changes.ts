// Shows changes of cells to a person before they are applied or submitted: equal changes on one line, the most frequent first.
import { element } from "../element.js";
import type { Change, GridColumn, GridRow } from "./rows.js";
import type { CorrectionPage } from "./view.js";

/** A change with the value before it. */
export type CellChange = Change & { readonly before: string };

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString("en-AU")} ${number === 1 ? one : many}`;

export const headingOf = (field: string, columns: readonly GridColumn[]): string =>
  columns.find(({ name }) => name === field)?.heading ?? field;

const maxLines = 50;
const maxRowNumbers = 5;

/** The cells of these rows whose values differ from those that the server sent. */
export const changesOf = (rows: readonly GridRow[]): CellChange[] =>
  rows.flatMap((row) => [...row.changed].map(([field, value]) => ({ row, field, before: row.served.values[field] ?? "", value })));

export function changesTable(changes: readonly CellChange[], { settings: { columns }, references }: CorrectionPage): Node[] {
  const groups = Map.groupBy(changes, ({ row, field, before, value }) => JSON.stringify([row.served.importId, field, before, value]));
  const sorted = [...groups.values()].sort((one, other) => other.length - one.length);
  const severalImports = new Set(changes.map(({ row }) => row.served.importId)).size > 1;
  const headings = ["Column", "Before", "After", "Rows", ...(severalImports ? ["Import"] : [])];
  const tableRow = ([first, ...others]: readonly CellChange[]) => {
    if (!first) return "";
    const { importId } = first.row.served;
    const cells = [headingOf(first.field, columns), valueText(first.before), valueText(first.value), rowsText([first, ...others])];
    if (severalImports) cells.push(references.get(importId) ?? importId);
    return element("tr", {}, ...cells.map((content, at) => element("td", { "data-label": headings[at] ?? "" }, content)));
  };
  const head = element("thead", {}, element("tr", {}, ...headings.map((heading) => element("th", { scope: "col" }, heading))));
  const table = element("table", { class: "rows" }, head, element("tbody", {}, ...sorted.slice(0, maxLines).map(tableRow)));
  const region = element("div", { class: "changed-cells", role: "region", "aria-label": "Changes", tabindex: "0" }, table);
  const more = sorted.slice(maxLines).reduce((sum, equalChanges) => sum + equalChanges.length, 0);
  return more > 0 ? [region, element("p", { class: "hint" }, `And ${count(more, "more change")}.`)] : [region];
}

const valueText = (value: string): Node | string => (value === "" ? element("span", { class: "muted" }, "Empty") : value);

function rowsText(equalChanges: readonly CellChange[]): string {
  const numbers = equalChanges.slice(0, maxRowNumbers).map(({ row }) => row.served.row);
  const more = equalChanges.length - numbers.length;
  return `${numbers.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
