// What is done with many cells at once: fill down, find and replace, undo. What it changes is said in cells and columns.
import { ask } from "../dialog.js";
import { element } from "../element.js";
import { type CellChange, changesTable, count } from "./changes.js";
import { askToReplace } from "./replace.js";
import { type Change, type Column, type Row, rowStatus } from "./rows.js";
import { cellValue, type Sheet } from "./sheet.js";
import type { View } from "./view.js";

export interface RangeCommands {
  readonly fillDown: () => void;
  readonly replace: () => void;
  readonly undo: () => void;
}

interface Grid {
  readonly view: View;
  readonly sheet: Sheet;
  readonly editable: boolean;
  readonly say: (text: string) => void;
  /** All of them, also those that are not shown. */
  readonly columns: readonly Column[];
  readonly references: ReadonlyMap<string, string>;
  readonly change: (changes: readonly Change[]) => void;
  /** A change of each selected cell. */
  readonly inRange: (value: (row: Row, field: string) => string) => Change[];
  readonly range: View["range"];
  readonly fieldAt: (column: number) => string | undefined;
}

export function rangeCommands({ view, sheet, editable, say, columns, references, change, inRange, range, fieldAt }: Grid): RangeCommands {
  /** Those of the changes that change something. */
  const real = (changes: readonly Change[]): CellChange[] =>
    changes.flatMap(({ row, field, value }) => {
      const before = cellValue(row, field);
      return before === value || row.held !== undefined || row.sending ? [] : [{ row, field, before, after: value }];
    });
  const apply = (changes: readonly CellChange[]) => change(changes.map(({ row, field, after }) => ({ row, field, value: after })));
  const inColumns = (changes: readonly CellChange[]): string => {
    const fields = new Set(changes.map(({ field }) => field));
    const headings = columns.flatMap(({ name, heading }) => (fields.has(name) ? [heading] : []));
    return `${count(changes.length, "cell")} in ${headings.join(", ")}`;
  };
  /** A range of several columns may be wider than was meant: what would change in each is shown first. */
  const fillDown = async () => {
    const { from, to } = range();
    if (!editable || to.column < view.leading) return;
    if (from.row === to.row)
      return say("Select the cell to fill from and the cells below it: hold Shift and press the arrow keys, or click.");
    const above = sheet.rows[from.row];
    const changes = above ? real(inRange((_, field) => cellValue(above, field))) : [];
    if (changes.length === 0) return say("Nothing to fill down: the cells already have this value.");
    const isGiven =
      from.column === to.column ||
      (await ask({
        title: `Fill down ${count(to.column - from.column + 1, "column")}?`,
        content: [element("p", {}, `${inColumns(changes)} will change.`), ...changesTable(changes, { columns, references })],
        confirm: `Fill ${count(changes.length, "cell")}`,
        isWide: true,
      }));
    if (!isGiven) return;
    apply(changes);
    say(`Filled ${inColumns(changes)}.`);
  };
  const replace = async () => {
    if (!editable) return;
    const changes = await askToReplace(sheet, { columns, ...mostFaulty(), references });
    if (changes.length === 0) return;
    apply(changes);
    say(`Replaced ${inColumns(changes)}.`);
  };
  /** The faulty column and its most frequent value; those of the cell that is worked on where nothing is faulty. */
  const mostFaulty = (): { field: string | undefined; find: string } => {
    const counts = new Map<string, { field: string; find: string; rows: number }>();
    for (const row of sheet.rows)
      for (const field of row.held ? [] : rowStatus(row, sheet.touched(row)).faulty) {
        const find = cellValue(row, field);
        const key = JSON.stringify([field, find]);
        counts.set(key, { field, find, rows: (counts.get(key)?.rows ?? 0) + 1 });
      }
    const [first] = [...counts.values()].sort((one, other) => other.rows - one.rows);
    const [row, field] = [sheet.rows[view.active.row], fieldAt(view.active.column)];
    return first ?? { field, find: row && field !== undefined ? cellValue(row, field) : "" };
  };
  const undo = () => {
    if (!sheet.undo()) say("Nothing to undo.");
  };
  return { fillDown: () => void fillDown(), replace: () => void replace(), undo };
}
