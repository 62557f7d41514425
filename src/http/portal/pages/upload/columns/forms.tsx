// The forms of the page Columns, sent by a browser without scripts or by the page's script.

import { readUploadHeader } from "../../../../../commands/imports/acceptFile.js";
import { expectSoundChoice } from "../../../../../commands/imports/chosenColumns.js";
import type { KeptFile } from "../../../../../commands/imports/keptFiles.js";
import { rememberColumns } from "../../../../../commands/organisations/rememberColumns.js";
import type { ColumnChoice } from "../../../../../domain/imports/columns/choice.js";
import { numbersAgainst } from "../../../../../domain/imports/columns/evidence.js";
import { Rejection } from "../../../../../domain/rejection.js";
import { send } from "../../../../server/requestFrame.js";
import { type Fields, fieldsInJson, maxFormBytes } from "../../../fields.js";
import { answerInLines, pageLeft } from "../../../lines.js";
import { type AnswerOf, done, type FormOf, originOf, type PageOf, type PortalDeps, type SignedInVisit } from "../../../page.js";
import { presentCatalogue } from "../../customers.js";
import { importPath } from "../../imports/status.js";
import { noLongerKept } from "../fetchKept.js";
import { reportedImport, withKind } from "../judgeUpload.js";
import { CheckOutcome } from "../outcomes.js";
import { choosePath, uploadPath } from "../paths.js";
import { inPlainForm, receiveForm, removeForm } from "../receiveForm.js";
import { UploadQuestion } from "../sameUpload.js";
import { uploadPage } from "../uploadPage.js";
import { keepToChoose, readFileEvidence } from "./columnsOfFile.js";
import { checkKept, uploadKept } from "./keptUpload.js";
import { checkColumnsPath, columnsPage, columnsWith, fileColumnsPage, notFound, sendColumnsPath } from "./page.js";
import { readChoice } from "./readChoice.js";
import { type ColumnsSource, columnsSource } from "./source.js";

/** Takes a file to the page Columns, whether or not its header row is ours. */
export const chooseForm: FormOf<SignedInVisit> = {
  path: choosePath,
  access: "operate",
  page: uploadPage,
  body: "upload",
  submit: async (visit, _, deps) => {
    const received = await receiveForm(visit, deps);
    try {
      const header = await readUploadHeader(deps, visit.person.organisationId, received.upload);
      if (await reportedImport(deps, visit, received, header)) throw new Rejection("invalid", ownReport);
      const form = await withKind(visit, deps, received, { header, found: undefined });
      const file = { form, header };
      const ends = [deps.closing, pageLeft(visit.context).signal];
      const evidence = await inPlainForm(ends, tooLarge, (signal) => readFileEvidence(visit, deps, file, () => undefined, signal));
      return { goTo: await keepToChoose(visit, deps, file, evidence) };
    } finally {
      await removeForm(received);
    }
  },
};

const ownReport =
  "This is an error report, so it has the columns of its import. To choose others, choose Upload as a new file under Error reports.";

const tooLarge = "Reading this file takes too long this way. Press Upload, with JavaScript turned on, or split the file";

const tooSlow = "Checking this file takes too long without JavaScript. Turn on JavaScript, or upload the file: its import checks every row";

/** The form of a file with the most columns, for an organisation with the most custom fields and the longest labels. */
const mostBytes = 8 * maxFormBytes;

const formOf = (page: PageOf<SignedInVisit>): FormOf<SignedInVisit> => ({
  path: page.path,
  access: "operate",
  page,
  mostBytes,
  submit: async (visit, fields, deps) => {
    const source = await columnsSource(visit, deps, fields.get);
    if (!source) return notFound(visit);
    const { kept } = source;
    if (kept?.importId) return { goTo: importPath(kept.importId) };
    const choice = await soundChoice(visit, deps, source, fields);
    if (!kept) return save(visit, deps, source, choice);
    const chosen = { kept, choice, remembered: source.remembered };
    if (fields.get("do") === "check") {
      const ends = [deps.closing, pageLeft(visit.context).signal];
      const outcome = await inPlainForm(ends, tooSlow, (signal) => checkKept(visit, deps, chosen, () => undefined, signal));
      return columnsWith(visit, deps, source, { choice, outcome: <CheckOutcome {...outcome} form="upload" /> });
    }
    const sent = await uploadKept(visit, deps, { ...chosen, again: fields.get("again") });
    if ("importId" in sent) return { goTo: importPath(sent.importId) };
    const question = <UploadQuestion visit={visit} form={questionOf(kept)} earlier={sent.earlier} withoutScripts="press" />;
    return columnsWith(visit, deps, source, { choice, outcome: question, again: sent.earlier.importId });
  },
});

export const columnsForms = [formOf(columnsPage), formOf(fileColumnsPage)];

const questionOf = ({ kind, file: { name } }: KeptFile) => ({ kind, upload: { name } });

async function save(visit: SignedInVisit, deps: PortalDeps, { kind }: ColumnsSource, choice: ColumnChoice) {
  await rememberColumns(deps.organisations, { organisationId: visit.person.organisationId, kind, choice }, originOf(visit));
  return done(uploadPath, "Columns saved. They apply to the next file with these headings.");
}

async function soundChoice(visit: SignedInVisit, deps: PortalDeps, source: ColumnsSource, fields: Fields): Promise<ColumnChoice> {
  const { catalogue } = await presentCatalogue(visit, deps);
  const choice = readChoice(fields, source, { kind: source.kind, customFields: catalogue.file.customFields });
  expectSoundChoice(choice, source.kind, catalogue, deps.geography);
  const unread = choice.decimal === undefined ? numbersAgainst(choice, source.kind, source.headings) : undefined;
  if (unread !== undefined) throw new Rejection("invalid", `${unread} Choose how under Numbers.`);
  return choice;
}

interface Sent {
  readonly kept: KeptFile;
  readonly choice: ColumnChoice;
  readonly remembered: ColumnsSource["remembered"];
  readonly again: string;
}

/** The form as the page's script sends it. */
async function sentByScript(visit: SignedInVisit, deps: PortalDeps, body: unknown): Promise<Sent> {
  const fields = fieldsInJson(body);
  const source = await columnsSource(visit, deps, fields.get);
  if (!source?.kept) throw new Rejection("notFound", noLongerKept);
  const choice = await soundChoice(visit, deps, source, fields);
  return { kept: source.kept, choice, remembered: source.remembered, again: fields.get("again") };
}

export const columnsAnswers: readonly AnswerOf<SignedInVisit>[] = [
  {
    method: "POST",
    path: checkColumnsPath,
    access: "operate",
    body: { json: mostBytes },
    answer: async (visit, deps, body) => {
      const sent = await sentByScript(visit, deps, body);
      if (sent.kept.importId)
        return answerInLines(visit, deps, async () => ({ goTo: visit.links.to(importPath(sent.kept.importId ?? "")) }));
      return answerInLines(visit, deps, async (say, signal) => ({
        html: String(<CheckOutcome {...(await checkKept(visit, deps, sent, say, signal))} form="upload" />),
      }));
    },
  },
  {
    method: "POST",
    path: sendColumnsPath,
    access: "operate",
    body: { json: mostBytes },
    answer: async (visit, deps, body) => {
      const sent = await sentByScript(visit, deps, body);
      const { kept } = sent;
      const taken = kept.importId ? { importId: kept.importId } : await uploadKept(visit, deps, sent);
      if ("importId" in taken)
        return send(visit.context, { status: 202, body: { importId: taken.importId, goTo: visit.links.to(importPath(taken.importId)) } });
      const html = String(<UploadQuestion visit={visit} form={questionOf(kept)} earlier={taken.earlier} />);
      return answerInLines(visit, deps, async () => ({ html }));
    },
  },
];
