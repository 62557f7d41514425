import { readUploadHeader } from "../../../../commands/imports/acceptFile.js";
import { type KeptFile, keptFile, releaseFile } from "../../../../commands/imports/keptFiles.js";
import { rejectWhenFull } from "../../../../commands/imports/queue/places.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { ImportColumns } from "../../../../events/importEvents.js";
import { TooBusy } from "../../../../portErrors.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import { lookUntilFound } from "../../../../timeLimit.js";
import { send } from "../../../server/requestFrame.js";
import { type Fields, fieldsInJson } from "../../fields.js";
import { answerInLines, type Line, pageLeft } from "../../lines.js";
import type { AnswerOf, Done, FormOf, PortalDeps, Shown, SignedInVisit } from "../../page.js";
import { importPath } from "../imports/status.js";
import { askOrAccept, type EndedUpload, withinMs } from "./askOrAccept.js";
import { columnsOfFile } from "./columns/columnsOfFile.js";
import { fetchKept, noLongerKept } from "./fetchKept.js";
import { reportedImport, withKind } from "./judgeUpload.js";
import { keepChecked } from "./keepChecked.js";
import { SheetsQuestion } from "./notesOnFile.js";
import { keptPath, sendKeptPath, uploadPath } from "./paths.js";
import { readFirst, wasChecked } from "./readFirst.js";
import { inPlainForm, type ReceivedForm, receiveForm, removeForm, type SentForm } from "./receiveForm.js";
import { UploadQuestion } from "./sameUpload.js";
import { prepareToSendReport } from "./sendReport.js";
import { uploadPage, uploadWith } from "./uploadPage.js";

/** The plain form, for a browser without scripts: it uploads, and leads to the import. */
export const uploadForm: FormOf<SignedInVisit> = {
  path: uploadPath,
  access: "operate",
  page: uploadPage,
  body: "upload",
  submit: async (visit, _, deps) => shownAfter(visit, deps, await takeUpload(visit, deps)),
};

/** The same for the page's script, which shows how far the file is and goes to the import itself. */
export const uploadAnswer: AnswerOf<SignedInVisit> = {
  method: "POST",
  path: `${uploadPath}/send`,
  access: "operate",
  body: "upload",
  answer: async (visit, deps) => answerAfter(visit, deps, await takeUpload(visit, deps)),
};

/** A file that was checked and is kept since then: it is not sent again. */
export const keptForm: FormOf<SignedInVisit> = {
  path: keptPath,
  access: "operate",
  page: uploadPage,
  submit: async (visit, fields, deps) => shownAfter(visit, deps, await takeKept(visit, deps, fields)),
};

const mostBytes = 4_096;

export const keptAnswer: AnswerOf<SignedInVisit> = {
  method: "POST",
  path: sendKeptPath,
  access: "operate",
  body: { json: mostBytes },
  answer: async (visit, deps, body) => answerAfter(visit, deps, await takeKept(visit, deps, fieldsInJson(body))),
};

const tooSlowWithoutScripts = "Reading this file takes too long without JavaScript. Turn on JavaScript, or split the file";

async function shownAfter(visit: SignedInVisit, deps: PortalDeps, taken: Taken): Promise<Done | Shown> {
  if ("later" in taken) {
    const later = (signal: AbortSignal) => taken.later(() => undefined, signal);
    return shownAfter(visit, deps, await inPlainForm([deps.closing], tooSlowWithoutScripts, later).finally(taken.end));
  }
  if ("importId" in taken) return { goTo: importPath(taken.importId) };
  if ("question" in taken) return uploadWith(visit, { question: taken.question });
  return "goTo" in taken ? taken : { title: "Upload a file", body: taken.outcome };
}

async function answerAfter(visit: SignedInVisit, deps: PortalDeps, taken: Taken): Promise<Response> {
  if ("later" in taken)
    return answerInLines(visit, deps, async (say, signal) => lineOf(visit, await taken.later(say, signal).finally(taken.end)));
  if ("importId" in taken) return send(visit.context, { status: 202, body: lineOf(visit, taken) });
  return answerInLines(visit, deps, async () => lineOf(visit, taken));
}

function lineOf({ links }: SignedInVisit, taken: EndedUpload): Line {
  if ("importId" in taken) return { importId: taken.importId, goTo: links.to(importPath(taken.importId)) };
  if ("goTo" in taken) return { goTo: links.to(taken.goTo) };
  return { html: String("question" in taken ? <UploadQuestion {...taken.question} /> : taken.outcome) };
}

type Taken =
  | EndedUpload
  | { readonly later: (say: (line: Line) => void, signal: AbortSignal) => Promise<EndedUpload>; readonly end: () => Promise<void> };

async function takeUpload(visit: SignedInVisit, deps: PortalDeps): Promise<Taken> {
  await expectRoom(visit, deps);
  const form = await receiveForm(visit, deps);
  return takeFile(visit, deps, { form });
}

async function takeKept(visit: SignedInVisit, deps: PortalDeps, fields: Fields): Promise<Taken> {
  const { organisationId, memberId } = visit.person;
  const find = () => keptFile(organisationId, fields.get("file"), deps.pool);
  const kept = await find();
  if (!kept?.checked) throw new Rejection("notFound", noLongerKept);
  if (kept.importId) return { importId: kept.importId };
  await expectRoom(visit, deps);
  let leave: () => unknown;
  try {
    leave = deps.fileChecks.enter(memberId);
  } catch (error) {
    // Probably the button was pressed twice. The first press uploads the file, and both lead to its import.
    const importId = await lookUntilFound(withinMs, async () => (await find())?.importId ?? undefined);
    if (importId === undefined) throw error;
    return { importId };
  }
  try {
    const form = await fetchKept(deps, kept, fields.get("again"));
    const taken = await takeFile(visit, deps, { form, kept: { file: kept, columns: kept.checked.columns, leave } });
    if ("importId" in taken) await releaseFile(deps, kept, taken.importId);
    if (!("later" in taken)) leave();
    return taken;
  } catch (error) {
    leave();
    throw error;
  }
}

async function expectRoom({ person: { organisationId } }: SignedInVisit, deps: PortalDeps): Promise<void> {
  const { now } = await presentOf(organisationId, deps.pool);
  const { maxQueuedImports } = deps.limits;
  await rejectWhenFull({ ...deps, maxQueuedImports }, { organisationId, now, idempotencyKey: undefined, withinMs });
}

/** A smaller file is read before the answer begins, which is an import's or a refusal's then. */
const mostBytesAtOnce = 256 * 1024;
const tooBusy = "Too many files are being read at the moment, try again shortly";

interface FileToTake {
  /** Its folder is removed. */
  readonly form: SentForm;
  /** Set for a file that was checked: it is taken as it was then. `leave` ends the member's place among the checks. */
  readonly kept?: { readonly file: KeptFile; readonly columns: ImportColumns | undefined; readonly leave: () => unknown };
}

/**
 * An ordinary file is read, stored and queued; the person is asked first if it was sent before, has rows that are not read, or has numbers or
 * dates that can be read in two ways. An error report is judged first, and goes in as a correction.
 */
async function takeFile(visit: SignedInVisit, deps: PortalDeps, { form: received, kept }: FileToTake): Promise<Taken> {
  const { organisationId, memberId } = visit.person;
  let leave = kept?.leave ?? (() => undefined as unknown);
  const end = async () => {
    leave();
    await removeForm(received);
  };
  try {
    const header = await readUploadHeader(deps, organisationId, received.upload);
    const found = await reportedImport(deps, visit, received, header);
    const form = await withKind(visit, deps, received, { header, found });
    const file = { form, header };
    const chosen = kept
      ? { toChoose: false as const, columns: kept.columns }
      : await columnsOfFile(visit, deps, { ...file, reported: found?.request });
    const columns = chosen.toChoose ? undefined : chosen.columns;
    const hasMoreSheets = !kept && (header.otherSheets?.length ?? 0) > 0;
    const aboutSheets = () => askAboutSheets(visit, deps, { ...file, columns });
    if (found && hasMoreSheets) {
      const asked = await aboutSheets();
      await end();
      return asked;
    }
    if (found) {
      leave = kept?.leave ?? deps.fileChecks.enter(memberId);
      return { later: await prepareToSendReport(visit, deps, { ...file, found, columns }), end };
    }
    const goOn = () => (hasMoreSheets ? aboutSheets() : askOrAccept(visit, deps, { ...file, columns, fileId: kept?.file.fileId }));
    const isChecked = kept !== undefined || (!chosen.toChoose && (await wasChecked(visit, deps, form, columns)));
    const { toChoose } = chosen;
    const read = (say: (line: Line) => void, signal: AbortSignal) =>
      readFirst(visit, deps, { ...file, toChoose, columns, goOn }, say, signal);
    if (!isChecked && form.upload.size > mostBytesAtOnce) return { later: read, end };
    const ends = [deps.closing, pageLeft(visit.context).signal];
    const taken = await (isChecked ? goOn() : inPlainForm(ends, tooBusy, (signal) => read(() => undefined, signal)));
    await end();
    return taken;
  } catch (error) {
    await end();
    throw error;
  }
}

interface OtherSheets {
  readonly form: ReceivedForm;
  readonly header: FileHeader;
  readonly columns: ImportColumns | undefined;
}

/** Rows of the file's other sheets are not read: the file is kept, and the person is asked first. */
async function askAboutSheets(visit: SignedInVisit, deps: PortalDeps, file: OtherSheets): Promise<EndedUpload> {
  const fileId = await keepChecked(visit, deps, file);
  if (fileId === undefined) throw new TooBusy("The file could not be kept, try again shortly");
  const { form, header } = file;
  return { outcome: <SheetsQuestion visit={visit} name={form.upload.name} notes={header.notes} fileId={fileId} /> };
}
