import { createHash } from "node:crypto";
import type { Child } from "hono/jsx";
import { expectOpen } from "../../../../commands/corrections/openRows.js";
import { type CompletedImport, expectWholeShipments } from "../../../../commands/corrections/rowsMeant.js";
import { type Deadline, deadlineIn } from "../../../../commands/deadline.js";
import { acceptFile, readUploadHeader } from "../../../../commands/imports/acceptFile.js";
import { freePlaces, rejectWhenFull } from "../../../../commands/imports/importQueue.js";
import type { CorrectionPart } from "../../../../commands/imports/judging/fileChecks.js";
import { requestImport } from "../../../../commands/imports/requestImport.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import { send } from "../../../server/requestFrame.js";
import { answerInLines, type Line } from "../../lines.js";
import type { AnswerOf, FormOf, PortalDeps, SignedInVisit } from "../../page.js";
import { importPath } from "../imports/status.js";
import { prepareToJudge, reportedImport } from "./judgeUpload.js";
import { ReportSent } from "./outcomes.js";
import { inPlainForm, type ReceivedForm, receiveForm, removeForm } from "./receiveForm.js";
import { type Question, toAskAbout, UploadQuestion } from "./sameUpload.js";
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
    const deadline = deadlineIn(withinMs);
    const earlier = await toAskAbout(visit, deps, form, deadline);
    const taken = earlier
      ? { question: { visit, form, earlier } }
      : { importId: await acceptForm(visit, deps, { form, header, deadline }) };
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
  readonly deadline: Deadline;
}

async function acceptForm(visit: SignedInVisit, deps: PortalDeps, { form, header, deadline }: Accepted): Promise<string> {
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
      requestId: visit.requestId,
      file: { path, name, size, sha256 },
    },
  );
  return importId;
}

/** Leads to the import if the whole report was sent as one; otherwise says what was sent and what was not. */
export type SendReport = (
  say: (line: Line) => void,
  signal: AbortSignal,
) => Promise<{ readonly goTo: string } | { readonly outcome: Child }>;

interface Report {
  readonly form: ReceivedForm;
  readonly header: FileHeader;
  readonly found: CompletedImport;
}

/** The most imports that one upload becomes, however many places are free in the queue. */
const mostParts = 20;

/** Sends the rows that are open and that today's rules accept. The other rows stay open, so that the same report can be corrected and sent again. */
export async function prepareToSendReport(visit: SignedInVisit, deps: PortalDeps, report: Report): Promise<SendReport> {
  const { form, header, found } = report;
  const { organisationId } = visit.person;
  const free = await freePlaces(deps.pool, organisationId, deps.limits.maxQueuedImports);
  const judge = await prepareToJudge(visit, deps, { form, header, corrects: { found, mostParts: Math.max(1, Math.min(free, mostParts)) } });
  return async (say, signal) => {
    const { checked } = await judge(say, signal);
    const parts = checked.report?.parts ?? [];
    const sent: string[] = [];
    for (const [index, part] of parts.entries()) {
      signal.throwIfAborted();
      await visit.stillAllowed(); // judging the report may have taken minutes
      say({ share: index / parts.length, text: `Sending part ${index + 1} of ${parts.length}` });
      try {
        sent.push(await sendPart(visit, deps, report, { part, index, count: parts.length }));
      } catch (error) {
        // The parts that were sent stay sent. The other rows stay open, and the page says so.
        if (!(error instanceof Rejection) || sent.length === 0) throw error;
        return { outcome: <ReportSent visit={visit} found={found} checked={checked} sent={sent} refused={error.message} /> };
      }
    }
    const [only] = sent;
    if (only !== undefined && sent.length === 1 && checked.rejected === 0) return { goTo: importPath(only) };
    return { outcome: <ReportSent visit={visit} found={found} checked={checked} sent={sent} /> };
  };
}

interface Part {
  readonly part: CorrectionPart;
  readonly index: number;
  readonly count: number;
}

async function sendPart(visit: SignedInVisit, deps: PortalDeps, { form, found }: Report, { part, index, count }: Part): Promise<string> {
  const { organisationId, by } = visit.person;
  const { kind, upload, idempotencyKey } = form;
  const { path, size, sha256, rows, elements } = part;
  const { importId: corrected } = found.request;
  const { now } = await presentOf(deps.pool, organisationId);
  const given = upload.sourceDetails === upload.name ? `Correction of import ${corrected}` : upload.sourceDetails;
  const numbered = count === 1 ? "" : ` (${index + 1} of ${count})`;
  const check = async () => {
    await expectWholeShipments(deps.pool, found, rows);
    await expectOpen(deps, found, rows);
  };
  const { importId } = await requestImport(
    { ...deps, maxQueuedImports: deps.limits.maxQueuedImports },
    {
      organisationId,
      kind,
      by,
      now,
      withinMs,
      elements,
      check,
      source: "data",
      sourceDetails: `${[...given].slice(0, limits.sourceDetailsLength - numbered.length).join("")}${numbered}`,
      file: { path, name: `${kind}.csv`, format: "csv", size, sha256 },
      corrects: { importId: corrected, rows: [...rows] },
      sent: { sha256: upload.sha256, sourceDetails: upload.sourceDetails },
      requestId: visit.requestId,
      // The rows are part of the key: a second attempt, when some rows are sent already, is another correction.
      idempotencyKey: `${idempotencyKey}-${createHash("sha256").update(rows.join()).digest("hex")}`,
    },
  );
  return importId;
}
