// The page Columns and its form: for the file of a draft, which goes on with what was chosen, and for a choice without a file.
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
import { ButtonLink, EmptyState, Link, Panel, Time } from "../../../shell/parts.js";
import { presentCatalogue } from "../../customers.js";
import { importPath, kindNames } from "../../imports/importStatus.js";
import { columnsOfDraft, columnsPath, draftPath, reportedImport, uploadPath } from "../drafts.js";
import { UploadButtons } from "../uploadPage.js";
import { draftWork } from "../workOnDraft.js";
import { ColumnTable, FieldsWithoutColumn, OrderOfDates, WayOfNumbers } from "./columnFields.js";
import { type ColumnsSource, columnsSource, firstChoice, readChoice } from "./columnsSource.js";

/** `columnsPath` is for a choice without a file. */
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
    const { catalogue } = await presentCatalogue(visit, deps);
    const of = { kind: source.kind, customFields: catalogue.file.customFields };
    const sent = submitted.get("sent") === "" ? undefined : readChoice(submitted, source, of);
    const choice = sent ?? (await firstChoice(source, deps, person.organisationId, of));
    const faults = sent || draft?.checked.columns ? [] : whyNot(source, catalogue, deps);
    const chosen = { source, choice, fields: choosableFields(of) };
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
            hidden={{ ...(draft ? {} : nameOfSource(source)), sent: "yes" }}
          >
            <Panel id="columns-of-file" title={draft ? "Columns of the file" : "Columns"}>
              <ColumnTable {...chosen} />
            </Panel>
            <div class="beside-columns">
              <Panel id="without-column" title="Fields without a column">
                <FieldsWithoutColumn {...chosen} />
              </Panel>
              <div class="panel">
                <OrderOfDates {...chosen} />
                <WayOfNumbers {...chosen} />
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

/** Why what was chosen for these headings is not taken for this file. */
function whyNot({ earlierChoice, kind, headings }: ColumnsSource, catalogue: Catalogue, { geography }: PortalDeps): string[] {
  if (!earlierChoice) return [];
  const dates = datesFault(earlierChoice, kind, headings);
  const numbers = numbersFault(earlierChoice, kind, headings);
  return [...columnChoiceFaults(earlierChoice, kind, catalogue, geography), ...[dates, numbers].filter((fault) => fault !== undefined)];
}

/** The page finds a choice without a file again by this. */
const nameOfSource = ({ kind, headings }: ColumnsSource) => ({ kind, headings: headingsKey(headings.map(({ heading }) => heading)) });

/** The form of a file with the most columns, for an organisation with the most custom fields and the longest labels. */
const mostBytes = 8 * maxFormBytes;

export const columnsForms = columnsPages.map((shown) =>
  defineForm(shown, { below: "", mostBytes }, async (visit, fields, deps) => {
    const source = await columnsSource(visit, deps, fields.get);
    const { draft, kind } = source;
    if (draft?.importId) return { goTo: importPath(draft.importId) };
    const choice = await validChoice(visit, deps, source, fields);
    if (draft) {
      const { take, report } = draft.checked;
      const checked = { take, report, columns: await columnsOf(visit, deps, source, choice) };
      return draftWork(visit, deps, { draft: { ...draft, checked }, act: fields.get("do") === "check" ? "check" : "upload" });
    }
    await rememberColumns(deps.organisations, { organisationId: visit.person.organisationId, kind, choice }, originOf(visit));
    return withNotice(uploadPath, "Columns saved. They apply to the next file with these headings.");
  }),
);

async function validChoice(visit: SignedInVisit, deps: PortalDeps, source: ColumnsSource, fields: Fields): Promise<ColumnChoice> {
  const { catalogue } = await presentCatalogue(visit, deps);
  const choice = readChoice(fields, source, { kind: source.kind, customFields: catalogue.file.customFields });
  expectValidChoice(choice, source.kind, catalogue, deps.geography);
  const unread = choice.decimal === undefined ? numbersFault(choice, source.kind, source.headings) : undefined;
  if (unread !== undefined) throw new Rejection("invalid", `${unread} Choose how under Numbers`);
  return choice;
}

/** The choice as the import records it, with the headings in the file's order. Keeps the earlier author if the choice did not change. */
async function columnsOf({ person }: SignedInVisit, deps: PortalDeps, { earlierChoice }: ColumnsSource, choice: ColumnChoice) {
  const { organisationId, by } = person;
  const { now } = await versionAndClockOf(organisationId, deps.pool);
  const chosen = earlierChoice && isSameChoice(earlierChoice, choice) ? earlierChoice : { by, at: now.toISOString() };
  return { ...plainChoice(choice), by: chosen.by, at: chosen.at };
}
