// The lanes of a rate card from a CSV file or a workbook, for the portal and the command line.
import { type LaneLine, laneCells, laneColumns, laneFaults, mostBreaksIn, mostLanes, readLanes } from "../../domain/catalogue/laneCells.js";
import { parseOrganisationFile } from "../../domain/catalogue/organisationFile.js";
import type { Lane, OrganisationFile } from "../../domain/catalogue/schema.js";
import { Rejection } from "../../domain/rejection.js";
import { firstMessages } from "../../domain/validation.js";
import type { CsvCell, Spreadsheets } from "../../ports/spreadsheets.js";

type Files = Pick<Spreadsheets, "readHeader" | "readRows" | "isFileFault">;

/** The catalogue with the file's lanes as those of the card. A faulty file is refused, and every fault names its line. */
export async function withLanesOf(
  files: Files,
  { path, name }: { readonly path: string; readonly name: string },
  catalogue: OrganisationFile,
  cardId: string,
): Promise<OrganisationFile> {
  const at = catalogue.rateCards.findIndex(({ id }) => id === cardId);
  if (at < 0) throw new Rejection("notFound", `There is no rate card ${cardId} in the catalogue`);
  const { columns, lines } = await linesIn(files, path, name);
  const read = readLanes(columns, lines);
  throwIfFaulty(read.faults);
  const found = read.lanes.flatMap((lane, index) => (lane ? [{ lane, where: lines[index]?.where ?? "" }] : []));
  if (found.length === 0) throw new Rejection("invalid", "The file has no lanes. Write one in each line below the headings");
  const lanes = found.map(({ lane }) => lane);
  const changed = { ...catalogue, rateCards: catalogue.rateCards.map((card, index) => (index === at ? { ...card, lanes } : card)) };
  const parsed = parseOrganisationFile(changed);
  if (!parsed.ok)
    throwIfFaulty(
      laneFaults(
        parsed.faults,
        `rateCards.${at}`,
        found.map(({ where }) => where),
      ),
    );
  return changed;
}

function throwIfFaulty(faults: readonly string[]): void {
  if (faults.length > 0) throw new Rejection("invalid", faults[0] ?? "", firstMessages(faults));
}

async function linesIn(files: Files, path: string, name: string): Promise<{ columns: readonly string[]; lines: readonly LaneLine[] }> {
  try {
    const { format, columns } = await files.readHeader(path, name);
    const lines: LaneLine[] = [];
    const faults: string[] = [];
    for await (const batch of files.readRows(path, { format }))
      for (const { row, cells, fault } of batch.rows) {
        const where = `Line ${row}`;
        const broken = fault ?? cells.flatMap((cell, index) => (typeof cell === "string" ? [] : [`${columns[index]} ${cell.fault}`]))[0];
        if (broken !== undefined) faults.push(`${where}: ${broken}`);
        lines.push({ where, cells: cells.map((cell) => (typeof cell === "string" ? cell : "")) });
        if (lines.length > mostLanes) throw new Rejection("invalid", `The file has more than ${mostLanes} lanes. Split the rate card`);
      }
    throwIfFaulty(faults);
    return { columns, lines };
  } catch (error) {
    if (files.isFileFault(error)) throw new Rejection("invalid", error.message);
    throw error;
  }
}

/** Indices in `laneColumns` of from, to and transitUnit. The others hold numbers. */
export const laneTextColumns: ReadonlySet<number> = new Set([0, 1, 7]);

/** The lanes as `withLanesOf` reads them. */
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
