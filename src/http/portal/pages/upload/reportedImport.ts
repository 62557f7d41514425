// An uploaded file that is one of our error reports: whose it is, and what has become of that import's rejected rows.
import { open } from "node:fs/promises";
import { join } from "node:path";
import { type CompletedImport, completedImport } from "../../../../commands/corrections/expectOpen.js";
import { rejectedRowStates } from "../../../../commands/corrections/rejectedRows.js";
import { loadImport } from "../../../../commands/imports/importStream.js";
import type { ReportToJudge } from "../../../../commands/imports/judging/fileChecks.js";
import { reportIn } from "../../../../domain/files/header.js";
import { customFieldPrefix } from "../../../../domain/imports/fields.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import { submittedColumns } from "../../../../queries/lookUps/rejectedRows.js";
import type { PortalDeps } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import type { ReceivedForm } from "./receiveForm.js";

/** Undefined for any other file, for a report that is to be taken as a new file, and where the import has written nothing. */
export async function reportedImport(
  deps: PortalDeps,
  { person: { organisationId } }: SignedInVisit,
  { kind, take, upload }: ReceivedForm,
  { columns, subject }: FileHeader,
): Promise<CompletedImport | undefined> {
  const report = take === "file" ? undefined : reportIn({ name: upload.name, columns, subject });
  if (report?.importId === undefined) return undefined;
  const { state } = await loadImport(deps.eventStore, report.importId);
  if (state.status !== "completed" || state.request.organisationId !== organisationId) return undefined;
  if (state.request.kind !== kind)
    throw new Rejection(
      "invalid",
      `This is the error report of an import of ${state.request.kind}: choose ${kindNames[state.request.kind]} as its kind.`,
    );
  return completedImport(deps, { organisationId, importId: report.importId });
}

const kindNames: Readonly<Record<ImportKind, string>> = { shipments: "Shipments", activities: "Activities" };

/** Writes down the import's rejected rows, for the process that judges the report. */
export async function reportToJudge(
  deps: PortalDeps,
  found: CompletedImport,
  { folder, fields, mostParts }: { folder: string; fields: readonly (string | undefined)[]; mostParts: number },
): Promise<ReportToJudge> {
  await expectColumns(deps, found, fields);
  const rowsPath = join(folder, "rejected");
  const file = await open(rowsPath, "w");
  try {
    for await (const rows of rejectedRowStates(deps, found))
      await file.writeFile(rows.map(({ row, handle, why }) => `${JSON.stringify([row, handle, why])}\n`).join(""));
  } finally {
    await file.close();
  }
  return { importId: found.request.importId, rowsPath, mostParts };
}

/** A correction replaces whole rows: what a lost column held would be lost in silence. */
async function expectColumns(deps: PortalDeps, found: CompletedImport, fields: readonly (string | undefined)[]): Promise<void> {
  const plain = (name: string) => (name.startsWith(customFieldPrefix) ? name.slice(customFieldPrefix.length) : name);
  const present = new Set(fields.flatMap((field) => (field === undefined ? [] : [plain(field)])));
  const lost = (await submittedColumns(deps.pool, found.position, found.request.source)).filter((name) => !present.has(plain(name)));
  if (lost.length > 0)
    throw new Rejection(
      "invalid",
      `The error report has lost column(s): ${lost.join(", ")}. Download it again, and keep all of its columns.`,
    );
}
