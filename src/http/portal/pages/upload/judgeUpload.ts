import { open } from "node:fs/promises";
import { join } from "node:path";
import { type CompletedImport, completedImport } from "../../../../commands/corrections/correctableRows.js";
import { rejectedRowStates } from "../../../../commands/corrections/openRows.js";
import { checkColumns } from "../../../../commands/imports/acceptFile.js";
import { loadImport } from "../../../../commands/imports/importStream.js";
import { reportIn } from "../../../../domain/files/header.js";
import type { ColumnChoice } from "../../../../domain/imports/columns/choice.js";
import { customFieldPrefix } from "../../../../domain/imports/fields.js";
import { Rejection } from "../../../../domain/rejection.js";
import { decimalOf } from "../../../../events/importEvents.js";
import type { CheckedFile, ReportToJudge } from "../../../../judging/fileChecks.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import { submittedColumns } from "../../../../queries/lookUps/rejectedRows.js";
import { existingShipments } from "../../../../queries/shipments/shipmentLedger.js";
import type { Line } from "../../lines.js";
import type { PortalDeps, SignedInVisit } from "../../page.js";
import { presentCatalogue } from "../customers.js";
import { recognisedKind } from "./columns/columnsOfFile.js";
import type { ReceivedForm, SentForm } from "./receiveForm.js";

export interface Judged {
  readonly checked: CheckedFile;
  /** How many of its shipments the ledger has already. */
  readonly replaced: number;
}

export type JudgeUpload = (send: (line: Line) => void, signal: AbortSignal) => Promise<Judged>;

interface File {
  readonly form: Pick<ReceivedForm, "kind"> & { readonly upload: Pick<ReceivedForm["upload"], "path" | "name" | "folder"> };
  readonly header: Pick<FileHeader, "columns" | "format">;
  /** What its columns are taken for, where its headings are not ours. */
  readonly columns?: ColumnChoice | undefined;
  /** Where to write the rows that would be rejected. Shipments that the ledger has are not counted then. */
  readonly rejectedTo?: string;
  /** Where the file is an error report: the import whose rows it corrects, and how many imports it may become. */
  readonly corrects?: { readonly found: CompletedImport; readonly mostParts: number } | undefined;
}

/** Refuses a wrong header row at once; what it returns judges every row in a process of its own. */
export async function prepareToJudge(
  visit: SignedInVisit,
  deps: PortalDeps,
  { form, header, columns, rejectedTo, corrects }: File,
): Promise<JudgeUpload> {
  const { organisationId } = visit.person;
  const { kind, upload } = form;
  const { catalogue, catalogueVersion } = await presentCatalogue(visit, deps);
  const fields = await checkColumns(deps, { organisationId, kind }, catalogueVersion, header.columns, columns);
  const { path, name, folder } = upload;
  return async (send, signal) => {
    let replaced = 0;
    send({ share: 0, text: "Waiting to check" });
    const report = corrects && (await reportToJudge(deps, corrects.found, { folder, fields, mostParts: corrects.mostParts }));
    const checked = await deps.fileChecks.run(
      {
        organisationId,
        kind,
        file: { path, name, format: header.format },
        folder,
        catalogue: catalogue.file,
        columns,
        ...(rejectedTo === undefined ? {} : { rejectedTo }),
        ...(report ? { report } : {}),
      },
      {
        signal,
        progress: (share) => send({ share, text: `Checking: ${Math.floor(share * 100)} %` }),
        shipments: async (ids) => {
          if (rejectedTo === undefined) replaced += await existingShipments(organisationId, ids, deps.pool);
        },
      },
    );
    return { checked, replaced };
  };
}

/** The import whose error report the file is. Undefined for any other file, for a report that is to be taken as a new file, and where the import has written nothing. */
export async function reportedImport(
  deps: PortalDeps,
  { person: { organisationId } }: SignedInVisit,
  { take, upload }: SentForm,
  { columns, subject }: FileHeader,
): Promise<CompletedImport | undefined> {
  const report = take === "file" ? undefined : reportIn({ name: upload.name, columns, subject });
  if (report?.importId === undefined) return undefined;
  const { state } = await loadImport(deps.eventStore, report.importId);
  if (state.status !== "completed" || state.request.organisationId !== organisationId) return undefined;
  return completedImport(deps, { organisationId, importId: report.importId });
}

/** The form with its kind: an error report is of its import's kind, and a kind that is not chosen is recognised by the headings. */
export async function withKind(
  visit: SignedInVisit,
  deps: PortalDeps,
  form: SentForm,
  { header, found }: { readonly header: FileHeader; readonly found: CompletedImport | undefined },
): Promise<ReceivedForm> {
  const kind = found?.request.kind ?? form.kind ?? (await recognisedKind(visit, deps, header.columns));
  if (!kind) throw new Rejection("invalid", "The headings do not say what the file has. Choose Shipments or Activities under Kind.");
  return { ...form, kind };
}

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
      await file.writeFile(rows.map(({ row, handle, state, element }) => `${JSON.stringify([row, handle, state, element])}\n`).join(""));
  } finally {
    await file.close();
  }
  return { importId: found.request.importId, rowsPath, mostParts, decimal: decimalOf(found.request) };
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
