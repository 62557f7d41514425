import { Rejection } from "../../../domain/rejection.js";
import { TooBusy } from "../../../portErrors.js";
import type { FileHeader } from "../../../ports.js";
import { Problem } from "../../server/problem.js";
import type { ApiDeps } from "../deps.js";

/** Rejects a file whose header row cannot be read in time; the message says what to do. */
export async function readUploadHeader(
  { headerRows, spreadsheets }: Pick<ApiDeps, "headerRows" | "spreadsheets">,
  organisationId: string,
  { path, name }: { readonly path: string; readonly name: string },
): Promise<FileHeader> {
  try {
    return await headerRows.read(organisationId, { path, name });
  } catch (error) {
    if (spreadsheets.isFileFault(error)) throw new Rejection("invalid", error.message);
    if (error instanceof TooBusy) throw new Problem("unavailable", "Too many uploads at the moment, try again shortly", { cause: error });
    throw error;
  }
}
