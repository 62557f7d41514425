// The lanes of a rate card from a CSV file or a workbook, for the portal and the command line.
import { type LaneRow, laneCells, laneColumns, laneFaults, mostBreaksIn, mostLanes, readLanes } from "../../domain/catalogue/laneTable.js";
import { parseOrganisationFile } from "../../domain/catalogue/organisationFile.js";
import type { Lane, OrganisationFile } from "../../domain/catalogue/schema.js";
import { Rejection } from "../../domain/rejection.js";
import { firstMessages } from "../../domain/validation.js";
import type { CsvCell, Spreadsheets } from "../../ports/spreadsheets.js";

type Files = Pick<Spreadsheets, "readHeader" | "readRows" | "isFileFault">;

/** The catalogue with the file's lanes as those of the card. A faulty file is refused, and every fault names its line. */
export async function importLanes(
  files: Files,
  { path, name }: { readonly path: string; readonly name: string },
  catalogue: OrganisationFile,
  cardId: string,
): Promise<OrganisationFile> {
  const place = catalogue.rateCards.findIndex(({ id }) => id === cardId);
  if (place < 0) throw new Rejection("notFound", `There is no rate card ${cardId} in the catalogue`);
  const { columns, rows } = await tableIn(files, path, name);
  const read = readLanes(columns, rows);
  throwIfFaulty(read.faults);
  const found = read.lanes.flatMap((lane, index) => (lane ? [{ lane, where: rows[index]?.where ?? "" }] : []));
  if (found.length === 0) throw new Rejection("invalid", "The file has no lanes. Write one in each line below the headings");
  const lanes = found.map(({ lane }) => lane);
  const changed = { ...catalogue, rateCards: catalogue.rateCards.map((card, index) => (index === place ? { ...card, lanes } : card)) };
  const parsed = parseOrganisationFile(changed);
  if (!parsed.ok)
    throwIfFaulty(
      laneFaults(
        parsed.faults,
        `rateCards.${place}`,
        found.map(({ where }) => where),
      ),
    );
  return changed;
}

function throwIfFaulty(faults: readonly string[]): void {
  if (faults.length > 0) throw new Rejection("invalid", faults[0] ?? "", firstMessages(faults));
}

async function tableIn(files: Files, path: string, name: string): Promise<{ columns: readonly string[]; rows: readonly LaneRow[] }> {
  try {
    const { format, columns } = await files.readHeader(path, name);
    const rows: LaneRow[] = [];
    const faults: string[] = [];
    for await (const batch of files.readRows(path, { format }))
      for (const { row, cells, fault } of batch.rows) {
        const where = `Line ${row}`;
        const broken = fault ?? cells.flatMap((cell, index) => (typeof cell === "string" ? [] : [`${columns[index]} ${cell.fault}`]))[0];
        if (broken !== undefined) faults.push(`${where}: ${broken}`);
        rows.push({ where, cells: cells.map((cell) => (typeof cell === "string" ? cell : "")) });
        if (rows.length > mostLanes) throw new Rejection("invalid", `The file has more than ${mostLanes} lanes. Split the rate card`);
      }
    throwIfFaulty(faults);
    return { columns, rows };
  } catch (error) {
    if (files.isFileFault(error)) throw new Rejection("invalid", error.message);
    throw error;
  }
}

/** Indices in `laneColumns` of from, to and transitUnit. The others hold numbers. */
export const laneTextColumns: ReadonlySet<number> = new Set([0, 1, 7]);

/** The lanes as `importLanes` reads them. */
export function lanesAsTable(lanes: readonly Lane[]): { columns: string[]; rows: CsvCell[][] } {
  const columns = laneColumns(mostBreaksIn(lanes));
  const rows = lanes.map((lane) => {
    const cells = laneCells(lane);
    return columns.map(
      (_, index): CsvCell => (laneTextColumns.has(index) || !cells[index] ? (cells[index] ?? "") : { decimal: cells[index] }),
    );
  });
  return { columns, rows };
}
