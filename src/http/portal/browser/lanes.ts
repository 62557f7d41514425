// The table of lanes: cells are pasted from a spreadsheet, the arrow keys move up and down, and what was changed is marked.
import { pastedCells } from "./clipboard.js";

const form = document.querySelector<HTMLFormElement>("#lane-form");

const cellsOf = (row: HTMLTableRowElement): HTMLInputElement[] => [...row.querySelectorAll<HTMLInputElement>("td input:not([type])")];
const rowsOf = (): HTMLTableRowElement[] => [...(form?.querySelectorAll<HTMLTableRowElement>("tbody tr") ?? [])];

function placeOf(input: HTMLInputElement): { row: number; column: number } | undefined {
  const rows = rowsOf();
  const row = rows.findIndex((each) => each.contains(input));
  const column = rows[row] ? cellsOf(rows[row]).indexOf(input) : -1;
  return column < 0 ? undefined : { row, column };
}

const mark = (input: HTMLInputElement): void => void input.classList.toggle("changed", input.value !== input.defaultValue);

function paste(event: ClipboardEvent): void {
  const input = event.target;
  const place = input instanceof HTMLInputElement ? placeOf(input) : undefined;
  const lines = place ? pastedCells(event) : [];
  if (!place || lines.length === 0) return;
  const rows = rowsOf().slice(place.row);
  for (const [down, row] of rows.entries())
    for (const [right, cell] of cellsOf(row).slice(place.column).entries()) {
      const value = lines[down]?.[right];
      if (value === undefined) continue;
      cell.value = value;
      mark(cell);
    }
  const left = lines.length - rows.length;
  const status = form?.querySelector<HTMLElement>("[role=status]");
  if (status)
    status.textContent =
      left > 0
        ? `${left} of ${lines.length} rows did not fit on this page. Use Upload lanes for a longer table.`
        : `${lines.length} rows pasted.`;
}

function move(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1, Enter: 1 }[event.key];
  const place = event.target instanceof HTMLInputElement ? placeOf(event.target) : undefined;
  if (step === undefined || !place) return;
  event.preventDefault(); // Enter would send the form by its first button
  const row = rowsOf()[place.row + step];
  const cell = row && cellsOf(row)[place.column];
  cell?.focus();
  cell?.select();
}

form?.addEventListener("paste", paste);
form?.addEventListener("keydown", move);
form?.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement) mark(target);
});
