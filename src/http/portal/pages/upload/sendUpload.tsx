import { setTimeout as pause } from "node:timers/promises";
import { type Deadline, deadlineIn } from "../../../../commands/deadline.js";
import { acceptFile, readUploadHeader } from "../../../../commands/imports/acceptFile.js";
import { rejectWhenFull } from "../../../../commands/imports/importQueue.js";
import { dropChecked, type KeptFile, keptFile, releaseFile } from "../../../../commands/imports/keptFiles.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { ImportColumns } from "../../../../events/importEvents.js";
import { TooBusy } from "../../../../portErrors.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import { send } from "../../../server/requestFrame.js";
import { type Fields, fieldsInJson } from "../../fields.js";
import { answerInLines } from "../../lines.js";
import type { AnswerOf, Done, FormOf, PortalDeps, Shown, SignedInVisit } from "../../page.js";
import { importPath } from "../imports/status.js";
import { columnsOfFile, keepToChoose } from "./columns/columnsOfFile.js";
import { fetchKept, noLongerKept } from "./fetchKept.js";
import { ofReportedKind, reportedImport } from "./judgeUpload.js";
import { keepChecked } from "./keepChecked.js";
import { SheetsQuestion, type SheetsQuestionProps } from "./notesOnFile.js";
import { keptPath, sendKeptPath, uploadPath } from "./paths.js";
import { inPlainForm, type ReceivedForm, receiveForm, removeForm } from "./receiveForm.js";
import { type Question, toAskAbout, UploadQuestion } from "./sameUpload.js";
import { prepareToSendReport, type SendReport } from "./sendReport.js";
import { uploadPage, uploadWith } from "./uploadPage.js";

/** As for the API's pushes: all store calls together. */
const withinMs = 4_200;

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

const tooSlowWithoutScripts = "Checking this report takes too long without JavaScript. Turn on JavaScript, or split the file";

async function shownAfter(visit: SignedInVisit, deps: PortalDeps, taken: Taken): Promise<Done | Shown> {
  if ("importId" in taken) return { goTo: importPath(taken.importId) };
  if ("question" in taken) return uploadWith(visit, { question: taken.question });
  if ("sheets" in taken) return uploadWith(visit, { sheets: taken.sheets });
  if ("goTo" in taken) return taken;
  const sendReport = (signal: AbortSignal) => taken.sendReport(() => undefined, signal);
  const sent = await inPlainForm([deps.closing], tooSlowWithoutScripts, sendReport).finally(taken.end);
  return "goTo" in sent ? sent : { title: "Upload a file", body: sent.outcome };
}

async function answerAfter(visit: SignedInVisit, deps: PortalDeps, taken: Taken): Promise<Response> {
  const { context, links } = visit;
  if ("importId" in taken)
    return send(context, { status: 202, body: { importId: taken.importId, goTo: links.to(importPath(taken.importId)) } });
  if ("goTo" in taken) return answerInLines(visit, deps, async () => ({ goTo: links.to(taken.goTo) }));
  if ("question" in taken) {
    const html = String(<UploadQuestion {...taken.question} />);
    return answerInLines(visit, deps, async () => ({ html }));
  }
  if ("sheets" in taken) return answerInLines(visit, deps, async () => ({ html: String(<SheetsQuestion {...taken.sheets} />) }));
  return answerInLines(visit, deps, async (say, signal) => {
    const sent = await taken.sendReport(say, signal).finally(taken.end);
    return "goTo" in sent ? { goTo: links.to(sent.goTo) } : { html: String(sent.outcome) };
  });
}

type Taken =
  | { readonly importId: string }
  | { readonly question: Question }
  /** Rows of the file's other sheets are not read: the person is asked first. */
  | { readonly sheets: SheetsQuestionProps }
  /** The page on which its columns are chosen. */
  | { readonly goTo: string }
  | { readonly sendReport: SendReport; readonly end: () => Promise<void> };

async function takeUpload(visit: SignedInVisit, deps: PortalDeps): Promise<Taken> {
  await expectRoom(visit, deps);
  const form = await receiveForm(visit, deps);
  const taken = await takeFile(visit, deps, { form });
  if ("importId" in taken && form.checked !== "") await dropChecked(deps, visit.person.organisationId, form.checked);
  return taken;
}

async function takeKept(visit: SignedInVisit, deps: PortalDeps, fields: Fields): Promise<Taken> {
  const { organisationId, memberId } = visit.person;
  const find = () => keptFile(deps.pool, organisationId, fields.get("file"));
  const kept = await find();
  if (!kept?.checked) throw new Rejection("notFound", noLongerKept);
  if (kept.importId) return { importId: kept.importId };
  await expectRoom(visit, deps);
  let leave: () => unknown;
  try {
    leave = deps.fileChecks.enter(memberId);
  } catch (error) {
    // Probably the button was pressed twice. The first press uploads the file, and both lead to its import.
    const importId = await waitFor(async () => (await find())?.importId ?? undefined);
    if (importId === undefined) throw error;
    return { importId };
  }
  try {
    const form = await fetchKept(deps, kept, fields.get("again"));
    const taken = await takeFile(visit, deps, { form, kept: { file: kept, columns: kept.checked.columns, leave } });
    if ("importId" in taken) await releaseFile(deps, kept, taken.importId);
    if (!("sendReport" in taken)) leave();
    return taken;
  } catch (error) {
    leave();
    throw error;
  }
}

async function expectRoom({ person: { organisationId } }: SignedInVisit, deps: PortalDeps): Promise<void> {
  const { now } = await presentOf(deps.pool, organisationId);
  const { maxQueuedImports } = deps.limits;
  await rejectWhenFull({ ...deps, maxQueuedImports }, { organisationId, now, idempotencyKey: undefined, withinMs });
}

interface FileToTake {
  /** Its folder is removed. */
  readonly form: ReceivedForm;
  /** Set for a file that was checked: it is taken as it was then. `leave` ends the member's place among the checks. */
  readonly kept?: { readonly file: KeptFile; readonly columns: ImportColumns | undefined; readonly leave: () => unknown };
}

/**
 * An ordinary file is stored and queued at once; the person is asked first if it was sent before, or has rows that are not read. An error report is judged first, and goes in as
 * a correction.
 */
async function takeFile(visit: SignedInVisit, deps: PortalDeps, { form: received, kept }: FileToTake): Promise<Taken> {
  const { organisationId, memberId } = visit.person;
  let form = received;
  let leave = kept?.leave ?? (() => undefined as unknown);
  const end = async () => {
    leave();
    await removeForm(form);
  };
  try {
    const header = await readUploadHeader(deps, organisationId, form.upload);
    const found = await reportedImport(deps, visit, form, header);
    form = ofReportedKind(form, found);
    const chosen = kept
      ? { toChoose: false as const, columns: kept.columns }
      : await columnsOfFile(visit, deps, { form, header, reported: found?.request });
    if (chosen.toChoose) {
      const goTo = await keepToChoose(visit, deps, { form, header });
      await end();
      return { goTo };
    }
    const { columns } = chosen;
    if (!kept && header.otherSheets?.length) {
      const fileId = await keepChecked(visit, deps, { form, header, columns });
      if (fileId === undefined) throw new TooBusy("The file could not be kept. Try again shortly");
      await end();
      return { sheets: { visit, name: form.upload.name, notes: header.notes, fileId } };
    }
    if (found) {
      leave = kept?.leave ?? deps.fileChecks.enter(memberId);
      return { sendReport: await prepareToSendReport(visit, deps, { form, header, found, columns }), end };
    }
    const deadline = deadlineIn(withinMs);
    const earlier = await toAskAbout(visit, deps, form, deadline);
    const taken = earlier
      ? { question: { visit, form, earlier, fileId: kept?.file.fileId } }
      : { importId: await acceptForm(visit, deps, { form, header, columns, deadline }) };
    await end();
    return taken;
  } catch (error) {
    await end();
    throw error;
  }
}

const lookMs = 100;

/** Looks again until it is found, for as long as all store calls together may take. */
async function waitFor(find: () => Promise<string | undefined>): Promise<string | undefined> {
  for (const end = performance.now() + withinMs; performance.now() < end; ) {
    const found = await find();
    if (found !== undefined) return found;
    await pause(lookMs);
  }
  return undefined;
}

interface Accepted {
  readonly form: ReceivedForm;
  readonly header: FileHeader;
  readonly columns: ImportColumns | undefined;
  readonly deadline: Deadline;
}

async function acceptForm(visit: SignedInVisit, deps: PortalDeps, { form, header, columns, deadline }: Accepted): Promise<string> {
  const { organisationId, by } = visit.person;
  const { kind, upload, idempotencyKey } = form;
  const { catalogueVersion, now } = await presentOf(deps.pool, organisationId);
  const { path, name, size, sha256, sourceDetails } = upload;
  const { importId } = await acceptFile(
    { ...deps, maxQueuedImports: deps.limits.maxQueuedImports },
    {
      organisationId,
      kind,
      by,
      sourceDetails,
      idempotencyKey,
      now,
      catalogueVersion,
      withinMs: deadline.leftMs(),
      header,
      columns,
      requestId: visit.requestId,
      file: { path, name, size, sha256 },
    },
  );
  return importId;
}
