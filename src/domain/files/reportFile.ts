// An error report that comes back as a file: how it is recognised, and whose rows it has.
import { uuidPattern } from "../uuid.js";
import { folded, reportColumns } from "./header.js";

/** The subject in the workbook's properties. Spreadsheet programs keep it when the report is edited and saved. */
export const reportSubject = (importId: string): string => `Rejected rows of import ${importId}`;

const anyImportId = new RegExp(uuidPattern, "i");

interface UploadedFile {
  readonly name: string;
  readonly columns: readonly string[];
  readonly subject?: string | undefined;
}

export interface ReportFile {
  /** The import that it reports on; undefined where neither the workbook nor the file's name says so. */
  readonly importId: string | undefined;
}

/** Undefined for a file that has not both of the report's own columns. */
export function reportIn({ name, columns, subject = "" }: UploadedFile): ReportFile | undefined {
  if (reportColumns.some((column) => columnNumber(columns, column) === -1)) return undefined;
  const importId = anyImportId.exec(subject)?.[0] ?? anyImportId.exec(name)?.[0];
  return { importId: importId?.toLowerCase() };
}

/** The column of the row numbers, from 0; -1 where there is none. */
export const rowNumberColumn = (columns: readonly string[]): number => columnNumber(columns, reportColumns[0]);

const columnNumber = (columns: readonly string[], wanted: string): number =>
  columns.findIndex((column) => folded(column.trim()) === folded(wanted));
