import { join } from "node:path";
import { elementColumn } from "../../domain/imports/fields.js";
import { csvRecord } from "../../domain/pushes/toFile.js";
import { type Cell, type Columns, cellText } from "../../domain/rows/cells.js";
import type { CorrectionPart } from "../fileChecks.js";
import { createHashedFile } from "../hashedFile.js";

export type PartFile = Awaited<ReturnType<typeof createPartFile>>;

/** Creates the file of one part of a corrected report. Each part becomes an import. */
export async function createPartFile(folder: string, number: number, columns: Columns) {
  const path = join(folder, `part-${number}.csv`);
  const fieldColumns = columns.fields.flatMap((field, index) => (field === undefined ? [] : [{ field, index }]));
  const file = await createHashedFile(path);
  const rows: number[] = [];
  const elements = new Set<number>();
  await file.add(csvRecord([elementColumn, ...fieldColumns.map(({ field }) => field)]));
  return {
    /** `row` is the number of the rejected row that these cells correct; `shipment` is 0 for an activity. */
    async add(row: number, cells: readonly Cell[], shipment: number): Promise<void> {
      rows.push(row);
      elements.add(shipment === 0 ? rows.length : shipment);
      await file.add(csvRecord([rows.length, ...fieldColumns.map(({ index }) => cellText(cells[index]))]));
    },
    async close(): Promise<CorrectionPart> {
      return { path, ...(await file.close()), rows, elements: elements.size };
    },
  };
}
