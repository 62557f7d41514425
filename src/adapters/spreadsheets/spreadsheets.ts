import type { Spreadsheets } from "../../ports.js";
import { FileFault } from "./fileFault.js";
import { createReportWriter } from "./report/reportWriter.js";
import { readHeader, readRows } from "./rows.js";

export const spreadsheets: Spreadsheets = {
  readHeader,
  readRows,
  createReportWriter,
  isFileFault: (error): error is FileFault => error instanceof FileFault,
};
