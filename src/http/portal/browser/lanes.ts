// The table of lanes: cells are pasted from a spreadsheet, the arrow keys move up and down, and what was changed is marked.
import { pasteBlock } from "./clipboard.js";

const form = document.querySelector<HTMLFormElement>("#lane-form");

function paste(event: ClipboardEvent): void {
  const pasted = pasteBlock(event);
  const status = form?.querySelector<HTMLElement>("[role=status]");
  if (!pasted || !status) return;
  const { rows, left } = pasted;
  const tooMany = `${left} of ${rows} rows did not fit on this page. Use Upload lanes for a longer table.`;
  status.textContent = left > 0 ? tooMany : `${rows} rows pasted.`;
}

function move(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1, Enter: 1 }[event.key];
  const { target } = event;
  const cell = target instanceof HTMLInputElement && target.type === "text" ? target.closest("td") : null;
  const row = cell?.closest("tr");
  if (step === undefined || !cell || !row) return;
  event.preventDefault(); // Enter would send the form by its first button
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
