import type { Child } from "hono/jsx";
import { soundnessFaults } from "../../../../../commands/imports/chosenColumns.js";
import type { Catalogue } from "../../../../../domain/catalogue/catalogue.js";
import { type ColumnChoice, choosableFields } from "../../../../../domain/imports/columns/choice.js";
import { datesAgainst, numbersAgainst } from "../../../../../domain/imports/columns/evidence.js";
import { headingsKey } from "../../../../../domain/imports/columns/headings.js";
import { principalNames } from "../../../../../queries/organisations/organisations.js";
import { answerTable } from "../../../../server/problem.js";
import type { Done, PageOf, PortalDeps, Shown, SignedInVisit } from "../../../page.js";
import { Button, ButtonLink, HiddenFields } from "../../../shell/form.js";
import { counted } from "../../../shell/formats.js";
import { EmptyState, Panel } from "../../../shell/panel.js";
import { Time } from "../../../shell/values.js";
import { presentCatalogue } from "../../customers.js";
import { importPath, kindNames } from "../../imports/status.js";
import { NotesOnFile } from "../notesOnFile.js";
import { columnsOfKept, columnsPath } from "./columnsOfFile.js";
import { ColumnTable, FieldsWithoutColumn, OrderOfDates, WayOfNumbers } from "./parts.js";
import { readChoice } from "./readChoice.js";
import { type ColumnsSource, columnsSource, firstChoice } from "./source.js";

export const checkColumnsPath = `${columnsPath}/check`;
export const sendColumnsPath = `${columnsPath}/send`;

/** `columnsPath` is for a choice without a file. */
const pageAt = (path: string): PageOf<SignedInVisit> => ({
  path,
  access: "operate",
  show: async (visit, deps) => {
    const { query, submitted, params } = visit;
    const given = (name: string) => submitted.get(name) || query[name] || "";
    const source = await columnsSource(visit, deps, given);
    if (!source) return params["fileId"] || given("file") || given("headings") ? notFound(visit) : noFile(visit);
    if (source.kept?.importId) return { goTo: importPath(source.kept.importId) };
    return columnsWith(visit, deps, source);
  },
});

export const columnsPage = pageAt(columnsPath);
export const fileColumnsPage = pageAt(columnsOfKept("{fileId}"));

const noFile = (visit: SignedInVisit): Shown => ({
  title: "Columns",
  body: (
    <div class="panel">
      <EmptyState title="There is no file to choose columns for">
        Files are kept for one day. <a href={visit.links.to("/portal/upload")}>Upload it again</a> to choose its columns.
      </EmptyState>
    </div>
  ),
});

/** The file or the headings that were asked for are not there, or are another organisation's. */
export const notFound = (visit: SignedInVisit): Shown => ({ ...noFile(visit), status: answerTable.notFound.status });

interface After {
  /** What the form said, where it is shown again. */
  readonly choice?: ColumnChoice;
  /** What a check found, or the question whether to send the file again. */
  readonly outcome?: Child;
  /** The import of which the question has told. */
  readonly again?: string;
}

export async function columnsWith(visit: SignedInVisit, deps: PortalDeps, source: ColumnsSource, after: After = {}): Promise<Shown | Done> {
  const { organisationId } = visit.person;
  const { catalogue } = await presentCatalogue(visit, deps);
  const of = { kind: source.kind, customFields: catalogue.file.customFields };
  const wasSent = visit.submitted.get("sent") !== "";
  const sent = after.choice ?? (wasSent ? readChoice(visit.submitted, source, of) : undefined);
  const choice = sent ?? (await firstChoice(source, deps, organisationId, of));
  const faults = sent ? [] : whyNot(source, catalogue, deps);
  const chosen = { source, choice, fields: choosableFields(of) };
  const nameOf = await principalNames(organisationId, deps.pool);
  return {
    title: "Columns",
    scripts: ["upload.js", "columns.js"],
    body: (
      <>
        <div class="panel">
          <About source={source} />
          <NotesOnFile notes={source.kept?.notes ?? []} />
          {source.remembered ? (
            <p class="hint">
              Chosen <Time visit={visit} at={new Date(source.remembered.at)} /> by {nameOf(source.remembered.by)} for files with these
              columns.
            </p>
          ) : null}
          {faults.length > 0 ? <p class="notice warn">That choice does not fit: {faults.join(" ")}</p> : null}
        </div>
        <form
          id={source.kept ? "upload" : "columns"}
          class="choose-columns"
          method="post"
          action={visit.links.to(source.kept ? columnsOfKept(source.kept.fileId) : columnsPath)}
          {...(source.kept ? scripted(visit) : {})}
        >
          <input type="hidden" name="token" value={visit.formToken} />
          <HiddenFields values={{ ...nameOfSource(source), again: after.again, sent: "yes" }} />
          <Panel id="columns-of-file" title={source.kept ? "Columns of the file" : "Columns"}>
            <ColumnTable {...chosen} />
          </Panel>
          <div class="beside-columns">
            <Panel id="without-column" title="Fields without a column">
              <FieldsWithoutColumn {...chosen} />
            </Panel>
            <div class="panel">
              <OrderOfDates {...chosen} />
              <WayOfNumbers {...chosen} />
              <Buttons visit={visit} source={source} again={after.again} />
            </div>
          </div>
        </form>
        <div id="upload-outcome" class="upload-outcome" tabindex={-1}>
          {after.outcome}
        </div>
      </>
    ),
  };
}

/** Why what was chosen for these headings is not taken for this file. */
function whyNot({ remembered, kind, headings }: ColumnsSource, catalogue: Catalogue, { geography }: PortalDeps): string[] {
  if (!remembered) return [];
  const dates = datesAgainst(remembered, kind, headings);
  const numbers = numbersAgainst(remembered, kind, headings);
  return [...soundnessFaults(remembered, kind, catalogue, geography), ...[dates, numbers].filter((fault) => fault !== undefined)];
}

const scripted = ({ links }: SignedInVisit) => ({ "data-check": links.to(checkColumnsPath), "data-send": links.to(sendColumnsPath) });

/** What the form is about: the page finds it again by this. */
const nameOfSource = ({ kept, kind, headings }: ColumnsSource): Record<string, string> =>
  kept ? { file: kept.fileId } : { kind, headings: headingsKey(headings.map(({ heading }) => heading)) };

function About({ source: { kept, headings, kind } }: { source: ColumnsSource }) {
  const count = counted(headings.length, "column", "columns");
  return kept ? (
    <p>
      <strong>{kept.file.name}</strong> ({kindNames[kind].toLowerCase()}) has {count}. Choose a field for each of them. Nothing is recorded
      until you press Upload. Your choice is kept for the next file with the same columns.
    </p>
  ) : (
    <p>
      The fields chosen for the {count} of these files ({kindNames[kind].toLowerCase()}). Changes apply to the next file; earlier imports
      stay as they are.
    </p>
  );
}

function Buttons({ visit, source, again }: { visit: SignedInVisit; source: ColumnsSource; again: string | undefined }) {
  if (!source.kept)
    return (
      <div class="button-row">
        <Button name="do" value="save" label="Save columns" />
        <ButtonLink to={visit.links.to("/portal/upload")} label="Cancel" quiet />
      </div>
    );
  return (
    <>
      <div class="button-row">
        <Button name="do" value="check" class="quiet" data-check-button label="Check file" />
        <Button name="do" value="upload" data-upload-button label={again ? "Upload again" : "Upload"} />
        <Button type="button" class="quiet" data-cancel-button hidden label="Cancel" />
      </div>
      <div class="upload-progress" hidden data-progress>
        <progress max={100} value={0} aria-label="Progress" />
        <span role="status" data-progress-text />
      </div>
    </>
  );
}
