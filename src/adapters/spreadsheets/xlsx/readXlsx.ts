import type { FileHeader, ReadOptions, RowBatch } from "../../../ports/spreadsheets.js";
import { type Cell, createRowReader, FileFault, headerNames, isBlankRow } from "../cell.js";
import { MAX_HEADER_INFLATED_BYTES, MAX_OTHER_SHEETS_BYTES, MAX_TEXT_CHARS } from "../limits.js";
import { type Archive, openArchive } from "./archive.js";
import { readNumberKinds } from "./numbers.js";
import { readSharedStrings } from "./sharedStrings.js";
import { createSheetParser, type SheetContext } from "./sheet.js";
import { readWorkbook, type Workbook } from "./workbook.js";

const NO_COLUMNS: ReadonlySet<number> = new Set();
const MOST_PROPERTY_BYTES = 64 * 1024;
const MOST_SUBJECT_CHARS = 200;

export async function readXlsxHeader(path: string, signal?: AbortSignal): Promise<FileHeader> {
  const archive = await openArchive(path, MAX_HEADER_INFLATED_BYTES);
  try {
    const { workbook, ...context } = await openSheet(archive);
    // Shared strings are read only as far as the header needs them.
    for (let known = 0; ; ) {
      const strings = await readSharedStrings(archive, workbook.sharedStrings, known, signal);
      let wanted = known;
      const sharedString = (index: number) => {
        wanted = Math.max(wanted, index + 1);
        return strings.at(index) ?? (index < known ? undefined : "?");
      };
      const first = await firstRow(archive, workbook.sheet, { ...context, sharedString }, signal);
      if (!first) throw noHeader(workbook);
      const columns = headerNames(first.cells, first.row);
      if (wanted === known) {
        const otherSheets = await otherSheetsOf(path, workbook, signal);
        return { format: "xlsx", columns, notes: noteOnSheets(workbook, otherSheets), otherSheets, ...(await subjectOf(archive)) };
      }
      known = wanted;
    }
  } finally {
    archive.close();
  }
}

/** The sheet that is read, and how its numbers are to be understood. */
async function openSheet(archive: Archive) {
  const workbook = await readWorkbook(archive);
  const kinds = workbook.styles ? readNumberKinds(await archive.wholeText(workbook.styles)) : [];
  return { workbook, kinds, date1904: workbook.date1904, dateColumns: NO_COLUMNS };
}

/** The subject in the document's properties. A workbook without properties, or with broken ones, has none. */
async function subjectOf(archive: Archive): Promise<{ subject?: string }> {
  const part = "docProps/core.xml";
  if (!archive.has(part) || archive.size(part) > MOST_PROPERTY_BYTES) return {};
  const text = await archive.wholeText(part).catch(() => "");
  const subject = /<(?:\w+:)?subject(?:\s[^<>]*)?>([^<]*)</.exec(text)?.[1];
  return subject === undefined ? {} : { subject: subject.slice(0, MOST_SUBJECT_CHARS) };
}

/** The first row that is not blank, if there is one. The sheet is parsed in small pieces, so that hardly more than that row is parsed. */
async function firstRow(archive: Archive, part: string, context: SheetContext, signal?: AbortSignal) {
  const found: { readonly row: number; readonly cells: readonly Cell[] }[] = [];
  const parser = createSheetParser(context, (row, cells) => {
    if (!isBlankRow(cells)) found.push({ row, cells });
  });
  for await (const piece of archive.text(part, signal)) {
    for (let at = 0; at < piece.length && found.length === 0; at += BITE) parser.write(piece.slice(at, at + BITE));
    if (found.length > 0) return found[0];
  }
  parser.end(); // may still find it: the parser puts unfinished text off until there is more of it
  return found[0];
}

const BITE = 2048;

export async function* readXlsxRows(path: string, options: ReadOptions): AsyncGenerator<RowBatch> {
  const archive = await openArchive(path, options.mostInflated);
  try {
    const { workbook, ...sheet } = await openSheet(archive);
    const strings = await readSharedStrings(archive, workbook.sharedStrings, Number.POSITIVE_INFINITY, options.signal);
    const { dateColumns = NO_COLUMNS, writeNumber } = options;
    yield* sheetRows(archive, workbook, { ...sheet, dateColumns, writeNumber, sharedString: strings.at }, options.signal);
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

const MOST_LOOKED_AT = 100;
const MOST_NAMED = 5;
const MOST_NAME_CHARS = 50;

/** The visible sheets beside the one that is read, as far as they have rows. Hidden sheets are not meant to be read. */
async function otherSheetsOf(path: string, { others }: Workbook, signal?: AbortSignal): Promise<string[]> {
  if (others.length === 0) return [];
  const archive = await openArchive(path, MAX_OTHER_SHEETS_BYTES);
  const names: string[] = [];
  try {
    for (const { name, part } of others.slice(0, MOST_LOOKED_AT)) if (await hasRows(archive, part, signal)) names.push(shown(name));
  } finally {
    archive.close();
  }
  return names;
}

/** True also for a sheet that is damaged, or has no value as far as it is looked at: nobody knows what it holds. */
async function hasRows(archive: Archive, part: string, signal?: AbortSignal): Promise<boolean> {
  if (!archive.has(part)) return false;
  const context = { kinds: [], date1904: false, dateColumns: NO_COLUMNS, sharedString: () => "a text" };
  try {
    return (await firstRow(archive, part, context, signal)) !== undefined;
  } catch (error) {
    if (error instanceof FileFault) return true;
    throw error;
  }
}

function noteOnSheets({ sheetName }: Workbook, others: readonly string[]): string[] {
  if (others.length === 0) return [];
  const more = others.length - MOST_NAMED;
  const named = [...others.slice(0, MOST_NAMED).map((name) => `"${name}"`), ...(more > 0 ? [`${more} more`] : [])];
  const which = named.length === 1 ? `${named[0]} has` : `${named.slice(0, -1).join(", ")} and ${named.at(-1)} have`;
  return [
    `Only the first visible sheet, "${shown(sheetName)}", was read. ${which} rows too, which were not: move them to the first sheet, or upload each sheet as a file of its own.`,
  ];
}

/** Characters that Postgres can store, on one line. */
const shown = (name: string): string =>
  name
    .slice(0, MOST_NAME_CHARS)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ");
