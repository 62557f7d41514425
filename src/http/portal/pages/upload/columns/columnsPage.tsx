// The page Columns and its form. It chooses the columns of a draft's file and goes on with the draft, or changes a remembered choice.
import { columnChoiceFaults, expectValidChoice } from "../../../../../commands/imports/chosenColumns.js";
import { rememberColumns } from "../../../../../commands/organisations/rememberColumns.js";
import type { Catalogue } from "../../../../../domain/catalogue/catalogue.js";
import { type ColumnChoice, choosableFields, isSameChoice, plainChoice } from "../../../../../domain/imports/columns/choice.js";
import { datesFault, numbersFault } from "../../../../../domain/imports/columns/evidence.js";
import { headingsKey } from "../../../../../domain/imports/columns/headings.js";
import { Rejection } from "../../../../../domain/rejection.js";
import { principalNames, versionAndClockOf } from "../../../../../queries/organisations/organisations.js";
import { type Fields, maxFormBytes } from "../../../fields.js";
import { defineForm, definePage, originOf, type PortalDeps, type SignedInVisit, withNotice } from "../../../pageDefinition.js";
import { Button, Form } from "../../../shell/form.js";
import { countInWords } from "../../../shell/formats.js";
import { ButtonLink, EmptyState, Link, Panel, Time } from "../../../shell/markup.js";
import { currentCatalogue } from "../../customers.js";
import { importPath, kindNames } from "../../imports/importStatus.js";
import { columnsOfDraft, columnsPath, draftPath, reportedImport, uploadPath } from "../drafts.js";
import { UploadButtons } from "../uploadPage.js";
import { draftWork } from "../workOnDraft.js";
import { ColumnTable, DateOrderChoice, DecimalMarkChoice, FieldsWithoutColumn } from "./columnFields.js";
import { type ColumnsSource, columnsSource, initialChoice, readChoice } from "./columnsSource.js";

/** The page at `columnsPath` changes a remembered choice, without a file. The other page chooses the columns of a draft's file. */
export const columnsPages = [columnsPath, columnsOfDraft()].map((path) =>
  definePage(path, "operate", async (visit, deps) => {
    const { query, submitted, person, params } = visit;
    if (params["fileId"] === undefined && !(submitted.get("headings") || query["headings"])) {
      const upload = <Link to={uploadPath}>Upload a file</Link>;
      const empty = <EmptyState title="No columns to choose">{upload} to choose its columns.</EmptyState>;
      return { title: "Columns", body: <div class="panel">{empty}</div> };
    }
    const source = await columnsSource(visit, deps, (name) => submitted.get(name) || query[name] || "");
    const { draft, earlierChoice } = source;
    if (draft?.importId) return { goTo: importPath(draft.importId) };
    if (draft && (await reportedImport(visit, deps, draft.checked))) return { goTo: draftPath(draft.fileId) };
    const { catalogue } = await currentCatalogue(visit, deps);
    const fieldSource = { kind: source.kind, customFields: catalogue.file.customFields };
    const sentChoice = submitted.get("sent") === "" ? undefined : readChoice(submitted, source, fieldSource);
    const choice = sentChoice ?? (await initialChoice(source, deps, person.organisationId, fieldSource));
    const faults = sentChoice || draft?.checked.columns ? [] : earlierChoiceFaults(source, catalogue, deps);
    const columnsProps = { source, choice, fields: choosableFields(fieldSource) };
    const nameOf = await principalNames(person.organisationId, deps.pool);
    const [count, kindName] = [countInWords(source.headings.length, "column"), kindNames[source.kind].toLowerCase()];
    return {
      title: "Columns",
      crumbs: [
        ["Upload a file", uploadPath],
        ...(draft && !draft.checked.undecided ? ([[draft.file.name, draftPath(draft.fileId)]] as const) : []),
      ],
      scripts: ["upload.js", "columns.js"],
      body: (
        <>
          <div class="panel">
            {draft ? (
              <p>
                <strong>{draft.file.name}</strong> ({kindName}) has {count}. Choose a field for each of them. Nothing is recorded until you
                press Upload. Your choice is kept for the next file with the same columns.
              </p>
            ) : (
              <p>
                The fields chosen for the {count} of these files ({kindName}). Changes apply to the next file; earlier imports stay as they
                are.
              </p>
            )}
            {draft?.notes.map((note) => (
              <p class="notice warn">{note}</p>
            ))}
            {earlierChoice ? (
              <p class="hint">
                Chosen <Time at={new Date(earlierChoice.at)} /> by {nameOf(earlierChoice.by)} for files with these columns.
              </p>
            ) : null}
            {faults.length > 0 ? <p class="notice warn">That choice does not fit: {faults.join(" ")}</p> : null}
          </div>
          <Form
            id={draft ? "upload" : "columns"}
            class="choose-columns"
            to={draft ? columnsOfDraft(draft.fileId) : columnsPath}
            hidden={{ ...(draft ? {} : sourceParameters(source)), sent: "yes" }}
          >
            <Panel id="columns-of-file" title={draft ? "Columns of the file" : "Columns"}>
              <ColumnTable {...columnsProps} />
            </Panel>
            <div class="beside-columns">
              <Panel id="without-column" title="Fields without a column">
                <FieldsWithoutColumn {...columnsProps} />
              </Panel>
              <div class="panel">
                <DateOrderChoice {...columnsProps} />
                <DecimalMarkChoice {...columnsProps} />
                {draft ? (
                  <UploadButtons />
                ) : (
                  <div class="button-row">
                    <Button name="do" value="save" label="Save columns" />
                    <ButtonLink to={uploadPath} label="Cancel" quiet />
                  </div>
                )}
              </div>
            </div>
          </Form>
        </>
      ),
    };
  }),
);

/** Why the remembered choice for these headings does not fit this file. */
function earlierChoiceFaults({ earlierChoice, kind, headings }: ColumnsSource, catalogue: Catalogue, { geography }: PortalDeps): string[] {
  if (!earlierChoice) return [];
  const dates = datesFault(earlierChoice, kind, headings);
  const numbers = numbersFault(earlierChoice, kind, headings);
  return [...columnChoiceFaults(earlierChoice, kind, catalogue, geography), ...[dates, numbers].filter((fault) => fault !== undefined)];
}

/** The parameters by which the page finds a remembered choice again. */
const sourceParameters = ({ kind, headings }: ColumnsSource) => ({ kind, headings: headingsKey(headings.map(({ heading }) => heading)) });

/** Enough for a file with the most columns, in an organisation with the most custom fields and the longest labels. */
const maxBytes = 8 * maxFormBytes;

export const columnsForms = columnsPages.map((page) =>
  defineForm(page, { subPath: "", maxBytes }, async (visit, fields, deps) => {
    const source = await columnsSource(visit, deps, fields.get);
    const { draft, kind } = source;
    if (draft?.importId) return { goTo: importPath(draft.importId) };
    const choice = await requireValidChoice(visit, deps, source, fields);
    if (draft) {
      const { take, report } = draft.checked;
      const checked = { take, report, columns: await recordedColumns(visit, deps, source, choice) };
      return draftWork(visit, deps, { draft: { ...draft, checked }, act: fields.get("do") === "check" ? "check" : "upload" });
    }
    await rememberColumns(deps.organisations, { organisationId: visit.person.organisationId, kind, choice }, originOf(visit));
    return withNotice(uploadPath, "Columns saved. They apply to the next file with these headings.");
  }),
);

async function requireValidChoice(visit: SignedInVisit, deps: PortalDeps, source: ColumnsSource, fields: Fields): Promise<ColumnChoice> {
  const { catalogue } = await currentCatalogue(visit, deps);
  const choice = readChoice(fields, source, { kind: source.kind, customFields: catalogue.file.customFields });
  expectValidChoice(choice, source.kind, catalogue, deps.geography);
  const unreadableNumbers = choice.decimal === undefined ? numbersFault(choice, source.kind, source.headings) : undefined;
  if (unreadableNumbers !== undefined) throw new Rejection("invalid", `${unreadableNumbers} Choose how under Numbers`);
  return choice;
}

/** The choice as the import records it, with the headings in the file's order. Keeps the earlier author if the choice did not change. */
async function recordedColumns({ person }: SignedInVisit, deps: PortalDeps, { earlierChoice }: ColumnsSource, choice: ColumnChoice) {
  const { organisationId, by } = person;
  const { now } = await versionAndClockOf(organisationId, deps.pool);
  const author = earlierChoice && isSameChoice(earlierChoice, choice) ? earlierChoice : { by, at: now.toISOString() };
  return { ...plainChoice(choice), by: author.by, at: author.at };
}
