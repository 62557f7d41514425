// What the columns of an uploaded file are taken for, and the file itself while somebody chooses that.
import { type ColumnsTaken, columnsTaken, expectChoosable } from "../../../../../commands/imports/chosenColumns.js";
import { keepFile } from "../../../../../commands/imports/keptFiles.js";
import { headingsIn, headingsKey } from "../../../../../domain/imports/columns/headings.js";
import type { ImportRequested } from "../../../../../events/importEvents.js";
import type { FileHeader } from "../../../../../ports/spreadsheets.js";
import { rememberedColumns } from "../../../../../queries/organisations/columnChoices.js";
import type { PortalDeps, SignedInVisit } from "../../../page.js";
import { presentCatalogue } from "../../customers.js";
import type { ReceivedForm } from "../receiveForm.js";

export const columnsPath = "/portal/upload/columns";

interface UploadedFile {
  readonly form: ReceivedForm;
  readonly header: FileHeader;
  /** The import whose error report the file is, where it is one. */
  readonly reported?: ImportRequested | undefined;
}

export async function columnsOfFile(
  visit: SignedInVisit,
  deps: PortalDeps,
  { form, header, reported }: UploadedFile,
): Promise<ColumnsTaken> {
  const { kind } = form;
  const { columns } = header;
  const { catalogue } = await presentCatalogue(visit, deps);
  const sought = { kind, key: headingsKey(headingsIn(columns)) };
  const remembered = reported ? undefined : await rememberedColumns(deps.pool, visit.person.organisationId, sought);
  return columnsTaken(catalogue, { kind, columns, reported, remembered });
}

/** Keeps the file; returns the page on which its columns are chosen. */
export async function keepToChoose(visit: SignedInVisit, deps: PortalDeps, { form, header }: UploadedFile): Promise<string> {
  const { columns, format, notes } = header;
  expectChoosable(columns);
  const { organisationId } = visit.person;
  const { kind, upload } = form;
  const { path, name, size, sha256, sourceDetails } = upload;
  // Without the values the page is still of use.
  const values = await deps.headerRows.values(organisationId, { path, name }).catch((error: unknown) => {
    deps.logger.info({ err: error, requestId: visit.requestId }, "the first values of an upload could not be read");
    return [];
  });
  const file = { path, name, format, size, sha256 };
  const fileId = await keepFile(deps, { organisationId, kind, sourceDetails, file, columns, values, notes });
  return `${columnsPath}?file=${fileId}`;
}
