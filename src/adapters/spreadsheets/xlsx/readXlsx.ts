import type { FileHeader, ReadOptions, RowBatch } from "../../../ports/spreadsheets.js";
import { type Cell, createRowReader, FileFault, headerNames, isBlankRow } from "../cell.js";
import { MAX_HEADER_INFLATED_BYTES, MAX_OTHER_SHEETS_BYTES, MAX_TEXT_CHARS } from "../limits.js";
import { type Archive, openArchive } from "./archive.js";
import { readNumberKinds } from "./numbers.js";
import { readSharedStrings } from "./sharedStrings.js";
import { createSheetParser, type SheetContext } from "./sheet.js";
import { readWorkbook, type Workbook } from "./workbook.js";

const NO_COLUMNS: ReadonlySet<number> = new Set();
const MAX_PROPERTY_BYTES = 64 * 1024;
const MAX_SUBJECT_CHARS = 200;

export async function readXlsxHeader(path: string, signal?: AbortSignal): Promise<FileHeader> {
  const archive = await openArchive(path, MAX_HEADER_INFLATED_BYTES);
  try {
    const { workbook, ...context } = await openSheet(archive);
    // Shared strings are read only as far as the header needs them.
    for (let knownStrings = 0; ; ) {
      const strings = await readSharedStrings(archive, workbook.sharedStrings, knownStrings, signal);
      let neededStrings = knownStrings;
      const sharedString = (index: number) => {
        neededStrings = Math.max(neededStrings, index + 1);
        return strings.at(index) ?? (index < knownStrings ? undefined : "?");
      };
      const first = await firstRow(archive, workbook.sheet, { ...context, sharedString }, signal);
      if (!first) throw noHeader(workbook);
      const columns = headerNames(first.cells, first.row);
      if (neededStrings === knownStrings) {
        const otherSheets = await otherSheetsOf(path, workbook, signal);
        return { format: "xlsx", columns, notes: noteOnSheets(workbook, otherSheets), otherSheets, ...(await subjectOf(archive)) };
      }
      knownStrings = neededStrings;
    }
  } finally {
    archive.close();
  }
}

/** Finds the sheet to read, and what its numbers mean. */
async function openSheet(archive: Archive) {
  const workbook = await readWorkbook(archive);
  const numberKinds = workbook.styles ? readNumberKinds(await archive.wholeText(workbook.styles)) : [];
  return { workbook, numberKinds, date1904: workbook.date1904, dateColumns: NO_COLUMNS };
}

/** The subject in the document's properties. A workbook without properties, or with broken ones, has none. */
async function subjectOf(archive: Archive): Promise<{ subject?: string }> {
  const part = "docProps/core.xml";
  if (!archive.has(part) || archive.size(part) > MAX_PROPERTY_BYTES) return {};
  const text = await archive.wholeText(part).catch(() => "");
  const subject = /<(?:\w+:)?subject(?:\s[^<>]*)?>([^<]*)</.exec(text)?.[1];
  return subject === undefined ? {} : { subject: subject.slice(0, MAX_SUBJECT_CHARS) };
}

/** The first row that is not blank, if there is one. The sheet is parsed in small pieces, so that hardly more than that row is parsed. */
async function firstRow(archive: Archive, part: string, context: SheetContext, signal?: AbortSignal) {
  const rows: { readonly row: number; readonly cells: readonly Cell[] }[] = [];
  const parser = createSheetParser(context, (row, cells) => {
    if (!isBlankRow(cells)) rows.push({ row, cells });
  });
  for await (const piece of archive.text(part, signal)) {
    for (let at = 0; at < piece.length && rows.length === 0; at += CHARS_PER_WRITE) parser.write(piece.slice(at, at + CHARS_PER_WRITE));
    if (rows.length > 0) return rows[0];
  }
  parser.end(); // may still find a row: the parser holds unfinished text back until more text comes
  return rows[0];
}

const CHARS_PER_WRITE = 2048;

export async function* readXlsxRows(path: string, options: ReadOptions): AsyncGenerator<RowBatch> {
  const archive = await openArchive(path, options.maxUnpackedBytes);
  try {
    const { workbook, ...sheet } = await openSheet(archive);
    const strings = await readSharedStrings(archive, workbook.sharedStrings, Number.POSITIVE_INFINITY, options.signal);
    const { dateColumns = NO_COLUMNS, numberToText } = options;
    yield* sheetRows(archive, workbook, { ...sheet, dateColumns, numberToText, sharedString: strings.at }, options.signal);
  } finally {
    archive.close();
  }
}

async function* sheetRows(archive: Archive, workbook: Workbook, context: SheetContext, signal?: AbortSignal): AsyncGenerator<RowBatch> {
  const bytesTotal = archive.size(workbook.sheet);
  let bytesRead = 0;
  let characters = 0;
  const reader = createRowReader(({ cells }) => {
    for (const cell of cells) characters += (typeof cell === "string" ? cell : cell.text).length;
    if (characters > MAX_TEXT_CHARS) throw tooMuchText();
  });
  const parser = createSheetParser(context, reader.add);
  for await (const piece of archive.text(workbook.sheet, signal)) {
    bytesRead = Math.min(bytesTotal, bytesRead + piece.length);
    parser.write(piece);
    const rows = reader.take();
    if (rows.length > 0) yield { rows, bytesRead, bytesTotal, notes: [] };
  }
  parser.end();
  if (!reader.columns()) throw noHeader(workbook);
  const rows = reader.take();
  if (rows.length > 0) yield { rows, bytesRead, bytesTotal, notes: [] };
}

const tooMuchText = () =>
  new FileFault(`The workbook holds more than ${MAX_TEXT_CHARS.toLocaleString("en")} characters of text. Split it into several files.`);

function noHeader({ sheetName }: Workbook): FileFault {
  return new FileFault(`The sheet "${sheetName.slice(0, 50)}" is empty: it has no header row. Put the rows on the first visible sheet.`);
}

const MAX_CHECKED_SHEETS = 100;
const MAX_NAMED_SHEETS = 5;
const MAX_NAME_CHARS = 50;

/** The names of the other visible sheets that have rows. Hidden sheets are not meant to be read. */
async function otherSheetsOf(path: string, { otherSheets }: Workbook, signal?: AbortSignal): Promise<string[]> {
  if (otherSheets.length === 0) return [];
  const archive = await openArchive(path, MAX_OTHER_SHEETS_BYTES);
  const names: string[] = [];
  try {
    for (const { name, part } of otherSheets.slice(0, MAX_CHECKED_SHEETS))
      if (await hasRows(archive, part, signal)) names.push(shownName(name));
  } finally {
    archive.close();
  }
  return names;
}

/** Also true for a damaged sheet, and for one without a value before the unpacking limit: either may have rows. */
async function hasRows(archive: Archive, part: string, signal?: AbortSignal): Promise<boolean> {
  if (!archive.has(part)) return false;
  const context = { numberKinds: [], date1904: false, dateColumns: NO_COLUMNS, sharedString: () => "a text" };
  try {
    return (await firstRow(archive, part, context, signal)) !== undefined;
  } catch (error) {
    if (error instanceof FileFault) return true;
    throw error;
  }
}

function noteOnSheets({ sheetName }: Workbook, others: readonly string[]): string[] {
  if (others.length === 0) return [];
  const more = others.length - MAX_NAMED_SHEETS;
  const names = [...others.slice(0, MAX_NAMED_SHEETS).map((name) => `"${name}"`), ...(more > 0 ? [`${more} more`] : [])];
  const which = names.length === 1 ? `${names[0]} has` : `${names.slice(0, -1).join(", ")} and ${names.at(-1)} have`;
  return [
    `Only the first visible sheet, "${shownName(sheetName)}", was read. ${which} rows too, which were not read: move them to the first sheet, or upload each sheet as a file of its own.`,
  ];
}

/** A name on one line, with characters that Postgres can store. */
const shownName = (name: string): string =>
  name
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ");
