// What is done with many cells at once: fill down, find and replace, undo. What it changes is shown before, or said in cells and columns.
import { ask } from "../dialog.js";
import { element } from "../element.js";
import { type CellChange, changesTable, count, headingOf } from "./changes.js";
import { type Change, type Row, rowStatus } from "./rows.js";
import { cellValue, isOpen, type Sheet } from "./sheet.js";
import type { CorrectionPage } from "./view.js";

/** A change of each selected cell. */
export function changesInRange({ view }: CorrectionPage, value: (row: Row, field: string) => string): Change[] {
  const { rows, columns } = view.selectedCells();
  return rows.flatMap((row) => columns.map(({ name: field }) => ({ row, field, value: value(row, field) })));
}

/** Those that change something. */
const realChanges = (changes: readonly Change[]): CellChange[] =>
  changes.flatMap((change) => {
    const before = cellValue(change.row, change.field);
    return before === change.value || !isOpen(change.row) ? [] : [{ ...change, before }];
  });

export function rangeCommands(page: CorrectionPage) {
  const { view, sheet, settings } = page;
  const { columns, editable } = settings;
  const inColumns = (changes: readonly CellChange[]): string => {
    const fields = new Set(changes.map(({ field }) => field));
    const headings = columns.flatMap(({ name, heading }) => (fields.has(name) ? [heading] : []));
    return `${count(changes.length, "cell")} in ${headings.join(", ")}`;
  };
  /** A range of several columns may be wider than was meant: what would change in each is shown first. */
  const fillDown = async () => {
    const { from, to } = view.range();
    if (!editable || to.column < view.leading) return;
    if (from.row === to.row)
      return page.say("Select the cell to fill from and the cells below it: hold Shift and press the arrow keys, or click.");
    const above = sheet.rows[from.row];
    const changes = above ? realChanges(changesInRange(page, (_, field) => cellValue(above, field))) : [];
    if (changes.length === 0) return page.say("Nothing to fill down: the cells already have this value.");
    const isGiven =
      from.column === to.column ||
      (await ask({
        title: `Fill down ${count(to.column - from.column + 1, "column")}?`,
        content: [element("p", {}, `${inColumns(changes)} will change.`), ...changesTable(changes, page)],
        confirm: `Fill ${count(changes.length, "cell")}`,
        isWide: true,
      }));
    if (!isGiven) return;
    page.change(changes);
    page.say(`Filled ${inColumns(changes)}.`);
  };
  const replace = async () => {
    if (!editable) return;
    const changes = await askToReplace(page, mostFaulty());
    if (changes.length === 0) return;
    page.change(changes);
    page.say(`Replaced ${inColumns(changes)}.`);
  };
  /** The faulty column and its most frequent value; those of the cell that is worked on where nothing is faulty. */
  const mostFaulty = (): { field: string | undefined; find: string } => {
    const faulty = sheet.rows.flatMap((row) =>
      rowStatus(row, sheet.touched(row)).faulty.map((field) => ({ field, find: cellValue(row, field) })),
    );
    const groups = [...Map.groupBy(faulty, ({ field, find }) => JSON.stringify([field, find])).values()];
    const [most] = groups.sort((one, other) => other.length - one.length);
    const [row, field] = [sheet.rows[view.active.row], view.fieldAt(view.active.column)];
    return most?.[0] ?? { field, find: row && field !== undefined ? cellValue(row, field) : "" };
  };
  return {
    fillDown: () => void fillDown(),
    replace: () => void replace(),
    undo: () => (sheet.undo() ? undefined : page.say("Nothing to undo.")),
  };
}

interface Search {
  readonly field: string;
  /** Empty for the cells that are empty. */
  readonly find: string;
  readonly replacement: string;
  readonly whole: boolean;
}

/** The cells that would change. Letter case does not matter for finding. */
export function cellsToReplace({ rows }: Pick<Sheet, "rows">, { field, find, replacement, whole }: Search): CellChange[] {
  const wanted = find.trim().toLowerCase();
  const found = new RegExp(find.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  const after = (before: string): string => {
    if (before.trim().toLowerCase() === wanted) return replacement;
    return whole || find === "" ? before : before.replaceAll(found, () => replacement);
  };
  return realChanges(rows.map((row) => ({ row, field, value: after(cellValue(row, field)) })));
}

/** Resolves with what to change; with nothing where the person has cancelled. */
async function askToReplace(page: CorrectionPage, { field, find }: { field: string | undefined; find: string }): Promise<CellChange[]> {
  const { columns } = page.settings;
  const select = element("select", { id: "replace-column" });
  for (const { name, heading } of columns) select.append(new Option(heading, name, false, name === field));
  const text = (id: string, value: string) => Object.assign(element("input", { id, autocomplete: "off", maxlength: "1000" }), { value });
  const [finding, replacing] = [text("replace-find", find), text("replace-with", "")];
  const box = (id: string, checked: boolean) => Object.assign(element("input", { type: "checkbox", id }), { checked });
  const [whole, emptying] = [box("replace-whole", find !== ""), box("replace-empty", false)];
  const labelled = (label: string, input: HTMLElement) => element("div", {}, element("label", { for: input.id }, label), input);
  const inputs = [labelled("In column", select), labelled("Find", finding), labelled("Replace with", replacing)];
  const empty = element("label", { class: "check" }, emptying, "Empty these cells");
  const said = element("p", { role: "status" });
  const shown = element("div");
  let changes: CellChange[] = [];
  const isGiven = await ask({
    title: "Find and replace",
    content: [
      element("div", { class: "replace-fields" }, ...inputs),
      element("label", { class: "check" }, whole, "Match whole cells only"),
      empty,
      element("p", { class: "hint" }, "Leave Find empty to find empty cells."),
      said,
      shown,
    ],
    confirm: "Replace",
    isWide: true,
    focus: find === "" ? finding : replacing,
    bind: (confirm) => {
      const look = () => {
        const search = { field: select.value, find: finding.value, replacement: replacing.value, whole: whole.checked };
        changes = cellsToReplace(page.sheet, search);
        const [cells, column] = [count(changes.length, "cell"), headingOf(select.value, columns)];
        const isNone = changes.length === 0;
        said.textContent = isNone ? `Nothing to replace in ${column}.` : `${cells} in ${column} will be replaced.`;
        shown.replaceChildren(...(isNone ? [] : changesTable(changes, page)));
        confirm.textContent = isNone ? "Replace" : `Replace ${cells}`;
        confirm.disabled = isNone || (replacing.value === "" && !emptying.checked);
        empty.hidden = replacing.value !== "";
      };
      for (const input of [select, finding, replacing, whole, emptying]) input.addEventListener("input", look);
      look();
    },
  });
  return isGiven ? changes : [];
}
