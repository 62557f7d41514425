import { type Deadline, deadlineIn } from "../../../../commands/deadline.js";
import { acceptFile, readUploadHeader } from "../../../../commands/imports/acceptFile.js";
import { rejectWhenFull } from "../../../../commands/imports/importQueue.js";
import type { ImportColumns } from "../../../../events/importEvents.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import { send } from "../../../server/requestFrame.js";
import { answerInLines } from "../../lines.js";
import type { AnswerOf, FormOf, PortalDeps, SignedInVisit } from "../../page.js";
import { importPath } from "../imports/status.js";
import { columnsOfFile, keepToChoose } from "./columns/columnsOfFile.js";
import { ofReportedKind, reportedImport } from "./judgeUpload.js";
import { inPlainForm, type ReceivedForm, receiveForm, removeForm } from "./receiveForm.js";
import { type Question, toAskAbout, UploadQuestion } from "./sameUpload.js";
import { prepareToSendReport, type SendReport } from "./sendReport.js";
import { uploadPage, uploadPath, uploadWith } from "./uploadPage.js";

/** As for the API's pushes: all store calls together. */
const withinMs = 4_200;

/** The plain form, for a browser without scripts: it uploads, and leads to the import. */
export const uploadForm: FormOf<SignedInVisit> = {
  path: uploadPath,
  access: "operate",
  page: uploadPage,
  body: "upload",
  submit: async (visit, _, deps) => {
    const taken = await takeUpload(visit, deps);
    if ("importId" in taken) return { goTo: importPath(taken.importId) };
    if ("question" in taken) return uploadWith(visit, { question: taken.question });
    if ("goTo" in taken) return taken;
    const sendReport = (signal: AbortSignal) => taken.sendReport(() => undefined, signal);
    const sent = await inPlainForm([deps.closing], tooSlowWithoutScripts, sendReport).finally(taken.end);
    return "goTo" in sent ? sent : { title: "Upload a file", body: sent.outcome };
  },
};

const tooSlowWithoutScripts = "Checking this report takes too long without JavaScript. Turn on JavaScript, or split the file";

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
    if ("goTo" in taken) return answerInLines(visit, deps, async () => ({ goTo: links.to(taken.goTo) }));
    if ("question" in taken) {
      const html = String(<UploadQuestion {...taken.question} />);
      return answerInLines(visit, deps, async () => ({ html }));
    }
    return answerInLines(visit, deps, async (say, signal) => {
      const sent = await taken.sendReport(say, signal).finally(taken.end);
      return "goTo" in sent ? { goTo: links.to(sent.goTo) } : { html: String(sent.outcome) };
    });
  },
};

type Taken =
  | { readonly importId: string }
  | { readonly question: Question }
  /** The page on which its columns are chosen. */
  | { readonly goTo: string }
  | { readonly sendReport: SendReport; readonly end: () => Promise<void> };

/**
 * An ordinary file is stored and queued at once; the person is asked first if it was sent before. An error report is judged first, and goes in as
 * a correction.
 */
async function takeUpload(visit: SignedInVisit, deps: PortalDeps): Promise<Taken> {
  const { organisationId, memberId } = visit.person;
  const { now } = await presentOf(deps.pool, organisationId);
  const { maxQueuedImports } = deps.limits;
  await rejectWhenFull({ ...deps, maxQueuedImports }, { organisationId, now, idempotencyKey: undefined, withinMs });
  let form = await receiveForm(visit, deps);
  let leave = () => undefined as unknown;
  const end = async () => {
    leave();
    await removeForm(form);
  };
  try {
    const header = await readUploadHeader(deps, organisationId, form.upload);
    const found = await reportedImport(deps, visit, form, header);
    form = ofReportedKind(form, found);
    const chosen = await columnsOfFile(visit, deps, { form, header, reported: found?.request });
    if (chosen.toChoose) {
      const goTo = await keepToChoose(visit, deps, { form, header });
      await end();
      return { goTo };
    }
    const { columns } = chosen;
    if (found) {
      leave = deps.fileChecks.enter(memberId);
      return { sendReport: await prepareToSendReport(visit, deps, { form, header, found, columns }), end };
    }
    const deadline = deadlineIn(withinMs);
    const earlier = await toAskAbout(visit, deps, form, deadline);
    const taken = earlier
      ? { question: { visit, form, earlier } }
      : { importId: await acceptForm(visit, deps, { form, header, columns, deadline }) };
    await end();
    return taken;
  } catch (error) {
    await end();
    throw error;
  }
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
