import { open, rm } from "node:fs/promises";
import type { ReportWriter } from "../../../ports.js";
import { MAX_DATA_ROWS } from "../limits.js";
import { cellMarkup, columnName, looksLikeFormula } from "./markup.js";
import { OTHER_PARTS, SHEET_END, SHEET_PART, STYLES, sheetStart } from "./workbookParts.js";
import { createZipWriter } from "./zipWriter.js";

/** The report's own columns, left of the submitted ones. A file that has them is a corrected report: they are known and left out. */
export const REPORT_COLUMNS = ["Row number", "Rejection reason"] as const;

const FLUSH_CHARS = 64 * 1024;
/** A zip part ends at 4 GiB; this leaves room for one more row and the note. */
const MAX_SHEET_CHARS = 1.2 * 1024 ** 3;

/** Writes the rejected rows as a workbook, in flat memory. Either `close` or `discard` must follow. */
export async function createReportWriter(path: string, options: { columns: readonly string[] }): Promise<ReportWriter> {
  const file = await open(path, "w");
  const zip = createZipWriter(file);
  const sheet = zip.openPart(SHEET_PART);
  const width = REPORT_COLUMNS.length + options.columns.length;
  const names = Array.from({ length: width }, (_, index) => columnName(index));
  let pending = sheetStart(width) + rowMarkup(1, [...REPORT_COLUMNS, ...options.columns], names, STYLES.heading);
  let rows = 1;
  let chars = 0;
  let leftOut = 0;

  async function flush(): Promise<void> {
    const text = pending;
    pending = "";
    chars += text.length;
    await sheet.write(text);
  }

  return {
    async add(row, reason, values) {
      if (rows >= MAX_DATA_ROWS || chars > MAX_SHEET_CHARS) {
        leftOut += 1;
        return;
      }
      rows += 1;
      pending += rowMarkup(rows, [String(row), reason, ...values], names);
      if (pending.length > FLUSH_CHARS) await flush();
    },
    async close() {
      try {
        if (leftOut > 0)
          pending += rowMarkup(rows + 1, ["", `${leftOut} more rejected rows do not fit here; the API lists them all`], names);
        pending += SHEET_END;
        await flush();
        await sheet.end();
        for (const [name, xml] of OTHER_PARTS) await zip.addPart(name, xml);
        await zip.finish();
      } finally {
        sheet.abort();
        await file.close();
      }
    },
    async discard() {
      sheet.abort();
      await file.close().catch(() => {});
      await rm(path, { force: true });
    },
  };
}

function rowMarkup(row: number, values: readonly string[], names: readonly string[], style?: number): string {
  let cells = "";
  for (let index = 0; index < names.length; index++) {
    const value = values[index] ?? "";
    if (value === "") continue;
    const look = style ?? (looksLikeFormula(value) ? STYLES.formulaLike : STYLES.text);
    cells += `<c r="${names[index]}${row}" s="${look}" t="inlineStr"><is><t xml:space="preserve">${cellMarkup(value)}</t></is></c>`;
  }
  return `<row r="${row}">${cells}</row>`;
}
