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

/** The cells that are pasted into a field: those of a block go into the fields beside and below it. A single value is left to the browser. */
export function pastedCells(event: ClipboardEvent): string[][] {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!/[\t\n]/.test(text.trimEnd())) return [];
  event.preventDefault();
  return parseCells(text).map((cells) => cells.map((value) => value.trim()));
}

export const formatCells = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map((cell) => (/["\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join("\t")).join("\n");
