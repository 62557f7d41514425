import type { ImportRequested } from "../events/importEvents.js";
import type { FileRow } from "../ports/spreadsheets.js";

/** The row number that the API shows. The file made of a JSON push has a header row, but the push counts its rows from 1. */
export const shownRowNumber = ({ row }: FileRow, source: ImportRequested["source"]): number => (source === "data" ? row - 1 : row);
