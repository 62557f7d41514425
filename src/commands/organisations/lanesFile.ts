// Reads the lanes of a rate card from a CSV file or a workbook, and lists them for such a file. For the portal and the command line.
import { faultsByLine, type LaneLine, laneCells, laneColumns, maxBreaksIn, maxLanes, readLanes } from "../../domain/catalogue/laneCells.js";
import { parseOrganisationFile } from "../../domain/catalogue/organisationFile.js";
import type { Lane, OrganisationFile } from "../../domain/catalogue/schema.js";
import { Rejection } from "../../domain/rejection.js";
import { firstMessages } from "../../domain/validation.js";
import type { CsvCell, Spreadsheets } from "../../ports/spreadsheets.js";

type LaneFileReader = Pick<Spreadsheets, "readHeader" | "readRows" | "isFileFault">;

/** Returns the catalogue with the card's lanes replaced by the file's. Rejects a faulty file; each fault names its line. */
export async function replaceLanes(
  files: LaneFileReader,
  { path, name }: { readonly path: string; readonly name: string },
  catalogue: OrganisationFile,
  cardId: string,
): Promise<OrganisationFile> {
  const cardIndex = catalogue.rateCards.findIndex(({ id }) => id === cardId);
  if (cardIndex < 0) throw new Rejection("notFound", `There is no rate card ${cardId} in the catalogue`);
  const { columns, lines } = await readLines(files, path, name);
  const laneTable = readLanes(columns, lines);
  throwIfFaulty(laneTable.faults);
  const laneEntries = laneTable.lanes.flatMap((lane, index) => (lane ? [{ lane, where: lines[index]?.where ?? "" }] : []));
  if (laneEntries.length === 0) throw new Rejection("invalid", "The file has no lanes. Write one in each line below the headings");
  const lanes = laneEntries.map(({ lane }) => lane);
  const changed = { ...catalogue, rateCards: catalogue.rateCards.map((card, index) => (index === cardIndex ? { ...card, lanes } : card)) };
  const parsed = parseOrganisationFile(changed);
  const lineNames = laneEntries.map(({ where }) => where);
  if (!parsed.ok) throwIfFaulty(faultsByLine(parsed.faults, `rateCards.${cardIndex}`, lineNames));
  return changed;
}

function throwIfFaulty(faults: readonly string[]): void {
  if (faults.length > 0) throw new Rejection("invalid", faults[0] ?? "", firstMessages(faults));
}

async function readLines(files: LaneFileReader, path: string, name: string) {
  try {
    const { format, columns } = await files.readHeader(path, name);
    const lines: LaneLine[] = [];
    const faults: string[] = [];
    for await (const batch of files.readRows(path, { format }))
      for (const { row, cells, fault } of batch.rows) {
        const where = `Line ${row}`;
        const lineFault = fault ?? cells.flatMap((cell, index) => (typeof cell === "string" ? [] : [`${columns[index]} ${cell.fault}`]))[0];
        if (lineFault !== undefined) faults.push(`${where}: ${lineFault}`);
        lines.push({ where, cells: cells.map((cell) => (typeof cell === "string" ? cell : "")) });
        if (lines.length > maxLanes) throw new Rejection("invalid", `The file has more than ${maxLanes} lanes. Split the rate card`);
      }
    throwIfFaulty(faults);
    return { columns, lines };
  } catch (error) {
    if (files.isFileFault(error)) throw new Rejection("invalid", error.message);
    throw error;
  }
}

/** The indices in `laneColumns` of the columns from, to and transitUnit. The other columns hold numbers. */
export const laneTextColumns: ReadonlySet<number> = new Set([0, 1, 7]);

/** The lanes as a table, in the form that `replaceLanes` reads. */
export function lanesAsTable(lanes: readonly Lane[]): { columns: string[]; rows: CsvCell[][] } {
  const columns = laneColumns(maxBreaksIn(lanes));
  const rows = lanes.map((lane) => {
    const cells = laneCells(lane);
    return columns.map(
      (_, index): CsvCell => (laneTextColumns.has(index) || !cells[index] ? (cells[index] ?? "") : { decimal: cells[index] }),
    );
  });
  return { columns, rows };
}
