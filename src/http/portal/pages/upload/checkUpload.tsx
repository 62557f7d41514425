import { loadReversed } from "../../../../commands/corrections/reversedRows.js";
import { readUploadHeader } from "../../../../commands/imports/acceptFile.js";
import { reportIn } from "../../../../domain/files/header.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { answerInLines, type Line, pageLeft } from "../../lines.js";
import type { AnswerOf, FormOf, PortalDeps, SignedInVisit } from "../../page.js";
import { columnsOfFile, isContradicted, keepToChoose, readFileEvidence } from "./columns/columnsOfFile.js";
import { prepareToJudge, reportedImport, withKind } from "./judgeUpload.js";
import { keepChecked } from "./keepChecked.js";
import { CheckOutcome, type Outcome } from "./outcomes.js";
import { checkPath, plainCheckPath } from "./paths.js";
import { inPlainForm, receiveForm, removeForm, type SentForm } from "./receiveForm.js";
import { sentBefore } from "./sameUpload.js";
import { uploadPage, uploadWith } from "./uploadPage.js";

/** Judges the whole file as its import would, and records nothing. */
export const checkAnswer: AnswerOf<SignedInVisit> = {
  method: "POST",
  path: checkPath,
  access: "operate",
  body: "upload",
  answer: async (visit, deps) => {
    const check = await prepareToCheck(visit, deps);
    return answerInLines(visit, deps, async (send, signal) => {
      const found = await check(send, signal);
      return "goTo" in found ? { goTo: visit.links.to(found.goTo) } : { html: String(<CheckOutcome {...found} />) };
    });
  },
};

const tooSlowWithoutScripts = "Checking this file takes too long without JavaScript. Turn on JavaScript, or split the file";

/** The same for a browser without scripts. */
export const checkForm: FormOf<SignedInVisit> = {
  path: plainCheckPath,
  access: "operate",
  page: uploadPage,
  body: "upload",
  submit: async (visit, _, deps) => {
    const check = await prepareToCheck(visit, deps);
    const ends = [deps.closing, pageLeft(visit.context).signal];
    const found = await inPlainForm(ends, tooSlowWithoutScripts, (signal) => check(() => undefined, signal));
    return "goTo" in found ? found : uploadWith(visit, { outcome: found });
  },
};

/** What it found, or the page on which the file's columns are chosen. */
type Check = (send: (line: Line) => void, signal: AbortSignal) => Promise<Outcome | { readonly goTo: string }>;

/**
 * Takes the file. What it returns is called once: it judges every row, and removes the file. The columns are to be chosen where the header row is
 * not ours, and where the file's dates or numbers contradict how they would be read.
 */
async function prepareToCheck(visit: SignedInVisit, deps: PortalDeps): Promise<Check> {
  const leave = deps.fileChecks.enter(visit.person.memberId);
  let received: SentForm | undefined;
  const end = async () => {
    leave();
    if (received) await removeForm(received);
  };
  const untilEnd =
    (check: Check): Check =>
    async (send, signal) => {
      try {
        return await check(send, signal);
      } finally {
        await end();
      }
    };
  try {
    received = await receiveForm(visit, deps);
    const { upload } = received;
    const header = await readUploadHeader(deps, visit.person.organisationId, upload);
    const found = await reportedImport(deps, visit, received, header);
    const form = await withKind(visit, deps, received, { header, found });
    const { kind } = form;
    const taken = await columnsOfFile(visit, deps, { form, header, reported: found?.request });
    const file = { form, header };
    if (taken.toChoose)
      return untilEnd(async (send, signal) => ({
        goTo: await keepToChoose(visit, deps, file, await readFileEvidence(visit, deps, file, send, signal)),
      }));
    const { columns } = taken;
    const isWithdrawn = found !== undefined && (await loadReversed(deps.eventStore, found.request.importId)).all !== undefined;
    const report = reportIn({ ...header, name: upload.name });
    const ofUnknown = report !== undefined && report.importId === undefined;
    const earlier = found ? undefined : await sentBefore(visit, deps, form);
    const judge = await prepareToJudge(visit, deps, { form, header, columns, corrects: found && { found, mostParts: 0 } });
    const chosen = columns && !found ? { columns, nameOf: await principalNames(visit.person.organisationId, deps.pool) } : undefined;
    return untilEnd(async (send, signal) => {
      const evidence = found ? undefined : await readFileEvidence(visit, deps, file, send, signal);
      if (evidence && (await isContradicted(visit, deps, file, { columns, evidence })))
        return { goTo: await keepToChoose(visit, deps, file, evidence) };
      const judged = await judge(send, signal);
      const fileId = await keepChecked(visit, deps, { ...file, columns, evidence });
      return { visit, name: upload.name, kind, ...judged, reported: found?.request, isWithdrawn, ofUnknown, earlier, fileId, chosen };
    });
  } catch (error) {
    await end();
    throw error;
  }
}
