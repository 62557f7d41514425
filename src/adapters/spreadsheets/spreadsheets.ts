import type { Spreadsheets } from "../../ports/spreadsheets.js";
import { FileFault } from "./cell.js";
import { csvLine } from "./report/cellText.js";
import { cellsFromCopy, csvFromCopy } from "./report/copiedRows.js";
import { createReportWriter, createTableWriter } from "./report/tableWriter.js";
import { readFileRows, readHeader } from "./uploadedFile.js";

export const spreadsheets: Spreadsheets = {
  readHeader,
  readRows: readFileRows,
  createReportWriter,
  createTableWriter,
  csvLine,
  csvFromCopy,
  cellsFromCopy,
  isFileFault: (error): error is FileFault => error instanceof FileFault,
};
