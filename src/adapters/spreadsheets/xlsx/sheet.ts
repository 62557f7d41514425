import { type Cell, cellFault, checkText, FileFault } from "../cell.js";
import { MAX_COLUMNS, MAX_ROW_CHARS } from "../limits.js";
import { damagedFault } from "./archive.js";
import { type NumberKind, numberCellText } from "./numbers.js";
import { type Attributes, createTextCollector, createXmlParser, unescapeText, type XmlParser } from "./xml.js";

const SHEET_ROWS = 1_048_576;
const SHEET_COLUMNS = 16_384;

export type SheetContext = {
  readonly numberKinds: readonly NumberKind[];
  readonly date1904: boolean;
  readonly dateColumns: ReadonlySet<number>;
  /** Turns a number's digits into the cell's text. By default they are the text. */
  readonly numberToText?: ((text: string, column: number) => string) | undefined;
  sharedString(index: number): string | undefined;
};

/** Turns a sheet's XML into rows of cells, without the blank cells after a row's last value. */
export function createSheetParser(context: SheetContext, emit: (row: number, cells: Cell[]) => void): XmlParser {
  const inline = createTextCollector();
  let inRow = false;
  let row = 0;
  let cells: Cell[] = [];
  let rowChars = 0;
  let inCell = false;
  let column = -1;
  let type = "n";
  let style = 0;
  let hasFormula = false;
  let inValue = false;
  let value = "";
  let sawValue = false;

  function openRow(attributes: Attributes): void {
    inRow = true;
    cells = [];
    rowChars = 0;
    column = -1;
    const rowReference = attributes["r"];
    const number = rowReference === undefined ? row + 1 : Number(rowReference);
    if (!Number.isInteger(number) || number <= row) throw damagedFault(`row ${String(rowReference).slice(0, 20)} comes after row ${row}`);
    if (number > SHEET_ROWS)
      throw new FileFault(`The workbook has more than ${SHEET_ROWS.toLocaleString("en")} rows. Split it into several files.`);
    row = number;
  }

  function openCell(attributes: Attributes): void {
    inCell = true;
    const reference = attributes["r"];
    column = reference === undefined ? column + 1 : columnOf(reference, row);
    if (column >= SHEET_COLUMNS) throw tooManyColumns();
    type = attributes["t"] ?? "n";
    style = Number(attributes["s"] ?? 0);
    hasFormula = false;
    sawValue = false;
    value = "";
    inline.start();
  }

  function closeCell(): void {
    inCell = false;
    const cell = cellValue();
    if (cell === "") return;
    if (column >= MAX_COLUMNS) throw tooManyColumns();
    while (cells.length < column) cells.push("");
    if (cells[column] !== undefined && cells[column] !== "") throw damagedFault(`a cell of row ${row} appears twice`);
    cells[column] = cell;
    rowChars += typeof cell === "string" ? cell.length : cell.text.length;
    if (rowChars > MAX_ROW_CHARS) throw tooMuchText();
  }

  function cellValue(): Cell {
    switch (type) {
      case "s":
        return sawValue ? sharedText() : blankCell();
      case "inlineStr":
        return checkText(inline.result()) || blankCell();
      case "str":
        return sawValue ? checkText(unescapeText(value)) : blankCell(); // an empty text is a stored result too
      case "b":
        return booleanText(value.trim());
      case "e":
        return hasFormula && value.trim() === "" ? UNCOMPUTED : cellFault(`holds the error ${value.trim().slice(0, 20)}`, value);
      case "d":
        return value.trim() || blankCell();
      case "n": {
        const raw = value.trim();
        if (raw === "") return blankCell();
        const text = numberCellText(raw, context.numberKinds[style] ?? "number", context.date1904, context.dateColumns.has(column));
        return typeof text === "string" && context.numberToText ? context.numberToText(text, column) : text;
      }
      default:
        return cellFault(`is of an unknown type (${type.slice(0, 20)})`, value);
    }
  }

  const blankCell = (): Cell => (hasFormula ? UNCOMPUTED : "");

  function sharedText(): Cell {
    const text = /^\s*\d{1,9}\s*$/.test(value) ? context.sharedString(Number(value)) : undefined;
    if (text === undefined) throw damagedFault(`row ${row} refers to a text that is not there`);
    return checkText(text);
  }

  function booleanText(raw: string): Cell {
    if (raw === "") return blankCell();
    if (raw === "1" || raw === "true") return "TRUE";
    return raw === "0" || raw === "false" ? "FALSE" : cellFault("holds a truth value that cannot be read", raw);
  }

  const tooMuchText = () => new FileFault(`Row ${row} holds more than 1 MiB of text. Shorten it and upload the workbook again.`);
  const tooManyColumns = () => new FileFault(`Row ${row} has more than ${MAX_COLUMNS} columns. Remove the columns that are not needed.`);

  return createXmlParser({
    open(name, attributes) {
      if (inCell) {
        if (name === "v") {
          inValue = true;
          sawValue = true;
        } else if (name === "f") hasFormula = true;
        else inline.open(name);
      } else if (inRow) {
        if (name === "c") openCell(attributes);
      } else if (name === "row") openRow(attributes);
    },
    close(name) {
      if (inCell) {
        if (name === "v") inValue = false;
        else if (name === "c") closeCell();
        else inline.close(name);
      } else if (name === "row" && inRow) {
        inRow = false;
        if (cells.length > 0) emit(row, cells);
      }
    },
    text(text) {
      if (inValue) {
        value += text;
        if (value.length > MAX_ROW_CHARS) throw tooMuchText();
      } else if (inCell) inline.text(text);
    },
  });
}

const UNCOMPUTED = cellFault("holds a formula without a stored result (open the workbook in a spreadsheet program and save it)", "");

/** The column of a reference, from 0: `AB12` is column 27. The row part must be there, but it is not compared with the row. */
function columnOf(reference: string, row: number): number {
  let column = 0;
  let index = 0;
  for (; index < reference.length; index++) {
    const letter = reference.charCodeAt(index) & ~32;
    if (letter < 65 || letter > 90 || index > 3) break;
    column = column * 26 + letter - 64;
  }
  const digits = reference.length - index;
  if (index === 0 || digits === 0 || digits > 7) throw damagedFault(`row ${row} holds a cell called ${reference.slice(0, 20)}`);
  return column - 1;
}
