// Reads and judges the file of a draft in a process of its own.
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { CompletedImport } from "../../../../commands/corrections/correctableRows.js";
import { rejectedRowStates } from "../../../../commands/corrections/openRows.js";
import { checkColumns } from "../../../../commands/imports/acceptFile.js";
import { resolveColumns } from "../../../../commands/imports/chosenColumns.js";
import type { FoundInFile, KeptFile } from "../../../../commands/imports/keptFiles.js";
import type { Evidence } from "../../../../domain/imports/columns/evidence.js";
import { customFieldPrefix } from "../../../../domain/imports/fields.js";
import { unusualLimits } from "../../../../domain/imports/unusual.js";
import { Rejection } from "../../../../domain/rejection.js";
import { decimalMarkOf, type ImportColumns } from "../../../../events/importEvents.js";
import type { FileToJudge, ReportToJudge } from "../../../../judging/fileChecks.js";
import { ledgerFigures } from "../../../../queries/lookUps/ledgerFigures.js";
import { submittedColumns } from "../../../../queries/lookUps/rejectedRows.js";
import { existingShipments } from "../../../../queries/shipments/shipmentLedger.js";
import type { Line, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { presentCatalogue } from "../customers.js";
import type { DraftCopy } from "./drafts.js";

interface DraftToCheck {
  readonly draft: KeptFile;
  readonly copy: DraftCopy;
  /** Whether to read how its dates and numbers are written. */
  readonly read: boolean;
  readonly judge?:
    | (Pick<FileToJudge, "rejectedTo" | "mostRows"> & {
        readonly columns?: ImportColumns | undefined;
        /** Where the file is an error report: the import whose rows it corrects, and how many imports it may become. */
        readonly corrects?: CompletedImport;
        readonly mostParts?: number;
      })
    | undefined;
}

/** Refuses a header row that does not fit. Judges nothing where the file is only to be read, or has too many rows. */
export async function checkDraft(
  visit: SignedInVisit,
  deps: PortalDeps,
  { draft, copy, read, judge }: DraftToCheck,
  say: (line: Line) => void,
  signal: AbortSignal,
): Promise<{ readonly evidence?: Evidence | undefined; readonly checked?: FoundInFile | undefined }> {
  const { organisationId } = visit.person;
  const { name, format } = draft.file;
  const { now, catalogue } = await presentCatalogue(visit, deps);
  const verb = judge ? "Checking" : "Reading";
  say({ share: 0, text: judge ? "Waiting to check" : "Waiting to read" });
  let replaced = 0;
  const { evidence, checked } = await deps.fileChecks.run(
    {
      ...{ organisationId, file: { path: copy.path, name, format }, read },
      judge: judge && {
        ...judge,
        kind: draft.kind,
        folder: copy.folder,
        catalogue: catalogue.file,
        ...(await judgedAs(visit, deps, { draft, copy, judge })),
      },
    },
    {
      signal,
      progress: (share) => (share < 1 ? say({ share, text: `${verb}: ${Math.floor(share * 100)} %` }) : undefined),
      answers: {
        ...ledgerFigures(organisationId, { at: now, limits: unusualLimits }, deps.pool),
        async shipments(ids) {
          if (judge?.rejectedTo === undefined) replaced += await existingShipments(organisationId, ids, deps.pool);
        },
      },
    },
  );
  return { evidence, checked: checked && { ...checked, replaced } };
}

/** What its columns are taken for, after a look at the header row; and for an error report, the rows that it is about. */
async function judgedAs(
  visit: SignedInVisit,
  deps: PortalDeps,
  { draft, copy, judge = {} }: Omit<DraftToCheck, "read">,
): Promise<Pick<FileToJudge, "columns" | "report">> {
  const { kind, columns: header } = draft;
  const { corrects, mostParts = 0 } = judge;
  const { catalogue, catalogueVersion } = await presentCatalogue(visit, deps);
  const taken = corrects && resolveColumns(catalogue, deps.geography, { kind, columns: header, reported: corrects.request });
  const columns = taken && !taken.toChoose ? taken.columns : judge.columns;
  const fields = await checkColumns(deps, { organisationId: visit.person.organisationId, kind }, catalogueVersion, header, columns);
  return { columns, report: corrects && (await reportToJudge(deps, corrects, { folder: copy.folder, fields, mostParts })) };
}

/** Writes down the import's rejected rows, for the process that judges the report. */
async function reportToJudge(
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
  return { importId: found.request.importId, rowsPath, mostParts, decimal: decimalMarkOf(found.request) };
}

/** A correction replaces whole rows: what a lost column held would be lost in silence. */
async function expectColumns(deps: PortalDeps, found: CompletedImport, fields: readonly (string | undefined)[]): Promise<void> {
  const plain = (name: string) => (name.startsWith(customFieldPrefix) ? name.slice(customFieldPrefix.length) : name);
  const present = new Set(fields.flatMap((field) => (field === undefined ? [] : [plain(field)])));
  const lost = (await submittedColumns(found.position, found.request.source, deps.pool)).filter((name) => !present.has(plain(name)));
  if (lost.length > 0)
    throw new Rejection(
      "invalid",
      `The error report has lost column(s): ${lost.join(", ")}. Download it again, and keep all of its columns.`,
    );
}
