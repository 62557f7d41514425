import { acceptFile, readUploadHeader } from "../../../../commands/imports/acceptFile.js";
import { rejectWhenFull } from "../../../../commands/imports/importQueue.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import { send } from "../../../server/requestFrame.js";
import { answerInLines } from "../../lines.js";
import type { AnswerOf, FormOf, PortalDeps } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { inPlainForm } from "./inPlainForm.js";
import { type ReceivedForm, receiveForm, removeForm } from "./receiveForm.js";
import { reportedImport } from "./reportedImport.js";
import { prepareToSendReport, type SendReport } from "./sendReport.js";
import { uploadPage, uploadPath } from "./uploadPage.js";

/** As for the API's pushes: all store calls together. */
const withinMs = 4_200;

const importPath = (importId: string) => `/portal/imports/${importId}`;

/** The plain form, for a browser without scripts: it uploads, and leads to the import. */
export const uploadForm: FormOf<SignedInVisit> = {
  path: uploadPath,
  access: "operate",
  page: uploadPage,
  body: "upload",
  submit: async (visit, _, deps) => {
    const taken = await takeUpload(visit, deps);
    if ("importId" in taken) return { goTo: importPath(taken.importId) };
    const sendReport = (signal: AbortSignal) => taken.sendReport(() => undefined, signal);
    const sent = await inPlainForm([deps.closing], tooSlowWithoutScripts, sendReport).finally(taken.end);
    return "goTo" in sent ? sent : { title: "Upload a file", body: sent.outcome };
  },
};

const tooSlowWithoutScripts =
  "The report could not be checked soon enough. Upload it with scripts turned on, or send its rows in several files";

/** The same for the page's script, which shows how far the file is and goes to the import itself. */
export const uploadAnswer: AnswerOf<SignedInVisit> = {
  method: "POST",
  path: `${uploadPath}/send`,
  access: "operate",
  body: "upload",
  answer: async (visit, deps) => {
    const { context, links } = visit;
    const taken = await takeUpload(visit, deps);
    if ("importId" in taken)
      return send(context, { status: 202, body: { importId: taken.importId, goTo: links.to(importPath(taken.importId)) } });
    return answerInLines(visit, deps, async (say, signal) => {
      const sent = await taken.sendReport(say, signal).finally(taken.end);
      return "goTo" in sent ? { goTo: links.to(sent.goTo) } : { html: String(sent.outcome) };
    });
  },
};

type Taken = { readonly importId: string } | { readonly sendReport: SendReport; readonly end: () => Promise<void> };

/** An ordinary file is stored and queued at once. An error report is judged first, and goes in as a correction. */
async function takeUpload(visit: SignedInVisit, deps: PortalDeps): Promise<Taken> {
  const { organisationId, memberId } = visit.person;
  const { now } = await presentOf(deps.pool, organisationId);
  const { maxQueuedImports } = deps.limits;
  await rejectWhenFull({ ...deps, maxQueuedImports }, { organisationId, now, idempotencyKey: undefined, withinMs });
  const form = await receiveForm(visit, deps);
  let leave = () => undefined as unknown;
  const end = async () => {
    leave();
    await removeForm(form);
  };
  try {
    const header = await readUploadHeader(deps, organisationId, form.upload);
    const found = await reportedImport(deps, visit, form, header);
    if (found) {
      leave = deps.fileChecks.enter(memberId);
      return { sendReport: await prepareToSendReport(visit, deps, { form, header, found }), end };
    }
    const importId = await acceptForm(visit, deps, form, header);
    await end();
    return { importId };
  } catch (error) {
    await end();
    throw error;
  }
}

async function acceptForm(visit: SignedInVisit, deps: PortalDeps, form: ReceivedForm, header: FileHeader): Promise<string> {
  const { organisationId, by } = visit.person;
  const { kind, upload, idempotencyKey } = form;
  const { catalogueVersion, now } = await presentOf(deps.pool, organisationId);
  const { path, name, size, sha256, sourceDetails } = upload;
  const { importId } = await acceptFile(
    { ...deps, maxQueuedImports: deps.limits.maxQueuedImports },
    {
      ...{ organisationId, kind, by, sourceDetails, idempotencyKey, now, catalogueVersion, withinMs, header },
      requestId: visit.requestId,
      file: { path, name, size, sha256 },
    },
  );
  return importId;
}
