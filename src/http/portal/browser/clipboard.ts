// Blocks of cells as spreadsheets put them on the clipboard: tabs between cells, line ends between rows, quotes around either.

/** In quotes a cell may have tabs, line ends and doubled quotes; a quote within a cell is a character like any other. */
const cells = /(?:"((?:[^"]|"")*)"?)?([^\t\r\n]*)(\t|\r\n?|\n|$)/g;

export function parseCells(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted = "", plain = "", end] of text.matchAll(cells)) {
    const cell = quoted.replaceAll('""', '"') + plain;
    if (end === "" && cell === "" && row.length === 0) break; // behind the last row
    row.push(cell);
    if (end === "\t") continue;
    rows.push(row);
    row = [];
  }
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
