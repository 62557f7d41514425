import { readUploadHeader } from "../../../../commands/imports/uploadHeader.js";
import { reportIn } from "../../../../domain/files/reportFile.js";
import { answerInLines } from "../../lines.js";
import type { AnswerOf } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { checkOutcome } from "./checkOutcome.js";
import { prepareToJudge } from "./judgeUpload.js";
import { type ReceivedForm, receiveForm, removeForm } from "./receiveForm.js";
import { reportedImport } from "./reportedImport.js";
import { uploadPath } from "./uploadPage.js";

/** Judges the whole file as its import would, and records nothing. */
export const checkAnswer: AnswerOf<SignedInVisit> = {
  method: "POST",
  path: `${uploadPath}/check`,
  access: "operate",
  body: "upload",
  answer: async (visit, deps) => {
    const leave = deps.fileChecks.enter(visit.person.memberId);
    let form: ReceivedForm | undefined;
    const end = async () => {
      leave();
      if (form) await removeForm(form);
    };
    try {
      form = await receiveForm(visit, deps);
      const { kind, upload } = form;
      const header = await readUploadHeader(deps, visit.person.organisationId, upload);
      const found = await reportedImport(deps, visit, form, header);
      const report = reportIn({ ...header, name: upload.name });
      const ofUnknown = report !== undefined && report.importId === undefined;
      const judge = await prepareToJudge(visit, deps, { form, header, corrects: found && { found, mostParts: 0 } });
      return answerInLines(visit, deps, async (send, signal) => {
        try {
          const judged = await judge(send, signal);
          return { html: checkOutcome({ visit, name: upload.name, kind, ...judged, reported: found?.request, ofUnknown }) };
        } finally {
          await end();
        }
      });
    } catch (error) {
      await end();
      throw error;
    }
  },
};
