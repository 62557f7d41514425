// Changes many cells together: fill down, find and replace, undo. A person sees the changes first, or their number afterwards.
import { ask } from "../dialog.js";
import { element } from "../element.js";
import { type CellChange, changesTable, count, headingOf } from "./changes.js";
import { type Change, type GridRow, rowStatus } from "./rows.js";
import { cellValue, isOpen, type Sheet } from "./sheet.js";
import type { CorrectionPage } from "./view.js";

/** One change for each selected cell. */
export function changesInRange({ view }: CorrectionPage, value: (row: GridRow, field: string) => string): Change[] {
  const { rows, columns } = view.selectedCells();
  return rows.flatMap((row) => columns.map(({ name: field }) => ({ row, field, value: value(row, field) })));
}

/** Those of the changes that are to open rows and give a cell another value. */
const effectiveChanges = (changes: readonly Change[]): CellChange[] =>
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
  /** Asks for a confirmation if the range has several columns, since it may be wider than the person intended. */
  const fillDown = async () => {
    const { from, to } = view.range();
    if (!editable || to.column < view.leadingCount) return;
    if (from.row === to.row)
      return page.say("Select the cell to fill from and the cells below it: hold Shift and press the arrow keys, or click.");
    const above = sheet.rows[from.row];
    const changes = above ? effectiveChanges(changesInRange(page, (_, field) => cellValue(above, field))) : [];
    if (changes.length === 0) return page.say("Nothing to fill down: the cells already have this value.");
    const isConfirmed =
      from.column === to.column ||
      (await ask({
        title: `Fill down ${count(to.column - from.column + 1, "column")}?`,
        content: [element("p", {}, `${inColumns(changes)} will change.`), ...changesTable(changes, page)],
        confirm: `Fill ${count(changes.length, "cell")}`,
        isWide: true,
      }));
    if (!isConfirmed) return;
    page.change(changes);
    page.say(`Filled ${inColumns(changes)}.`);
  };
  const replace = async () => {
    if (!editable) return;
    const changes = await askToReplace(page, mostFrequentFault());
    if (changes.length === 0) return;
    page.change(changes);
    page.say(`Replaced ${inColumns(changes)}.`);
  };
  /** The column and value that are faulty most often; those of the active cell if nothing is faulty. */
  const mostFrequentFault = (): { field: string | undefined; find: string } => {
    const faulty = sheet.rows.flatMap((row) =>
      rowStatus(row, sheet.isTouched(row)).faulty.map((field) => ({ field, find: cellValue(row, field) })),
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
  /** An empty text finds empty cells. */
  readonly find: string;
  readonly replacement: string;
  readonly wholeCells: boolean;
}

/** The changes that replace the text in a column. Ignores letter case. */
export function cellsToReplace({ rows }: Pick<Sheet, "rows">, { field, find, replacement, wholeCells }: Search): CellChange[] {
  const findText = find.trim().toLowerCase();
  const pattern = new RegExp(find.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  const after = (before: string): string => {
    if (before.trim().toLowerCase() === findText) return replacement;
    return wholeCells || find === "" ? before : before.replaceAll(pattern, () => replacement);
  };
  return effectiveChanges(rows.map((row) => ({ row, field, value: after(cellValue(row, field)) })));
}

/** Asks what to replace, and resolves with the changes; with none if the person cancels. */
async function askToReplace(page: CorrectionPage, { field, find }: { field: string | undefined; find: string }): Promise<CellChange[]> {
  const { columns } = page.settings;
  const select = element("select", { id: "replace-column" });
  for (const { name, heading } of columns) select.append(new Option(heading, name, false, name === field));
  const textBox = (id: string, value: string) => Object.assign(element("input", { id, autocomplete: "off", maxlength: "1000" }), { value });
  const [findInput, replaceInput] = [textBox("replace-find", find), textBox("replace-with", "")];
  const checkBox = (id: string, checked: boolean) => Object.assign(element("input", { type: "checkbox", id }), { checked });
  const [wholeBox, emptyBox] = [checkBox("replace-whole", find !== ""), checkBox("replace-empty", false)];
  const labelled = (label: string, input: HTMLElement) => element("div", {}, element("label", { for: input.id }, label), input);
  const inputs = [labelled("In column", select), labelled("Find", findInput), labelled("Replace with", replaceInput)];
  const emptyLabel = element("label", { class: "check" }, emptyBox, "Empty these cells");
  const status = element("p", { role: "status" });
  const preview = element("div");
  let changes: CellChange[] = [];
  const isConfirmed = await ask({
    title: "Find and replace",
    content: [
      element("div", { class: "replace-fields" }, ...inputs),
      element("label", { class: "check" }, wholeBox, "Match whole cells only"),
      emptyLabel,
      element("p", { class: "hint" }, "Leave Find empty to find empty cells."),
      status,
      preview,
    ],
    confirm: "Replace",
    isWide: true,
    focus: find === "" ? findInput : replaceInput,
    bind: (confirm) => {
      const update = () => {
        const search = { field: select.value, find: findInput.value, replacement: replaceInput.value, wholeCells: wholeBox.checked };
        changes = cellsToReplace(page.sheet, search);
        const [cells, column] = [count(changes.length, "cell"), headingOf(select.value, columns)];
        const isNone = changes.length === 0;
        status.textContent = isNone ? `Nothing to replace in ${column}.` : `${cells} in ${column} will be replaced.`;
        preview.replaceChildren(...(isNone ? [] : changesTable(changes, page)));
        confirm.textContent = isNone ? "Replace" : `Replace ${cells}`;
        confirm.disabled = isNone || (replaceInput.value === "" && !emptyBox.checked);
        emptyLabel.hidden = replaceInput.value !== "";
      };
      for (const input of [select, findInput, replaceInput, wholeBox, emptyBox]) input.addEventListener("input", update);
      update();
    },
  });
  return isConfirmed ? changes : [];
}
