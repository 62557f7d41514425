import { Rejection } from "../../domain/rejection.js";
import type { FileHeader, Spreadsheets } from "../../ports.js";

const PATIENCE_SECONDS = 20;

/** The caller is waiting: a file whose header row cannot be had, or not in time, is refused with what to do about it. */
export async function readUploadHeader(
  spreadsheets: Spreadsheets,
  file: { readonly path: string; readonly name: string },
  seconds = PATIENCE_SECONDS,
): Promise<FileHeader> {
  const patience = AbortSignal.timeout(seconds * 1000);
  try {
    return await spreadsheets.readHeader(file.path, file.name, patience);
  } catch (error) {
    if (spreadsheets.isFileFault(error)) throw new Rejection("invalid", error.message);
    if (patience.aborted && error === patience.reason) throw new Rejection("invalid", tooSlow(seconds));
    throw error;
  }
}

function tooSlow(seconds: number): string {
  return `The header row could not be read within ${seconds} seconds. Upload the file again; if it is a workbook, save it as .csv first.`;
}
