// Draws the grid. Only the rows in view are in the document, however many there are.
import { element } from "../element.js";
import type { Edits } from "./edits.js";
import { type Change, columnClass, type GridColumn, type GridRow, rowStatus, type Settings } from "./rows.js";
import { cellValue, isOpen, type Sheet } from "./sheet.js";

const rowHeight = 36;
const extraRows = 6;

export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

export type View = ReturnType<typeof createView>;

/** What the parts of the page share. */
export interface CorrectionPage {
  readonly sheet: Sheet;
  readonly edits: Edits;
  readonly settings: Settings;
  /** The names of imports, by their ids. */
  readonly references: Map<string, string>;
  readonly view: View;
  /** Changes cells, and says how many could not be changed, if any. */
  readonly change: (changes: readonly Change[]) => void;
  /** Shows a sentence in the status line, after the numbers of rows. */
  say: (text: string) => void;
  /** Shows the outcome of a submission or a dismissal, instead of an earlier one. */
  readonly showOutcome: (...outcome: readonly Node[]) => void;
}

type GridRows = Pick<CorrectionPage, "sheet" | "settings" | "references">;

export function createView(frame: HTMLElement, grid: HTMLElement, { sheet, settings, references }: GridRows) {
  /** How many columns come before the fields: check box, row number, problem, and the file if there are several. */
  const leadingCount = settings.withFile ? 4 : 3;
  const head = element("div", { role: "row", class: "grid-row head", "aria-rowindex": "1" });
  grid.append(head);
  const drawnRows = new Map<number, HTMLElement>();
  let isScheduled = false;

  const view = {
    frame,
    grid,
    leadingCount,
    columns: [] as readonly GridColumn[],
    active: { row: 0, column: leadingCount } as CellPosition,
    /** The corner of the selected cells that is opposite to the active cell. */
    anchor: { row: 0, column: leadingCount } as CellPosition,
    /** The top left and bottom right corners of the selected cells, without the leading columns. */
    range: (): { readonly from: CellPosition; readonly to: CellPosition } => {
      const { anchor, active } = view;
      return {
        from: { row: Math.min(anchor.row, active.row), column: Math.max(leadingCount, Math.min(anchor.column, active.column)) },
        to: { row: Math.max(anchor.row, active.row), column: Math.max(anchor.column, active.column) },
      };
    },
    /** The rows of the selected cells, and the columns of their fields. */
    selectedCells: (): { readonly rows: readonly GridRow[]; readonly columns: readonly GridColumn[] } => {
      const { from, to } = view.range();
      const columns = view.columns.slice(from.column - leadingCount, Math.max(0, to.column - leadingCount + 1));
      return { rows: sheet.rows.slice(from.row, to.row + 1), columns };
    },
    fieldAt: (column: number): string | undefined => view.columns[column - leadingCount]?.name,
    rowsInView: (): readonly GridRow[] => [...drawnRows.keys()].flatMap((index) => sheet.rows[index] ?? []),
    pageRows: () => Math.max(1, Math.floor(frame.clientHeight / rowHeight) - 2),
    refresh: () => {
      if (isScheduled) return;
      isScheduled = true;
      requestAnimationFrame(() => {
        isScheduled = false;
        render();
      });
    },
    cellAt: ({ row, column }: CellPosition) => drawnRows.get(row)?.children[column] as HTMLElement | undefined,
    positionOf: (element: Element | null): CellPosition | undefined => {
      const cell = element?.closest<HTMLElement>("[data-column]");
      const row = cell?.parentElement?.dataset["row"];
      return cell && row !== undefined ? { row: Number(row), column: Number(cell.dataset["column"]) } : undefined;
    },
    /** Scrolls to a cell and puts the focus on it. `extend`: selects the cells from the anchor to this cell. */
    goTo: (position: CellPosition, extend = false) => {
      const last = leadingCount + view.columns.length - 1;
      const row = Math.max(0, Math.min(sheet.rows.length - 1, position.row));
      view.active = { row, column: Math.max(0, Math.min(last, position.column)) };
      if (!extend) view.anchor = view.active;
      render();
      const cell = view.cellAt(view.active);
      cell?.focus({ preventScroll: true });
      cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
    },
    showColumns: (columns: readonly GridColumn[]) => {
      view.columns = columns;
      grid.setAttribute("aria-colcount", String(leadingCount + columns.length));
      for (const element of drawnRows.values()) element.remove();
      drawnRows.clear();
      fillHead();
      const active = Math.min(view.active.column, leadingCount + columns.length - 1);
      view.active = { row: view.active.row, column: active };
      view.anchor = view.active;
      render();
    },
  };

  const classOf = (column: number): string => {
    const field = view.columns[column - leadingCount];
    return field ? columnClass(field) : (["pick", "number", "problem", "import"][column] ?? "");
  };

  const cellElement = (column: number, role: string): HTMLElement =>
    element("div", { class: `cell ${classOf(column)}`, role, "aria-colindex": String(column + 1) });

  const selectAll = checkbox("Select all rows"); // the same box stays when the columns change
  const fillHead = () => {
    const headings = ["Select", "Row", "Problem", ...(settings.withFile ? ["File"] : []), ...view.columns.map(({ heading }) => heading)];
    head.replaceChildren(
      ...headings.map((text, column) => Object.assign(cellElement(column, "columnheader"), { textContent: text, title: text })),
    );
    head.children[0]?.replaceChildren(selectAll);
  };

  const createRow = (): HTMLElement => {
    const rowElement = element("div", { role: "row" });
    for (let column = 0; column < leadingCount + view.columns.length; column += 1) {
      const cell = cellElement(column, column === 1 ? "rowheader" : "gridcell");
      cell.dataset["column"] = String(column);
      cell.tabIndex = -1;
      if (column === 0) cell.append(checkbox("Select"));
      rowElement.append(cell);
    }
    return rowElement;
  };

  const render = () => {
    grid.setAttribute("aria-rowcount", String(sheet.rows.length + 1));
    grid.style.height = `${head.offsetHeight + sheet.rows.length * rowHeight}px`;
    const first = Math.max(0, Math.floor(frame.scrollTop / rowHeight) - extraRows);
    const last = Math.min(sheet.rows.length - 1, Math.ceil((frame.scrollTop + frame.clientHeight) / rowHeight) + extraRows);
    const wantedRows = new Set<number>();
    for (let index = first; index <= last; index += 1) wantedRows.add(index);
    if (view.active.row < sheet.rows.length) wantedRows.add(view.active.row); // the active row may have the focus
    for (const [index, element] of drawnRows) {
      if (wantedRows.has(index)) continue;
      element.remove();
      drawnRows.delete(index);
    }
    let previousElement: Element = head;
    for (const index of [...wantedRows].sort((one, other) => one - other)) {
      const row = sheet.rows[index];
      if (!row) continue;
      const element = drawnRows.get(index) ?? createRow();
      drawnRows.set(index, element);
      if (previousElement.nextElementSibling !== element) previousElement.after(element);
      previousElement = element;
      updateRow(element, row, index);
    }
    const all = head.querySelector("input");
    if (all) all.checked = sheet.rows.length > 0 && sheet.rows.every((row) => row.ticked || !isSelectable(row));
  };
  /** On the page of open rows, closed rows cannot be selected. */
  const isSelectable = ({ closure }: GridRow) => closure === undefined || settings.state !== "open";

  const updateRow = (element: HTMLElement, row: GridRow, index: number) => {
    const { served } = row;
    const status = rowStatus(row, sheet.isTouched(row));
    element.dataset["row"] = String(index);
    element.setAttribute("aria-rowindex", String(index + 2));
    element.style.transform = `translateY(${index * rowHeight}px)`;
    element.className = `grid-row ${status.kind}${served.row === served.firstRow ? "" : " line"}${row.ticked ? " selected" : ""}`;
    const [pick, number, problem, file] = element.children as unknown as [HTMLElement, HTMLElement, HTMLElement, HTMLElement];
    const box = pick.firstElementChild as HTMLInputElement;
    box.checked = row.ticked;
    box.disabled = !isSelectable(row);
    box.setAttribute("aria-label", `Select row ${served.row}`);
    setText(number, String(served.row));
    number.title = served.row === served.firstRow ? "" : `Goes together with row ${served.firstRow}`;
    setText(problem, status.text);
    problem.title = status.text;
    problem.id = `problem-${index}`;
    if (settings.withFile) setText(file, references.get(served.importId) ?? served.importId);
    const isReadOnly = !settings.editable || !isOpen(row);
    const { from, to } = view.range();
    view.columns.forEach((column, at) => {
      const columnIndex = leadingCount + at;
      const cell = element.children[columnIndex] as HTMLElement;
      const inRange = index >= from.row && index <= to.row && columnIndex >= from.column && columnIndex <= to.column;
      const isFaulty = status.faulty.includes(column.name);
      cell.className = `cell ${classOf(columnIndex)}${isFaulty ? " faulty" : ""}${row.changed.has(column.name) ? " changed" : ""}${inRange ? " in-range" : ""}`;
      cell.ariaSelected = String(inRange);
      cell.ariaReadOnly = String(isReadOnly);
      cell.ariaInvalid = isFaulty ? "true" : null;
      if (isFaulty) cell.setAttribute("aria-describedby", problem.id);
      else cell.removeAttribute("aria-describedby");
      if (!cell.querySelector("input")) setText(cell, cellValue(row, column.name));
    });
    for (const [at, cell] of [...element.children].entries())
      (cell as HTMLElement).tabIndex = index === view.active.row && at === view.active.column ? 0 : -1;
    box.tabIndex = -1;
  };

  fillHead(); // shows the headings while the rows are loading
  frame.addEventListener("scroll", view.refresh, { passive: true });
  addEventListener("resize", view.refresh);
  return view;
}

const checkbox = (label: string): HTMLInputElement => element("input", { type: "checkbox", "aria-label": label });

function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
