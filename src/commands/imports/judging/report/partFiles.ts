import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { elementColumn } from "../../../../domain/imports/fields.js";
import { csvLine } from "../../../../domain/pushes/toFile.js";
import { type Cell, type Columns, cellText } from "../../../../domain/rows/cells.js";
import type { CorrectionPart } from "../fileChecks.js";

const charactersAtOnce = 256 * 1024;

export interface PartFile {
  /** `row` is the number of the rejected row that these cells correct; `shipment` is 0 for an activity. */
  add(row: number, cells: readonly Cell[], shipment: number): Promise<void>;
  close(): Promise<CorrectionPart>;
}

export async function createPartFile(folder: string, number: number, columns: Columns): Promise<PartFile> {
  const path = join(folder, `part-${number}.csv`);
  const kept = columns.fields.flatMap((field, index) => (field === undefined ? [] : [{ field, index }]));
  const hash = createHash("sha256");
  const file = await open(path, "w");
  const rows: number[] = [];
  const shipments = new Set<number>();
  let size = 0;
  let waiting = csvLine([elementColumn, ...kept.map(({ field }) => field)]);
  const flush = async () => {
    const bytes = Buffer.from(waiting, "utf8");
    waiting = "";
    size += bytes.length;
    hash.update(bytes);
    await file.writeFile(bytes);
  };
  return {
    async add(row, cells, shipment) {
      rows.push(row);
      shipments.add(shipment === 0 ? rows.length : shipment);
      waiting += csvLine([rows.length, ...kept.map(({ index }) => cellText(cells[index]))]);
      if (waiting.length >= charactersAtOnce) await flush();
    },
    async close() {
      try {
        await flush();
      } finally {
        await file.close();
      }
      return { path, size, sha256: hash.digest("hex"), rows, elements: shipments.size };
    },
  };
}
