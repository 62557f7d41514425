import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { finished } from "node:stream/promises";
import type { FileRow } from "../ports/spreadsheets.js";

/** Writes a workbook's rows to a file as lines of JSON: they are read twice, and unpacking the workbook twice would be slow. */
export async function* spoolRows<Batch extends { readonly rows: readonly FileRow[] }>(
  path: string,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Batch> {
  const file = createWriteStream(path);
  const done = finished(file);
  done.catch(() => undefined);
  try {
    for await (const batch of batches) {
      for (const row of batch.rows) {
        if (!file.write(`${JSON.stringify([row.row, row.cells, row.fault])}\n`)) await Promise.race([once(file, "drain"), done]);
      }
      yield batch;
    }
  } finally {
    file.end();
    await done;
  }
}

const rowsAtOnce = 500;

export async function* spooledRows(path: string): AsyncGenerator<{ rows: FileRow[] }> {
  const file = await open(path);
  try {
    let rows: FileRow[] = [];
    for await (const line of file.readLines()) {
      const [row, cells, fault] = JSON.parse(line) as [number, FileRow["cells"], string | null];
      if (rows.push({ row, cells, fault }) < rowsAtOnce) continue;
      yield { rows };
      rows = [];
    }
    if (rows.length > 0) yield { rows };
  } finally {
    await file.close();
  }
}
