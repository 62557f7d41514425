// Reads and judges the file of a draft in a process of its own. The rows that would be rejected are downloaded as a workbook like an error report:
// the file is judged once more for it, since only the file was kept.
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
import { existingShipments } from "../../../../queries/shipments/shipmentLedger.js";
import { download, type Pieces, tableFormats } from "../../downloads.js";
import { pageLeft } from "../../lines.js";
import { defineAnswer, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { redirect } from "../../pageResponse.js";
import { presentCatalogue } from "../customers.js";
import { importPath } from "../imports/importStatus.js";
import { type DraftAtWork, fetchDraftCopy, problemRowsPath, requireDraft } from "./drafts.js";

interface Check {
  /** Whether to read how its dates and numbers are written. */
  readonly read: boolean;
  readonly judge?:
    | (Pick<FileToJudge, "rejectedTo" | "mostRows"> & {
        readonly columns?: ImportColumns | undefined;
        /** Where the file is an error report: the import whose rows it corrects, and how many imports it may become. */
        readonly corrects?: ImportToCorrect;
        readonly mostParts?: number;
      })
    | undefined;
}

/** Refuses a header row that does not fit. Judges nothing where the file is only to be read, or has too many rows. */
export async function checkDraft(work: DraftAtWork, { read, judge }: Check) {
  const { visit, deps, draft, copy, say, signal } = work;
  const { organisationId } = visit.person;
  const { name, format } = draft.file;
  const { now, catalogue } = await presentCatalogue(visit, deps);
  const verb = judge ? "Checking" : "Reading";
  say({ share: 0, text: judge ? "Waiting to check" : "Waiting to read" });
  let replaced = 0;
  const { evidence, checked } = await deps.fileChecks.run(
    {
      organisationId,
      file: { path: copy.path, name, format },
      read,
      judge: judge && {
        ...judge,
        kind: draft.kind,
        folder: copy.folder,
        catalogue: catalogue.file,
        ...(await judgedAs(work, judge)),
      },
    },
    {
      signal,
      progress: (share) => (share < 1 ? say({ share, text: `${verb}: ${Math.floor(share * 100)} %` }) : undefined),
      answers: {
        ...usualFiguresFromLedger(organisationId, { at: now, limits: unusualLimits }, deps.pool),
        async shipments(ids) {
          if (judge?.rejectedTo === undefined) replaced += await existingShipments(organisationId, ids, deps.pool);
        },
      },
    },
  );
  return { evidence, checked: checked && { ...checked, replaced } };
}

/** What its columns are taken for, after a look at the header row; and for an error report, the rows that it is about. */
async function judgedAs({ visit, deps, draft: { kind, columns: header }, copy }: DraftAtWork, judge: NonNullable<Check["judge"]>) {
  const { corrects, mostParts = 0 } = judge;
  const { catalogue, catalogueVersion } = await presentCatalogue(visit, deps);
  const taken = corrects && resolveColumns(catalogue, deps.geography, { kind, columns: header, reported: corrects.request });
  const columns = taken && !taken.toChoose ? taken.columns : judge.columns;
  const fields = await checkColumns(deps, { organisationId: visit.person.organisationId, kind }, catalogueVersion, header, columns);
  return { columns, report: corrects && (await reportToJudge(deps, corrects, copy.folder, fields, mostParts)) };
}

/** The field of each column; undefined for one that is left out. */
type FieldsOfHeader = readonly (string | undefined)[];

/** Writes down the import's rejected rows, for the process that judges the report. */
async function reportToJudge(deps: PortalDeps, found: ImportToCorrect, folder: string, fields: FieldsOfHeader, mostParts: number) {
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
async function expectColumns(deps: PortalDeps, found: ImportToCorrect, fields: FieldsOfHeader): Promise<void> {
  const plain = (name: string) => (name.startsWith(customFieldPrefix) ? name.slice(customFieldPrefix.length) : name);
  const present = new Set(fields.flatMap((field) => (field === undefined ? [] : [plain(field)])));
  const lost = (await submittedColumns(found.position, found.request.source, deps.pool)).filter((name) => !present.has(plain(name)));
  if (lost.length > 0)
    throw new Rejection(
      "invalid",
      `The error report has lost column(s): ${lost.join(", ")}. Download it again, and keep all of its columns.`,
    );
}

/** Without the name of the file: an import's id in it would make the workbook a correction of that import. */
const name = "problem-rows.xlsx";

export const problemRowsAnswer = defineAnswer(problemRowsPath(), "operate", async (visit, deps) => {
  const draft = await requireDraft(visit, deps);
  // The import has an error report of its own.
  if (draft.importId) return redirect(visit.context, visit.links.to(importPath(draft.importId)), 302);
  return download(visit, deps.downloads, { name, contentType: tableFormats.xlsx, pieces: () => piecesOf(visit, deps, draft) });
});

async function* piecesOf(visit: SignedInVisit, deps: PortalDeps, draft: KeptFile): Pieces {
  const leave = deps.fileChecks.enter(visit.person.memberId);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, pageLeft(visit.context).signal, deps.closing]);
  let copy: DraftAtWork["copy"] | undefined;
  let judging: Promise<unknown> | undefined;
  try {
    copy = await fetchDraftCopy(deps, draft);
    const rejectedTo = join(copy.folder, "rejected.xlsx");
    const work = { visit, deps, draft, copy, say: () => undefined, signal };
    judging = checkDraft(work, { read: false, judge: { columns: draft.checked.columns, rejectedTo } }).finally(leave);
    yield Buffer.from(""); // the download begins: its process may wait for others, or start slowly, for longer than an answer is waited for
    yield* growing(rejectedTo, judging, signal);
  } finally {
    stop.abort(new Error("the download has ended"));
    await judging?.catch(() => undefined); // its process writes to the folder
    leave();
    if (copy) await rm(copy.folder, { recursive: true, force: true });
  }
}

const pieceBytes = 64 * 1024;
const lookMs = 50;

/** The file as it is written, up to its end: `written` settles when it is complete. */
async function* growing(path: string, written: Promise<unknown>, signal: AbortSignal): Pieces {
  let isWritten = false;
  const whenWritten = written.then(() => {
    isWritten = true;
  });
  whenWritten.catch(() => undefined);
  const more = () => Promise.race([whenWritten, pause(lookMs, undefined, { signal })]);
  let file: Awaited<ReturnType<typeof open>> | undefined;
  try {
    for (;;) {
      const isLast = isWritten; // before the reading: what is written meanwhile is read the next time
      file ??= await open(path).catch(() => undefined);
      const buffer = Buffer.allocUnsafe(pieceBytes);
      const { bytesRead } = (await file?.read(buffer, 0, pieceBytes)) ?? { bytesRead: 0 };
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      else if (isLast) return;
      else await more();
    }
  } finally {
    await file?.close();
  }
}
