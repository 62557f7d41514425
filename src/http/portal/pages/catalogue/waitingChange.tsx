// A form or a file does not change the catalogue directly. Its change waits while a page shows the difference, and is applied on that page.
import { randomUUID } from "node:crypto";
import type { Child } from "hono/jsx";
import { applyOrganisation } from "../../../../commands/organisations/organisation.js";
import { findWaitingChange, forgetWaitingChange, keepWaitingChange } from "../../../../commands/organisations/waitingChanges.js";
import { catalogueDifferences, faultInWords, fieldValueInWords, subjectOf, trailInWords } from "../../../../domain/catalogue/diff.js";
import { type Conflict, mergeCatalogues } from "../../../../domain/catalogue/mergeCatalogues.js";
import { parseOrganisationFile } from "../../../../domain/catalogue/organisationFile.js";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { Rejection } from "../../../../domain/rejection.js";
import { firstMessages } from "../../../../domain/validation.js";
import { applyCatalogueChanges, type CatalogueFile, listCatalogueChanges } from "../../../../events/catalogue.js";
import { catalogueVersionsBetween } from "../../../../queries/organisations/catalogueVersions.js";
import { catalogueAt, principalNames, versionAndClockOf } from "../../../../queries/organisations/organisations.js";
import { answerTable } from "../../../server/problem.js";
import { type Fields, parsePositiveInteger } from "../../fields.js";
import {
  defineForm,
  definePage,
  type FormDefinition,
  originOf,
  type PageDefinition,
  type PortalDeps,
  type SignedInVisit,
  withNotice,
} from "../../pageDefinition.js";
import { Button, Choice, Form } from "../../shell/form.js";
import { countInWords, timeInWords } from "../../shell/formats.js";
import { ButtonLink, EmptyState, Panel, pageInMemory, withQuery } from "../../shell/markup.js";
import { type Column, Table } from "../../shell/table.js";
import { type CurrentCatalogue, currentCatalogue } from "../customers.js";
import { changesInWords, differenceColumns } from "./cataloguePage.js";
import { applyPath, cataloguePath } from "./cataloguePaths.js";

const ownerOf = ({ person: { organisationId, memberId } }: SignedInVisit) => ({ organisationId, memberId });

export interface Edit {
  readonly file: OrganisationFile;
  /** The page to go to once the change is applied. */
  readonly goTo: string;
  /** What is changed, for the title of the page that shows the difference. */
  readonly about: string;
  /** The path of the edited entry in the file, such as `zoneMaps.0`. Messages about faults in that entry do not name it. */
  readonly editedPath?: string;
}

interface CatalogueForm {
  readonly path: string;
  readonly title: (visit: SignedInVisit, file: OrganisationFile) => string;
  readonly body: (visit: SignedInVisit, view: CurrentCatalogue) => Child;
  readonly edit: (fields: Fields, file: OrganisationFile, visit: SignedInVisit) => Edit;
  readonly faults?: NonNullable<FormDefinition["faults"]>;
}

/** A page for a form, and the form, at the same path. */
export function catalogueForm({ path, title, body, edit, faults }: CatalogueForm) {
  const page = definePage(path, "catalogue", async (visit, deps) => {
    const view = await currentCatalogue(visit, deps);
    return { title: title(visit, view.file), body: body(visit, view) };
  });
  return { page, form: editForm(page, "", edit, faults) };
}

/** A form that changes the catalogue, on a page that also shows other things. */
export const editForm = (page: PageDefinition, subPath: string, edit: CatalogueForm["edit"], faults = {}) =>
  defineForm(page, { subPath, access: "catalogue", faults, maxBytes: 256 * 1024 }, async (visit, fields, deps) => {
    const version = parsePositiveInteger(fields.get("version")) ?? 0;
    const base = await catalogueAt(visit.person.organisationId, version, deps.pool);
    if (!base) throw new Rejection("invalid", "This form is out of date. Open it again");
    return keepChange(visit, deps, version, base, edit(fields, base, visit));
  });

/** Checks an edit as `org apply` does, keeps it as a waiting change, and leads to the page that applies it. */
export async function keepChange(visit: SignedInVisit, { pool }: PortalDeps, baseVersion: number, base: OrganisationFile, edit: Edit) {
  const { file, goTo, about: subject, editedPath } = edit;
  const checked = checkedFile(file, editedPath);
  const changes = listCatalogueChanges(asRecorded(base), asRecorded(checked));
  if (changes.length === 0) return withNotice(goTo, "Nothing has changed.");
  const changeId = randomUUID();
  await keepWaitingChange(pool, ownerOf(visit), { changeId, subject, madeFrom: baseVersion, changes, goTo });
  return { goTo: `${applyPath}?draft=${changeId}` };
}

function checkedFile(file: unknown, editedPath?: string): OrganisationFile {
  const parsed = parseOrganisationFile(file);
  if (parsed.ok) return parsed.file;
  const lines = firstMessages(new Set(parsed.faults.map((fault) => faultInWords(file, fault, editedPath))));
  throw new Rejection("invalid", lines[0] ?? "These changes cannot be saved", lines);
}

/** The file as events record it. JSON removes fields that are undefined. */
const asRecorded = (file: OrganisationFile): CatalogueFile => JSON.parse(JSON.stringify(file));

/** Merges the person's waiting change with the newest version. `keptSides`: `mine` or `theirs` for each conflict, or one for all. */
async function requireChange(visit: SignedInVisit, deps: PortalDeps, changeId: string, keptSides: readonly string[]) {
  const change = await findWaitingChange(deps.pool, ownerOf(visit), changeId);
  if (!change)
    throw new Rejection("notFound", "This change is no longer available: it was applied, replaced, or made more than an hour ago");
  // Not `currentCatalogue`, which reads once per visit: each attempt needs the newest version, which another person may just have applied.
  const { catalogueVersion: version } = await versionAndClockOf(visit.person.organisationId, deps.pool);
  const catalogue = await deps.catalogues(visit.person.organisationId, version);
  const base = change.madeFrom === version ? catalogue.file : await catalogueAt(visit.person.organisationId, change.madeFrom, deps.pool);
  if (!base) throw new Error(`version ${change.madeFrom} of the catalogue is gone`);
  const edited = applyCatalogueChanges(asRecorded(base), change.changes) as unknown as OrganisationFile;
  const keepsTheirs = (index: number) => (keptSides[index] ?? keptSides[0]) === "theirs";
  return { change, current: catalogue.file, version, ...mergeCatalogues(base, catalogue.file, edited, keepsTheirs) };
}

const title = "Change the catalogue";
const crumbs = [["Catalogue", cataloguePath]] as const;

const applyPage = definePage(applyPath, "catalogue", async (visit, deps) => {
  const changeId = visit.query["draft"] || visit.submitted.get("draft");
  const empty = <EmptyState title="There is no change to apply">Change something in the catalogue first.</EmptyState>;
  return changeId ? showChange(visit, deps, changeId) : { title, crumbs, body: empty };
});

const maxAttempts = 10;

const applyForm = defineForm(applyPage, "", async (visit, fields, deps) => {
  const changeId = fields.get("draft");
  for (let attempt = 1; ; attempt += 1) {
    const keptSides = fields.all("keep");
    const { change, file, version, conflicts } = await requireChange(visit, deps, changeId, keptSides);
    const isAnswered = keptSides.length > 0 && !keptSides.includes("") && parsePositiveInteger(fields.get("version")) === version;
    if (conflicts.length > 0 && !isAnswered) return { ...(await showChange(visit, deps, changeId)), status: answerTable.conflict.status };
    try {
      const applied = await applyOrganisation(deps.organisations, checkedFile(file), originOf(visit), { madeFrom: version });
      await forgetWaitingChange(deps.pool, ownerOf(visit), changeId);
      return withNotice(change.goTo, applied.changes.length === 0 ? "Nothing has changed." : `Version ${applied.version} applied.`);
    } catch (error) {
      const isOvertaken = error instanceof Rejection && error.code === "conflict"; // another person applied a version first
      if (!isOvertaken || attempt === maxAttempts) throw error;
    }
  }
});

export const applyChange = { pages: [applyPage], forms: [applyForm] };

async function showChange(visit: SignedInVisit, deps: PortalDeps, changeId: string) {
  const { change, current, version, file, conflicts } = await requireChange(visit, deps, changeId, []);
  const changes = catalogueDifferences(current, file);
  const removedCount = changes.filter(({ kind }) => kind === "removed").length;
  const { rows, pager } = pageInMemory(visit, changes, { noun: ["change", "changes"], path: withQuery(applyPath, { draft: changeId }) });
  const othersLine = version > change.madeFrom ? await othersInWords(visit, deps, change.madeFrom, version) : "";
  const body = (
    <>
      {othersLine && conflicts.length === 0 ? <p class="notice">{othersLine} Both changes are kept.</p> : null}
      <Form to={applyPath} hidden={{ draft: changeId, version: String(version) }}>
        {conflicts.length > 0 ? <Conflicts othersLine={othersLine} conflicts={conflicts} /> : null}
        <Panel id="changes" title="What changes">
          <p>
            {changesInWords(changes)}. Nothing has been applied yet.
            {removedCount > 0 ? <strong> {countInWords(removedCount, "entry is", "entries are")} removed.</strong> : null}
          </p>
          <p class="button-row">
            <Button label="Apply" />
            <ButtonLink to={change.goTo} label="Cancel" quiet />
          </p>
          <Table caption="Changes" columns={differenceColumns(current)} rows={rows} empty={<EmptyState title="Nothing differs" />} />
          {pager}
        </Panel>
      </Form>
    </>
  );
  return { title: `Change ${change.subject}`, crumbs, body };
}

const maxConflictChoices = 100;

/** What both changes touch, with a choice for each; if there are very many, one choice for all of them. */
function Conflicts({ othersLine, conflicts }: { othersLine: string; conflicts: readonly Conflict[] }) {
  const options = [
    { value: "", label: "Choose" },
    { value: "mine", label: "Yours" },
    { value: "theirs", label: "Theirs" },
  ];
  const sideOf = (side: "base" | "theirs" | "mine") => (conflict: Conflict) => {
    if (conflict.trail.length > 0) return fieldValueInWords(conflict.section, conflict.trail, conflict[side]);
    return conflict[side] === undefined ? "removed" : "changed";
  };
  const nameOf = (conflict: Conflict) =>
    conflict.trail.length === 0 ? subjectOf(conflict) : `${subjectOf(conflict)}: ${trailInWords(conflict.section, conflict.trail)}`;
  const choosesEach = conflicts.length <= maxConflictChoices;
  const keepColumn: Column<Conflict> = {
    heading: "Keep",
    cell: (conflict) => (
      <Choice label={`Keep, ${nameOf(conflict)}`} id={`keep-${conflicts.indexOf(conflict)}`} name="keep" options={options} unseenLabel />
    ),
  };
  const columns: Column<Conflict>[] = [
    { heading: "What", isRowHeader: true, cell: nameOf },
    { heading: "Before", cell: sideOf("base") },
    { heading: "Theirs", cell: sideOf("theirs") },
    { heading: "Yours", cell: sideOf("mine") },
    ...(choosesEach ? [keepColumn] : []),
  ];
  return (
    <Panel id="conflicts" title="Changed by both of you">
      <p class="notice warn">{othersLine} Choose what to keep; everything else of both changes stands.</p>
      <Table caption="Changed by both" columns={columns} rows={conflicts.slice(0, maxConflictChoices)} />
      {choosesEach ? null : <Choice label={`Keep for all ${conflicts.length}`} name="keep" options={options} />}
    </Panel>
  );
}

/** A sentence that says who applied the versions after the one that the change was made from. */
async function othersInWords(visit: SignedInVisit, deps: PortalDeps, after: number, upTo: number): Promise<string> {
  const { organisationId, timezone } = visit.person;
  const [versions, nameOf] = await Promise.all([
    catalogueVersionsBetween(organisationId, { after, upTo, max: 20 }, deps),
    principalNames(organisationId, deps.pool),
  ]);
  const names = [...new Set(versions.flatMap(({ by }) => (by ? [nameOf(by)] : [])))].join(", ") || "Somebody";
  const [last] = versions;
  return `${names} changed the catalogue${last?.appliedAt ? ` on ${timeInWords(last.appliedAt, timezone)}` : ""}, after you had begun.`;
}
