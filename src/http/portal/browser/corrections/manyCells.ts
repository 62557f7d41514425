// What is done with many cells at once: fill down, find and replace, undo. What it changes is shown before, or said in cells and columns.
import { ask } from "../dialog.js";
import { element } from "../element.js";
import { type CellChange, changesTable, count, headingOf } from "./changes.js";
import { type Change, type Row, rowStatus } from "./rows.js";
import { cellValue, type Sheet } from "./sheet.js";
import type { Grid } from "./view.js";

interface Cells {
  readonly editable: boolean;
  readonly change: (changes: readonly Change[]) => void;
  /** A change of each selected cell. */
  readonly inRange: (value: (row: Row, field: string) => string) => Change[];
  readonly range: Grid["view"]["range"];
  readonly fieldAt: (column: number) => string | undefined;
}

export function rangeCommands(grid: Grid, { editable, change, inRange, range, fieldAt }: Cells) {
  const { view, sheet, settings } = grid;
  const { columns } = settings;
  /** Those of the changes that change something. */
  const real = (changes: readonly Change[]): CellChange[] =>
    changes.flatMap(({ row, field, value }) => {
      const before = cellValue(row, field);
      return before === value || row.closure !== undefined || row.sending ? [] : [{ row, field, before, after: value }];
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
      return grid.say("Select the cell to fill from and the cells below it: hold Shift and press the arrow keys, or click.");
    const above = sheet.rows[from.row];
    const changes = above ? real(inRange((_, field) => cellValue(above, field))) : [];
    if (changes.length === 0) return grid.say("Nothing to fill down: the cells already have this value.");
    const isGiven =
      from.column === to.column ||
      (await ask({
        title: `Fill down ${count(to.column - from.column + 1, "column")}?`,
        content: [element("p", {}, `${inColumns(changes)} will change.`), ...changesTable(changes, grid)],
        confirm: `Fill ${count(changes.length, "cell")}`,
        isWide: true,
      }));
    if (!isGiven) return;
    apply(changes);
    grid.say(`Filled ${inColumns(changes)}.`);
  };
  const replace = async () => {
    if (!editable) return;
    const changes = await askToReplace(grid, mostFaulty());
    if (changes.length === 0) return;
    apply(changes);
    grid.say(`Replaced ${inColumns(changes)}.`);
  };
  /** The faulty column and its most frequent value; those of the cell that is worked on where nothing is faulty. */
  const mostFaulty = (): { field: string | undefined; find: string } => {
    const faulty = sheet.rows.flatMap((row) =>
      rowStatus(row, sheet.touched(row)).faulty.map((field) => ({ field, find: cellValue(row, field) })),
    );
    const groups = [...Map.groupBy(faulty, ({ field, find }) => JSON.stringify([field, find])).values()];
    const [most] = groups.sort((one, other) => other.length - one.length);
    const [row, field] = [sheet.rows[view.active.row], fieldAt(view.active.column)];
    return most?.[0] ?? { field, find: row && field !== undefined ? cellValue(row, field) : "" };
  };
  return {
    fillDown: () => void fillDown(),
    replace: () => void replace(),
    undo: () => (sheet.undo() ? undefined : grid.say("Nothing to undo.")),
  };
}

interface Search {
  readonly field: string;
  /** Empty for the cells that are empty. */
  readonly find: string;
  readonly replacement: string;
  readonly whole: boolean;
}

/** Letter case does not matter for finding. */
function replacedIn(text: string, find: string, replacement: string): string {
  const wanted = find.toLowerCase();
  let after = "";
  for (let at = 0; at < text.length; ) {
    const isFound = text.slice(at, at + find.length).toLowerCase() === wanted;
    after += isFound ? replacement : text.charAt(at);
    at += isFound ? find.length : 1;
  }
  return after;
}

/** The cells that would change. Letter case does not matter for finding. */
export function cellsToReplace(sheet: Pick<Sheet, "rows">, { field, find, replacement, whole }: Search): CellChange[] {
  const wanted = find.trim().toLowerCase();
  return sheet.rows.flatMap((row) => {
    if (row.closure !== undefined || row.sending) return [];
    const before = cellValue(row, field);
    const isWhole = before.trim().toLowerCase() === wanted;
    const after = isWhole ? replacement : whole || find === "" ? before : replacedIn(before, find, replacement);
    return after === before ? [] : [{ row, field, before, after }];
  });
}

/** Resolves with what to change; with nothing where the person has cancelled. */
async function askToReplace(grid: Grid, { field, find }: { field: string | undefined; find: string }): Promise<CellChange[]> {
  const { columns } = grid.settings;
  const select = element("select", { id: "replace-column" });
  for (const { name, heading } of columns) select.append(new Option(heading, name, false, name === field));
  const text = (id: string, value: string) => Object.assign(element("input", { id, autocomplete: "off", maxlength: "1000" }), { value });
  const [finding, replacing] = [text("replace-find", find), text("replace-with", "")];
  const whole = element("input", { type: "checkbox", id: "replace-whole" });
  whole.checked = find !== "";
  const emptying = element("input", { type: "checkbox", id: "replace-empty" });
  const said = element("p", { role: "status" });
  const shown = element("div");
  let changes: CellChange[] = [];
  let confirm: HTMLButtonElement | undefined;
  const look = () => {
    changes = cellsToReplace(grid.sheet, { field: select.value, find: finding.value, replacement: replacing.value, whole: whole.checked });
    const column = headingOf(select.value, columns);
    said.textContent =
      changes.length === 0 ? `Nothing to replace in ${column}.` : `${count(changes.length, "cell")} in ${column} will be replaced.`;
    shown.replaceChildren(...(changes.length === 0 ? [] : changesTable(changes, grid)));
    if (!confirm) return;
    confirm.textContent = changes.length === 0 ? "Replace" : `Replace ${count(changes.length, "cell")}`;
    confirm.disabled = changes.length === 0 || (replacing.value === "" && !emptying.checked);
    empty.hidden = replacing.value !== "";
  };
  const labelled = (label: string, input: HTMLElement) => element("div", {}, element("label", { for: input.id }, label), input);
  const inputs = [labelled("In column", select), labelled("Find", finding), labelled("Replace with", replacing)];
  const fields = element("div", { class: "replace-fields" }, ...inputs);
  const check = element("label", { class: "check" }, whole, "Match whole cells only");
  const empty = element("label", { class: "check" }, emptying, "Empty these cells");
  const hint = element("p", { class: "hint" }, "Leave Find empty to find empty cells.");
  for (const input of [select, finding, replacing, whole, emptying]) input.addEventListener("input", look);
  const isGiven = await ask({
    title: "Find and replace",
    content: [fields, check, empty, hint, said, shown],
    confirm: "Replace",
    isWide: true,
    focus: find === "" ? finding : replacing,
    bind: (button) => {
      confirm = button;
      look();
    },
  });
  return isGiven ? changes : [];
}
