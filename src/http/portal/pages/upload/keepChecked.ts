import { dropChecked, keepFile } from "../../../../commands/imports/keptFiles.js";
import type { Evidence } from "../../../../domain/imports/columns/evidence.js";
import type { ImportColumns } from "../../../../events/importEvents.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import type { PortalDeps, SignedInVisit } from "../../page.js";
import type { ReceivedForm } from "./receiveForm.js";

interface Checked {
  readonly form: ReceivedForm;
  readonly header: FileHeader;
  readonly columns: ImportColumns | undefined;
  /** For the page Columns. */
  readonly evidence?: Evidence | undefined;
}

/** Keeps the file, so that it is uploaded without being sent again. It takes the place of the file that was checked from the same page before. */
export async function keepChecked(
  visit: SignedInVisit,
  deps: PortalDeps,
  { form, header, columns, evidence = { values: [], numbers: [] } }: Checked,
): Promise<string | undefined> {
  const { organisationId } = visit.person;
  const { kind, upload, take } = form;
  const { path, name, size, sha256, sourceDetails } = upload;
  const file = { path, name, format: header.format, size, sha256 };
  const kept = {
    organisationId,
    kind,
    sourceDetails,
    file,
    columns: header.columns,
    evidence,
    notes: header.notes,
    checked: { take, columns },
  };
  try {
    const fileId = await keepFile(deps, kept);
    if (form.checked !== "") await dropChecked(organisationId, form.checked, deps);
    return fileId;
  } catch (error) {
    // What the check found is of use without it.
    deps.logger.warn({ err: error, requestId: visit.requestId }, "a checked file could not be kept");
    return undefined;
  }
}
