// Applies the choice of a file's columns to the cells of a row.
import type { Cell } from "../../rows/cells.js";
import { columnsOf, type Kind } from "../fields.js";
import { type DateOrder, isoDate } from "./dateOrder.js";

interface Mapping {
  readonly kind: Kind;
  readonly fields: readonly (string | undefined)[];
  readonly fixed: readonly string[];
  readonly dateOrder?: DateOrder | undefined;
}

/** Writes dates as ISO 8601 has them, where their order was declared, and adds the fixed values after the file's own cells. */
export function cellMapper({ kind, fields, fixed, dateOrder }: Mapping): (cells: readonly Cell[]) => readonly Cell[] {
  const times = new Set<string>(columnsOf(kind).flatMap(({ name, type }) => (type === "time" ? [name] : [])));
  const dates = dateOrder === undefined ? [] : fields.flatMap((field, index) => (field !== undefined && times.has(field) ? [index] : []));
  if (dates.length === 0 && fixed.length === 0) return (cells) => cells;
  return (cells) => {
    const mapped = cells.slice();
    for (const value of fixed) mapped.push(value);
    for (const index of dates) {
      const cell = mapped[index];
      const date = typeof cell === "string" && dateOrder ? isoDate(cell, dateOrder) : undefined;
      if (date !== undefined) mapped[index] = date;
    }
    return mapped;
  };
}
