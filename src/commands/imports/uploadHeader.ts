import { nameFault } from "../../domain/files/header.js";
import { Rejection } from "../../domain/rejection.js";
import { TooBusy } from "../../portErrors.js";
import type { FileHeader, HeaderReader, Spreadsheets } from "../../ports/spreadsheets.js";

export interface UploadHeaderDeps {
  readonly headerRows: HeaderReader;
  readonly spreadsheets: Pick<Spreadsheets, "isFileFault">;
}

/** Rejects a file whose header row cannot be read in time, or whose name says that it is something else; the message says what to do. */
export async function readUploadHeader(
  { headerRows, spreadsheets }: UploadHeaderDeps,
  organisationId: string,
  { path, name }: { readonly path: string; readonly name: string },
): Promise<FileHeader> {
  try {
    const header = await headerRows.read(organisationId, { path, name });
    const fault = nameFault(name, header.format);
    if (fault) throw new Rejection("invalid", fault);
    return header;
  } catch (error) {
    if (spreadsheets.isFileFault(error)) throw new Rejection("invalid", error.message);
    if (error instanceof TooBusy) throw new TooBusy("Too many uploads at the moment, try again shortly", { cause: error });
    throw error;
  }
}
