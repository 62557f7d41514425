// Handles keyboard, mouse and clipboard in the grid, as in a spreadsheet.
import { formatCells, parseCells } from "../clipboard.js";
import { createCellEditor } from "./cellEditor.js";
import { count } from "./changes.js";
import { changesInRange, rangeCommands } from "./manyCells.js";
import type { Change } from "./rows.js";
import { cellValue } from "./sheet.js";
import type { CorrectionPage } from "./view.js";

/** `leave` moves the focus out of the grid when a person presses Escape. */
export function controlGrid(page: CorrectionPage, leave: () => void) {
  const { view, sheet, change } = page;
  const { grid } = view;
  const { editable } = page.settings;
  const editor = createCellEditor(page);
  const commands = rangeCommands(page);

  const paste = (text: string) => {
    const block = parseCells(text);
    const { from } = view.range();
    const [only = "", ...others] = block.flat();
    if (others.length === 0) return change(changesInRange(page, () => only));
    const changes: Change[] = [];
    for (const [down, cells] of block.entries())
      for (const [right, value] of cells.entries()) {
        const [row, field] = [sheet.rows[from.row + down], view.fieldAt(from.column + right)];
        if (row && field !== undefined) changes.push({ row, field, value });
      }
    change(changes);
    const widest = Math.max(...block.map(({ length }) => length));
    view.goTo({ row: from.row + block.length - 1, column: from.column + widest - 1 });
    view.anchor = from;
    view.refresh();
    const skippedCells = block.flat().length - changes.length;
    if (skippedCells > 0) page.say(`${count(skippedCells, "cell")} did not fit into the table and were not pasted.`);
  };
  const setTicked = (index: number, isTicked: boolean, rangeStart?: number) => {
    const [from, to] = rangeStart === undefined ? [index, index] : [Math.min(index, rangeStart), Math.max(index, rangeStart)];
    // Where rows can be edited, a row that was closed after it was loaded cannot be selected.
    for (const row of sheet.rows.slice(from, to + 1)) row.ticked = isTicked && (!editable || row.closure === undefined);
    sheet.onChange();
  };
  const setAllTicked = (isTicked: boolean) => setTicked(0, isTicked, sheet.rows.length - 1);

  const move = (event: KeyboardEvent, down: number, right: number) => {
    event.preventDefault();
    view.goTo({ row: view.active.row + down, column: view.active.column + right }, event.shiftKey);
  };
  const lastColumn = () => view.leadingCount + view.columns.length - 1;
  const keyActions: Record<string, (event: KeyboardEvent) => void> = {
    ArrowDown: (event) => move(event, event.ctrlKey ? sheet.rows.length : 1, 0),
    ArrowUp: (event) => move(event, event.ctrlKey ? -sheet.rows.length : -1, 0),
    ArrowRight: (event) => move(event, 0, event.ctrlKey ? lastColumn() : 1),
    ArrowLeft: (event) => move(event, 0, event.ctrlKey ? -lastColumn() : -1),
    PageDown: (event) => move(event, view.pageRows(), 0),
    PageUp: (event) => move(event, -view.pageRows(), 0),
    Home: (event) => move(event, event.ctrlKey ? -sheet.rows.length : 0, -lastColumn()),
    End: (event) => move(event, event.ctrlKey ? sheet.rows.length : 0, lastColumn()),
    Tab: (event) => {
      const next = view.active.column + (event.shiftKey ? -1 : 1);
      if (next < 0 || next > lastColumn()) return; // the browser then moves the focus out of the grid
      event.preventDefault();
      view.goTo({ row: view.active.row, column: next });
    },
    Escape: (event) => {
      event.preventDefault();
      if (view.anchor === view.active) leave();
      else view.goTo(view.active);
    },
    Enter: (event) => {
      event.preventDefault();
      editor.begin();
    },
    F2: () => editor.begin(),
    Delete: () => (editable ? change(changesInRange(page, () => "")) : undefined),
    " ": (event) => {
      event.preventDefault();
      const row = sheet.rows[view.active.row];
      if (row) setTicked(view.active.row, !row.ticked);
    },
  };
  const shortcuts: Record<string, () => void> = {
    d: commands.fillDown,
    h: commands.replace,
    z: commands.undo,
    a: () => setAllTicked(true),
  };

  grid.addEventListener("keydown", (event) => {
    if (editor.isEditing()) return editor.handleKey(event);
    editor.closeOffers();
    if (!view.positionOf(event.target as Element)) return; // the key was pressed in the check box of the header
    const control = event.ctrlKey || event.metaKey;
    const shortcut = control && !event.altKey ? shortcuts[event.key.toLowerCase()] : undefined;
    if (shortcut) {
      event.preventDefault();
      shortcut();
      return;
    }
    const action = keyActions[event.key];
    if (action) action(event);
    else if (event.key.length === 1 && !control && !event.altKey) {
      event.preventDefault();
      editor.begin(event.key);
    }
  });

  grid.addEventListener("mousedown", (event) => {
    const position = view.positionOf(event.target as Element);
    if (!position || (event.target instanceof HTMLInputElement && event.target.type !== "checkbox")) return;
    if (position.column === 0) return;
    event.preventDefault();
    editor.end({ keep: true, focus: false });
    view.goTo(position, event.shiftKey);
    if (!event.shiftKey) editor.offerNearby();
  });
  grid.addEventListener("dblclick", () => editor.begin());
  let lastTicked: number | undefined;
  grid.addEventListener("click", (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement) || box.type !== "checkbox") return;
    const position = view.positionOf(box);
    if (!position) return setAllTicked(box.checked);
    setTicked(position.row, box.checked, event.shiftKey ? lastTicked : undefined);
    lastTicked = position.row;
  });
  grid.addEventListener("copy", (event) => {
    if (editor.isEditing()) return;
    const { rows, columns } = view.selectedCells();
    const cells = rows.map((row) => columns.map(({ name }) => cellValue(row, name)));
    event.clipboardData?.setData("text/plain", formatCells(cells));
    event.preventDefault();
  });
  grid.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!editable || text === "" || (editor.isEditing() && !/[\t\n]/.test(text))) return;
    event.preventDefault();
    editor.end({ keep: false, focus: false });
    paste(text);
  });
  return commands;
}
