// The page of a draft: how its file is read, what was found in it, and what a person must see before it becomes an import.
import { loadReversed } from "../../../../commands/corrections/correctionsStream.js";
import type { KeptFile } from "../../../../commands/imports/keptFiles.js";
import { importKinds } from "../../../../events/importEvents.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { defineForm, definePage, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { Choice, Form } from "../../shell/form.js";
import { ButtonLink, type Fact, Facts, Link, withQuery } from "../../shell/markup.js";
import { earlierPush, importPath, PushInWords } from "../imports/importStatus.js";
import { ChosenColumnsLine, FixedValuesTable } from "./columns/chosenLine.js";
import { DraftFindings, SentReport, UnusualPanel } from "./draftFindings.js";
import { columnsOfDraft, draftPath, reportedImport, requireDraft, uploadPath } from "./drafts.js";
import { importSentBefore } from "./recordDraft.js";
import { kindOptions, UploadButtons } from "./uploadPage.js";
import { draftWork } from "./workOnDraft.js";

export const draftPage = definePage(draftPath(), "operate", async (visit, deps) => {
  const draft = await requireDraft(visit, deps);
  if (draft.importId) return { goTo: importPath(draft.importId) };
  const facts = await factsOf(visit, deps, draft);
  if (facts.draftImportId) return { goTo: importPath(facts.draftImportId) };
  const { undecided, found, sent } = draft.checked;
  if (!facts.corrects && undecided) return { goTo: columnsOfDraft(draft.fileId) };
  return {
    title: draft.file.name,
    crumbs: [["Upload a file", uploadPath]],
    scripts: ["upload.js"],
    body: (
      <>
        <DraftForm draft={draft} facts={facts} />
        {sent && facts.corrects ? <SentReport corrects={facts.corrects} sent={sent} found={found} /> : null}
        {found?.unusual ? <UnusualPanel unusual={found.unusual} rows={found.rows} earlier={facts.recorded} /> : null}
        {found ? <DraftFindings draft={draft} found={found} isReport={facts.corrects !== undefined} /> : null}
      </>
    ),
  };
});

async function factsOf(visit: SignedInVisit, deps: PortalDeps, draft: KeptFile) {
  const { organisationId } = visit.person;
  const corrects = (await reportedImport(visit, deps, draft.checked))?.request;
  const { draftImport, sameFileImportId } = corrects ? {} : await importSentBefore(visit, deps, draft);
  const pushOf = (importId: string) => earlierPush(organisationId, importId, deps);
  return {
    draftImportId: draftImport?.importId,
    corrects,
    isWithdrawn: corrects !== undefined && (await loadReversed(deps.eventStore, corrects.importId)).wholePosition !== undefined,
    sameFilePush: sameFileImportId === undefined ? undefined : await pushOf(sameFileImportId),
    /** The imports that already recorded some of the file's rows. */
    recorded: await Promise.all((draft.checked.found?.unusual?.recorded ?? []).map(({ importId }) => pushOf(importId))),
    nameOf: await principalNames(organisationId, deps.pool),
  };
}

function DraftForm({ draft, facts }: { draft: KeptFile; facts: Awaited<ReturnType<typeof factsOf>> }) {
  const { kind, checked, notes, sourceDetails, file, fileId } = draft;
  const { columns, report, take, found, sent } = checked;
  const { corrects, isWithdrawn, sameFilePush, nameOf } = facts;
  const shownFacts: Fact[] = [
    ...(sourceDetails === file.name ? [] : [["Reference", sourceDetails] as const]),
    ...(columns ? [["Columns", <ChosenColumnsLine kind={kind} columns={columns} nameOf={nameOf} />] as const] : []),
  ];
  const label = found?.accepted === 0 ? "" : sameFilePush ? "Upload again" : found?.unusual ? "Upload anyway" : "Upload";
  return (
    <Form id="upload" to={draftPath(fileId)} class="panel stacked" hidden={{ again: sameFilePush?.importId }}>
      {sameFilePush ? (
        <div class="notice warn">
          <h2>This file was sent before</h2>
          <p>
            It is the same file as <PushInWords earlier={sameFilePush} />. {sameFileWarnings[kind]}
          </p>
        </div>
      ) : null}
      {report && report.importId === undefined ? <p class="notice">{unknownReportNotice}</p> : null}
      {corrects ? (
        <p class="notice">
          This is the error report of import <Link to={importPath(corrects.importId)}>{corrects.sourceDetails}</Link>
          {isWithdrawn
            ? ", which is reversed: its rejected rows are withdrawn, and none of them can be corrected."
            : ": submit it as its correction. Upload sends the rows that are open and right. The others stay as they are, and each row is corrected only once."}
        </p>
      ) : null}
      {notes.map((note) => (
        <p class="notice warn">{note}</p>
      ))}
      {shownFacts.length > 0 ? <Facts facts={shownFacts} /> : null}
      {columns ? <FixedValuesTable kind={kind} columns={columns} /> : null}
      {report?.importId !== undefined && (corrects || take === "file") ? (
        <Choice label="Error report" name="take" options={takeOptions} value={take === "file" ? "file" : "correction"} />
      ) : null}
      {corrects ? null : <Choice label="Kind" name="kind" options={kindOptions} value={kind} />}
      {sent ? null : <p role="status">Nothing has been recorded yet. The file is kept for a day.</p>}
      <UploadButtons label={label}>
        {corrects ? null : <ButtonLink to={columnsOfDraft(fileId)} label="Choose columns" quiet />}
        <ButtonLink to={withQuery(uploadPath, { instead: fileId, kind })} label="Choose another file" quiet />
      </UploadButtons>
    </Form>
  );
}

const takeOptions = [
  { value: "correction", label: "Correct the rejected rows" },
  { value: "file", label: "Upload as a new file" },
];

const sameFileWarnings = {
  activities: "If you upload it again, its activities count twice in the totals to bill.",
  shipments: "If you upload it again, its shipments replace any later versions.",
} as const;

const unknownReportNotice =
  "This looks like an error report, but does not say of which import, so Upload takes it as a new file. If it is the report of an import, give it the name that it was downloaded with, to correct that import's rows.";

export const draftForm = defineForm(draftPage, "", async (visit, fields, deps) => {
  const draft = await requireDraft(visit, deps);
  const checkedBefore = draft.checked;
  const kind = importKinds.find((known) => known === fields.get("kind")) ?? draft.kind;
  const take = fields.get("take") || checkedBefore.take;
  const isAsShown = kind === draft.kind && (take === "file") === (checkedBefore.take === "file") && !checkedBefore.undecided;
  const submittedDraft = isAsShown ? draft : { ...draft, kind, checked: { take, report: checkedBefore.report, undecided: true } };
  const act = fields.get("do") === "check" ? "check" : "upload";
  return draftWork(visit, deps, { draft: submittedDraft, act, wasShown: isAsShown, knownImportId: fields.get("again") });
});
