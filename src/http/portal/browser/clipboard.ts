// Blocks of cells as spreadsheets put them on the clipboard: tabs between cells, line ends between rows, quotes around either.
export function parseCells(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (character === '"' && cell === "") quoted = true;
    else if (character === "\t") {
      row.push(cell);
      cell = "";
    } else if (character === "\n" || character === "\r") {
      if (character === "\r" && text.charAt(at + 1) === "\n") at += 1;
      rows.push([...row, cell]);
      row = [];
      cell = "";
    } else cell += character;
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  return rows;
}

/**
 * Puts a block of cells that is pasted into a field of a table into the fields beside and below it too. A single value is left to the browser.
 * Returns how many rows were pasted, and how many of them found no place.
 */
export function pasteBlock(event: ClipboardEvent, addRow: () => HTMLTableRowElement | undefined = () => undefined) {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const cell = event.target instanceof HTMLInputElement ? event.target.closest("td") : null;
  if (!cell || !/[\t\n]/.test(text.trimEnd())) return undefined;
  event.preventDefault();
  const block = parseCells(text);
  let row = cell.closest("tr") as HTMLTableRowElement | null | undefined;
  for (const [down, cells] of block.entries()) {
    row ??= addRow();
    if (!row) return { rows: block.length, left: block.length - down };
    for (const [right, value] of cells.entries()) {
      const input = row.cells[cell.cellIndex + right]?.querySelector("input");
      if (input) input.value = value.trim();
      input?.dispatchEvent(new Event("input", { bubbles: true }));
    }
    row = row.nextElementSibling as HTMLTableRowElement | null;
  }
  return { rows: block.length, left: 0 };
}

export const formatCells = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map((cell) => (/["\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join("\t")).join("\n");
