import type { ImportRequested } from "../../../events/importEvents.js";
import type { FileRow } from "../../../ports.js";

/** The row's number as people are told it: a push counts its rows from 1, and its file has a header above them. */
export function shownRow({ row }: FileRow, source: ImportRequested["source"]): number {
  return source === "data" ? row - 1 : row;
}
