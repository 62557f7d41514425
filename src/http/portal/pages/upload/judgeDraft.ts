// Reads and judges the file of a draft in a separate process. Downloads the rows that would be rejected as a workbook like an error report.
// That download judges the file again, because only the file was kept.
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ImportToCorrect } from "../../../../commands/corrections/correctableRows.js";
import { rejectedRowStates } from "../../../../commands/corrections/openRows.js";
import { checkColumns } from "../../../../commands/imports/acceptFile.js";
import { resolveColumns } from "../../../../commands/imports/chosenColumns.js";
import type { KeptFile } from "../../../../commands/imports/keptFiles.js";
import { customFieldPrefix } from "../../../../domain/imports/fields.js";
import { unusualLimits } from "../../../../domain/imports/unusual.js";
import { Rejection } from "../../../../domain/rejection.js";
import { decimalMarkOf, type ImportColumns } from "../../../../events/importEvents.js";
import type { FileToJudge } from "../../../../judging/fileChecks.js";
import { submittedColumns } from "../../../../queries/lookUps/rejectedRows.js";
import { usualFiguresFromLedger } from "../../../../queries/lookUps/usualFiguresFromLedger.js";
import { countExistingShipments } from "../../../../queries/shipments/shipmentLedger.js";
import { download, type Pieces, tableFormats } from "../../downloads.js";
import { abortOnPageLeft } from "../../lines.js";
import { defineAnswer, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { redirect } from "../../pageResponse.js";
import { currentCatalogue } from "../customers.js";
import { importPath } from "../imports/importStatus.js";
import { type DraftAtWork, fetchDraftCopy, problemRowsPath, requireDraft } from "./drafts.js";

interface CheckOptions {
  /** Whether to collect evidence of how the file writes dates and numbers. */
  readonly wantsEvidence: boolean;
  readonly judge?:
    | (Pick<FileToJudge, "errorReportPath" | "maxRows"> & {
        readonly columns?: ImportColumns | undefined;
        /** For an error report: the import whose rows it corrects, and how many imports it may become. */
        readonly corrects?: ImportToCorrect;
        readonly maxParts?: number;
      })
    | undefined;
}

/** Refuses a header row that does not fit. Judges nothing without `judge`, or if the file has more rows than `judge.maxRows`. */
export async function checkDraft(work: DraftAtWork, { wantsEvidence, judge }: CheckOptions) {
  const { visit, deps, draft, copy, say, signal } = work;
  const { organisationId } = visit.person;
  const { name, format } = draft.file;
  const { now, catalogue } = await currentCatalogue(visit, deps);
  const verb = judge ? "Checking" : "Reading";
  say({ share: 0, text: judge ? "Waiting to check" : "Waiting to read" });
  let replaced = 0;
  const { evidence, checked } = await deps.fileChecks.run(
    {
      organisationId,
      file: { path: copy.path, name, format },
      wantsEvidence,
      judge: judge && {
        ...judge,
        kind: draft.kind,
        folder: copy.folder,
        catalogue: catalogue.file,
        ...(await judgeInput(work, judge)),
      },
    },
    {
      signal,
      progress: (share) => (share < 1 ? say({ share, text: `${verb}: ${Math.floor(share * 100)} %` }) : undefined),
      answers: {
        ...usualFiguresFromLedger(organisationId, { at: now, limits: unusualLimits }, deps.pool),
        async shipments(ids) {
          if (judge?.errorReportPath === undefined) replaced += await countExistingShipments(organisationId, ids, deps.pool);
        },
      },
    },
  );
  return { evidence, checked: checked && { ...checked, replaced } };
}

/** Checks the header row and resolves the columns. For an error report, also prepares the rows that it corrects. */
async function judgeInput({ visit, deps, draft: { kind, columns: header }, copy }: DraftAtWork, judge: NonNullable<CheckOptions["judge"]>) {
  const { corrects, maxParts = 0 } = judge;
  const { catalogue, catalogueVersion } = await currentCatalogue(visit, deps);
  const resolved = corrects && resolveColumns(catalogue, deps.geography, { kind, columns: header, reportedImport: corrects.request });
  const columns = resolved && !resolved.mustChoose ? resolved.columns : judge.columns;
  const fields = await checkColumns(deps, { organisationId: visit.person.organisationId, kind }, catalogueVersion, header, columns);
  return { columns, report: corrects && (await reportToJudge(deps, corrects, copy.folder, fields, maxParts)) };
}

/** The field of each column; undefined for a column that is not imported. */
type FieldsOfHeader = readonly (string | undefined)[];

/** Writes the import's rejected rows to a file for the process that judges the report. */
async function reportToJudge(deps: PortalDeps, corrects: ImportToCorrect, folder: string, fields: FieldsOfHeader, maxParts: number) {
  await expectAllColumns(deps, corrects, fields);
  const rowsPath = join(folder, "rejected");
  const file = await open(rowsPath, "w");
  try {
    for await (const rows of rejectedRowStates(deps, corrects))
      await file.writeFile(rows.map(({ row, handle, state, element }) => `${JSON.stringify([row, handle, state, element])}\n`).join(""));
  } finally {
    await file.close();
  }
  return { importId: corrects.request.importId, rowsPath, maxParts, decimal: decimalMarkOf(corrects.request) };
}

/** A correction replaces whole rows, so the values of a missing column would be lost silently. */
async function expectAllColumns(deps: PortalDeps, corrects: ImportToCorrect, fields: FieldsOfHeader): Promise<void> {
  const withoutPrefix = (name: string) => (name.startsWith(customFieldPrefix) ? name.slice(customFieldPrefix.length) : name);
  const names = new Set(fields.flatMap((field) => (field === undefined ? [] : [withoutPrefix(field)])));
  const { position, request } = corrects;
  const lostNames = (await submittedColumns(position, request.source, deps.pool)).filter((name) => !names.has(withoutPrefix(name)));
  if (lostNames.length > 0)
    throw new Rejection(
      "invalid",
      `The error report has lost column(s): ${lostNames.join(", ")}. Download it again, and keep all of its columns.`,
    );
}

/** Not the uploaded file's name: an import's id in that name would make the workbook a correction of that import. */
const workbookName = "problem-rows.xlsx";

export const problemRowsAnswer = defineAnswer(problemRowsPath(), "operate", async (visit, deps) => {
  const draft = await requireDraft(visit, deps);
  // The draft has become an import, which has its own error report.
  if (draft.importId) return redirect(visit.context, visit.links.to(importPath(draft.importId)), 302);
  const pieces = () => problemRowsPieces(visit, deps, draft);
  return download(visit, deps.downloads, { name: workbookName, contentType: tableFormats.xlsx, pieces });
});

async function* problemRowsPieces(visit: SignedInVisit, deps: PortalDeps, draft: KeptFile): Pieces {
  const leave = deps.fileChecks.enter(visit.person.memberId);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, abortOnPageLeft(visit.context).signal, deps.closing]);
  let copy: DraftAtWork["copy"] | undefined;
  let judging: Promise<unknown> | undefined;
  try {
    copy = await fetchDraftCopy(deps, draft);
    const errorReportPath = join(copy.folder, "rejected.xlsx");
    const work = { visit, deps, draft, copy, say: () => undefined, signal };
    judging = checkDraft(work, { wantsEvidence: false, judge: { columns: draft.checked.columns, errorReportPath } }).finally(leave);
    yield Buffer.from(""); // begins the download, because the judging may wait for longer than a browser waits for an answer
    yield* readWhileWritten(errorReportPath, judging, signal);
  } finally {
    stop.abort(new Error("the download has ended"));
    await judging?.catch(() => undefined); // the judging process writes to the folder until it ends
    leave();
    if (copy) await rm(copy.folder, { recursive: true, force: true });
  }
}

const pieceBytes = 64 * 1024;
const pollMs = 50;

/** Yields the file while it is being written. `written` settles once the file is complete. */
async function* readWhileWritten(path: string, written: Promise<unknown>, signal: AbortSignal): Pieces {
  let isWritten = false;
  const whenWritten = written.then(() => {
    isWritten = true;
  });
  whenWritten.catch(() => undefined);
  const waitForMore = () => Promise.race([whenWritten, pause(pollMs, undefined, { signal })]);
  let file: Awaited<ReturnType<typeof open>> | undefined;
  try {
    for (;;) {
      const isLast = isWritten; // before reading, so that what is written during the read is read the next time
      file ??= await open(path).catch(() => undefined);
      const buffer = Buffer.allocUnsafe(pieceBytes);
      const { bytesRead } = (await file?.read(buffer, 0, pieceBytes)) ?? { bytesRead: 0 };
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      else if (isLast) return;
      else await waitForMore();
    }
  } finally {
    await file?.close();
  }
}
