// The table of lanes: pastes cells from a spreadsheet, moves up and down with the arrow keys, and marks changed cells.
import { pasteBlock } from "./clipboard.js";

const form = document.querySelector<HTMLFormElement>("#lane-form");

function paste(event: ClipboardEvent): void {
  const pasted = pasteBlock(event);
  const status = form?.querySelector<HTMLElement>("[role=status]");
  if (!pasted || !status) return;
  const { rows, skippedRows } = pasted;
  const tooMany = `${skippedRows} of ${rows} rows did not fit on this page. Use Upload lanes for a longer table.`;
  status.textContent = skippedRows > 0 ? tooMany : `${rows} rows pasted.`;
}

function move(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1, Enter: 1 }[event.key];
  const { target } = event;
  const cell = target instanceof HTMLInputElement && target.type === "text" ? target.closest("td") : null;
  const row = cell?.closest("tr");
  if (step === undefined || !cell || !row) return;
  event.preventDefault(); // Enter would press the form's first button
  const next = (step > 0 ? row.nextElementSibling : row.previousElementSibling) as HTMLTableRowElement | null;
  const input = next?.cells[cell.cellIndex]?.querySelector("input");
  input?.focus();
  input?.select();
}

form?.addEventListener("paste", paste);
form?.addEventListener("keydown", move);
form?.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement) target.classList.toggle("changed", target.value !== target.defaultValue);
});
