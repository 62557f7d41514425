import { FileFault, isBlankRow } from "../cell.js";
import { MAX_OTHER_SHEETS_BYTES } from "../limits.js";
import { type Archive, openArchive } from "./archive.js";
import { createSheetParser } from "./sheet.js";
import type { Workbook } from "./workbook.js";

const MOST_LOOKED_AT = 100;
const MOST_NAMED = 5;
const MOST_NAME_CHARS = 50;
const BITE = 2048;

/** The visible sheets beside the one that is read, as far as they have rows. Hidden sheets are not meant to be read. */
export async function otherSheetsOf(path: string, { others }: Workbook, signal?: AbortSignal): Promise<string[]> {
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
  let isFound = false;
  const context = { kinds: [], date1904: false, dateColumns: new Set<number>(), sharedString: () => "a text" };
  const parser = createSheetParser(context, (_, cells) => {
    isFound ||= !isBlankRow(cells);
  });
  try {
    for await (const piece of archive.text(part, signal)) {
      for (let at = 0; at < piece.length && !isFound; at += BITE) parser.write(piece.slice(at, at + BITE));
      if (isFound) return true;
    }
    parser.end();
    return isFound;
  } catch (error) {
    if (error instanceof FileFault) return true;
    throw error;
  }
}

export function noteOnSheets({ sheetName }: Workbook, others: readonly string[]): string[] {
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
