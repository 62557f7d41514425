import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import { fileNameFault, matchImportHeader } from "../../domain/files/header.js";
import { applyChoice, type ColumnChoice } from "../../domain/imports/columns/choice.js";
import { Rejection } from "../../domain/rejection.js";
import type { ImportColumns, ImportKind, ImportRequested } from "../../events/importEvents.js";
import { TooBusy } from "../../portErrors.js";
import type { FileHeader, HeaderReader, Spreadsheets } from "../../ports/spreadsheets.js";
import { type RequestImportDeps, requestImport, type Submission } from "./requestImport.js";

export interface AcceptFileDeps extends RequestImportDeps, UploadHeaderDeps {
  readonly catalogues: (organisationId: string, version: number) => Promise<Catalogue>;
}

interface ReceivedFile
  extends Pick<Submission, "organisationId" | "kind" | "sourceDetails" | "by" | "requestId" | "idempotencyKey" | "now"> {
  /** On this machine's disk. The caller removes it. */
  readonly file: Omit<Submission["file"], "format">;
  readonly catalogueVersion: number;
  readonly withinMs: number;
  /** The header row, if the caller has read it. */
  readonly header?: FileHeader;
  /** Which field each column holds, if the headings are not our own column names. */
  readonly columns?: ImportColumns | undefined;
}

/** Accepts a file that was uploaded to the API or the portal: checks its header row, then stores and queues it. */
export async function acceptFile(deps: AcceptFileDeps, received: ReceivedFile): Promise<ImportRequested> {
  const { file, catalogueVersion, header, columns: choice, ...push } = received;
  const { columns, format } = header ?? (await readUploadHeader(deps, push.organisationId, file));
  const check = async () => void (await checkColumns(deps, push, catalogueVersion, columns, choice));
  return requestImport(deps, { ...push, source: "file", file: { ...file, format }, check, ...(choice ? { columns: choice } : {}) });
}

/** Returns each column's field, undefined for an ignored column, then each fixed value's. Rejects columns that do not fit the catalogue. */
export async function checkColumns(
  { catalogues }: Pick<AcceptFileDeps, "catalogues">,
  { organisationId, kind }: { readonly organisationId: string; readonly kind: ImportKind },
  catalogueVersion: number,
  columns: FileHeader["columns"],
  choice?: ColumnChoice,
): Promise<readonly (string | undefined)[]> {
  const { customFieldKeys, file } = await catalogues(organisationId, catalogueVersion);
  const { customFields } = file;
  const match = choice
    ? applyChoice(columns, choice, { kind, customFields })
    : matchImportHeader(columns, { kind, source: "file", customFieldKeys });
  if (!match.ok) throw new Rejection("invalid", match.message);
  return match.fields;
}

export interface UploadHeaderDeps {
  readonly headerRows: Pick<HeaderReader, "readHeader">;
  readonly spreadsheets: Pick<Spreadsheets, "isFileFault">;
}

/** Rejects a file whose header row cannot be read, and a file whose name contradicts its format. The message says what to do. */
export async function readUploadHeader(
  { headerRows, spreadsheets }: UploadHeaderDeps,
  organisationId: string,
  { path, name }: { readonly path: string; readonly name: string },
): Promise<FileHeader> {
  try {
    const header = await headerRows.readHeader(organisationId, { path, name });
    const fault = fileNameFault(name, header.format);
    if (fault) throw new Rejection("invalid", fault);
    return header;
  } catch (error) {
    if (spreadsheets.isFileFault(error)) throw new Rejection("invalid", error.message);
    if (error instanceof TooBusy) throw new TooBusy("Too many uploads at the moment, try again shortly", { cause: error });
    throw error;
  }
}
