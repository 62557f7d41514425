// Reads and writes blocks of cells as spreadsheets copy them: tabs between cells, line ends between rows. A cell with a tab, a line end or
// a quote in it has quotes around it.

/** One cell and its separator. A quoted cell may contain tabs, line ends and doubled quotes. Elsewhere a quote is an ordinary character. */
const cellPattern = /(?:"((?:[^"]|"")*)"?)?([^\t\r\n]*)(\t|\r\n?|\n|$)/g;

export function parseCells(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted = "", plain = "", end] of text.matchAll(cellPattern)) {
    const cell = quoted.replaceAll('""', '"') + plain;
    if (end === "" && cell === "" && row.length === 0) break; // the empty match after the last row
    row.push(cell);
    if (end === "\t") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/**
 * Spreads a pasted block of cells over a table's fields, from the focused one to the right and down. Returns how many rows the block has
 * and how many of them did not fit; undefined for a single value, which the browser itself pastes. `addRow`: adds a row to a full table.
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
    if (!row) return { rows: block.length, skippedRows: block.length - down };
    for (const [right, value] of cells.entries()) {
      const input = row.cells[cell.cellIndex + right]?.querySelector("input");
      if (input) input.value = value.trim();
      input?.dispatchEvent(new Event("input", { bubbles: true }));
    }
    row = row.nextElementSibling as HTMLTableRowElement | null;
  }
  return { rows: block.length, skippedRows: 0 };
}

export const formatCells = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map((cell) => (/["\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join("\t")).join("\n");
