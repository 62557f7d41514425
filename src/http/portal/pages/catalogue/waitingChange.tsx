// Every change of the catalogue, from a form or a file, waits and leads to one page, which shows the difference and applies it.
import { randomUUID } from "node:crypto";
import type { Child } from "hono/jsx";
import { applyOrganisation } from "../../../../commands/organisations/organisation.js";
import { findWaitingChange, forgetWaitingChange, keepWaitingChange } from "../../../../commands/organisations/waitingChanges.js";
import { catalogueDifferences, faultInWords, partInWords, placeInWords, subjectOf } from "../../../../domain/catalogue/diff.js";
import { type Conflict, mergeCatalogues } from "../../../../domain/catalogue/mergeCatalogues.js";
import { parseOrganisationFile } from "../../../../domain/catalogue/organisationFile.js";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { Rejection } from "../../../../domain/rejection.js";
import { firstMessages } from "../../../../domain/validation.js";
import { type CatalogueFile, catalogueChanges, changeCatalogue } from "../../../../events/catalogue.js";
import { catalogueVersionsBetween } from "../../../../queries/organisations/catalogueVersions.js";
import { catalogueAt, principalNames, versionAndClockOf } from "../../../../queries/organisations/organisations.js";
import { answerTable } from "../../../server/problem.js";
import { type Fields, numberIn } from "../../fields.js";
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
import { ButtonLink, EmptyState, Panel, pageInMemory, withQuery } from "../../shell/parts.js";
import { type Column, Table } from "../../shell/table.js";
import { type PresentCatalogue, presentCatalogue } from "../customers.js";
import { changesInWords, differenceColumns } from "./cataloguePage.js";
import { applyPath, cataloguePath } from "./cataloguePaths.js";

const ownerOf = ({ person: { organisationId, memberId } }: SignedInVisit) => ({ organisationId, memberId });

export interface Edit {
  readonly file: OrganisationFile;
  /** The page to go to when it is applied. */
  readonly goTo: string;
  /** What is changed, in the heading of the page that shows the difference. */
  readonly about: string;
  /** The path of the entry in the file: faults in it are told without its name. */
  readonly own?: string;
}

interface CatalogueForm {
  readonly path: string;
  readonly title: (visit: SignedInVisit, file: OrganisationFile) => string;
  readonly body: (visit: SignedInVisit, view: PresentCatalogue) => Child;
  readonly edit: (fields: Fields, file: OrganisationFile, visit: SignedInVisit) => Edit;
  readonly faults?: NonNullable<FormDefinition["faults"]>;
}

/** The page of a form and the form itself, at one address. */
export function catalogueForm({ path, title, body, edit, faults }: CatalogueForm) {
  const page = definePage(path, "catalogue", async (visit, deps) => {
    const view = await presentCatalogue(visit, deps);
    return { title: title(visit, view.file), body: body(visit, view) };
  });
  return { page, form: editForm(page, "", edit, faults) };
}

/** A form that changes the catalogue, on a page that shows something else too. */
export const editForm = (page: PageDefinition, below: string, edit: CatalogueForm["edit"], faults = {}) =>
  defineForm(page, { below, access: "catalogue", faults, mostBytes: 256 * 1024 }, async (visit, fields, deps) => {
    const version = numberIn(fields.get("version")) ?? 0;
    const base = await catalogueAt(visit.person.organisationId, version, deps.pool);
    if (!base) throw new Rejection("invalid", "This form is out of date. Open it again");
    return keepChange(visit, deps, version, base, edit(fields, base, visit));
  });

/** Checks an edit as `org apply` does, and keeps it. */
export async function keepChange(visit: SignedInVisit, { pool }: PortalDeps, madeFrom: number, base: OrganisationFile, edit: Edit) {
  const { file, goTo, about, own } = edit;
  const checked = checkedFile(file, own);
  const changes = catalogueChanges(asRecorded(base), asRecorded(checked));
  if (changes.length === 0) return withNotice(goTo, "Nothing has changed.");
  const changeId = randomUUID();
  await keepWaitingChange(pool, ownerOf(visit), { changeId, about, madeFrom, changes, goTo });
  return { goTo: `${applyPath}?draft=${changeId}` };
}

function checkedFile(file: unknown, own?: string): OrganisationFile {
  const parsed = parseOrganisationFile(file);
  if (parsed.ok) return parsed.file;
  const lines = firstMessages(new Set(parsed.faults.map((fault) => faultInWords(file, fault, own))));
  throw new Rejection("invalid", lines[0] ?? "These changes cannot be saved", lines);
}

/** Through JSON, as events have it: without fields that are undefined. */
const asRecorded = (file: OrganisationFile): CatalogueFile => JSON.parse(JSON.stringify(file));

/** The waiting change, on the newest version. It is looked up by its owner, so that nobody else's is found. */
async function requireChange(visit: SignedInVisit, deps: PortalDeps, changeId: string, keeps: readonly string[]) {
  const change = await findWaitingChange(deps.pool, ownerOf(visit), changeId);
  if (!change)
    throw new Rejection("notFound", "This change is no longer available: it was applied, replaced, or made more than an hour ago");
  // Read anew at each attempt, since somebody else may just have applied a version.
  const { catalogueVersion: version } = await versionAndClockOf(visit.person.organisationId, deps.pool);
  const catalogue = await deps.catalogues(visit.person.organisationId, version);
  const base = change.madeFrom === version ? catalogue.file : await catalogueAt(visit.person.organisationId, change.madeFrom, deps.pool);
  if (!base) throw new Error(`version ${change.madeFrom} of the catalogue is gone`);
  const mine = changeCatalogue(asRecorded(base), change.changes) as unknown as OrganisationFile;
  const keepsTheirs = (index: number) => (keeps[index] ?? keeps[0]) === "theirs";
  return { change, current: catalogue.file, version, ...mergeCatalogues(base, catalogue.file, mine, keepsTheirs) };
}

const title = "Change the catalogue";
const crumbs = [["Catalogue", cataloguePath]] as const;

const applyPage = definePage(applyPath, "catalogue", async (visit, deps) => {
  const changeId = visit.query["draft"] || visit.submitted.get("draft");
  const empty = <EmptyState title="There is no change to apply">Change something in the catalogue first.</EmptyState>;
  return changeId ? showChange(visit, deps, changeId) : { title, crumbs, body: empty };
});

const mostAttempts = 10;

const applyForm = defineForm(applyPage, "", async (visit, fields, deps) => {
  const changeId = fields.get("draft");
  for (let attempt = 1; ; attempt += 1) {
    const keeps = fields.all("keep");
    const { change, file, version, conflicts } = await requireChange(visit, deps, changeId, keeps);
    const isAnswered = keeps.length > 0 && !keeps.includes("") && numberIn(fields.get("version")) === version;
    if (conflicts.length > 0 && !isAnswered) return { ...(await showChange(visit, deps, changeId)), status: answerTable.conflict.status };
    try {
      const applied = await applyOrganisation(deps.organisations, checkedFile(file), originOf(visit), { madeFrom: version });
      await forgetWaitingChange(deps.pool, ownerOf(visit), changeId);
      return withNotice(change.goTo, applied.changes.length === 0 ? "Nothing has changed." : `Version ${applied.version} applied.`);
    } catch (error) {
      const isOvertaken = error instanceof Rejection && error.code === "conflict";
      if (!isOvertaken || attempt === mostAttempts) throw error; // else somebody was faster: on their version once more
    }
  }
});

export const applyChange = { pages: [applyPage], forms: [applyForm] };

async function showChange(visit: SignedInVisit, deps: PortalDeps, changeId: string) {
  const { change, current, version, file, conflicts } = await requireChange(visit, deps, changeId, []);
  const all = catalogueDifferences(current, file);
  const removed = all.filter(({ kind }) => kind === "removed").length;
  const { rows, pager } = pageInMemory(visit, all, { of: ["change", "changes"], path: withQuery(applyPath, { draft: changeId }) });
  const others = version > change.madeFrom ? await changedMeanwhile(visit, deps, change.madeFrom, version) : "";
  const body = (
    <>
      {others && conflicts.length === 0 ? <p class="notice">{others} Their change stands beside yours.</p> : null}
      <Form to={applyPath} hidden={{ draft: changeId, version: String(version) }}>
        {conflicts.length > 0 ? <Conflicts others={others} conflicts={conflicts} /> : null}
        <Panel id="changes" title="What changes">
          <p>
            {changesInWords(all)}. Nothing has been applied yet.
            {removed > 0 ? <strong> {countInWords(removed, "entry is", "entries are")} removed.</strong> : null}
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
  return { title: `Change ${change.about}`, crumbs, body };
}

const mostAsked = 100;

/** What both have changed. Of very many one answer is for all of them. */
function Conflicts({ others, conflicts }: { others: string; conflicts: readonly Conflict[] }) {
  const options = [
    { value: "", label: "Choose" },
    { value: "mine", label: "Yours" },
    { value: "theirs", label: "Theirs" },
  ];
  const sideOf = (side: "base" | "theirs" | "mine") => (conflict: Conflict) => {
    if (conflict.trail.length > 0) return partInWords(conflict.section, conflict.trail, conflict[side]);
    return conflict[side] === undefined ? "removed" : "changed";
  };
  const nameOf = (conflict: Conflict) =>
    conflict.trail.length === 0 ? subjectOf(conflict) : `${subjectOf(conflict)}: ${placeInWords(conflict.section, conflict.trail)}`;
  const isEach = conflicts.length <= mostAsked;
  const keep: Column<Conflict> = {
    heading: "Keep",
    cell: (conflict) => (
      <Choice label={`Keep, ${nameOf(conflict)}`} id={`keep-${conflicts.indexOf(conflict)}`} name="keep" options={options} unseenLabel />
    ),
  };
  const columns: Column<Conflict>[] = [
    { heading: "What", names: true, cell: nameOf },
    { heading: "Before", cell: sideOf("base") },
    { heading: "Theirs", cell: sideOf("theirs") },
    { heading: "Yours", cell: sideOf("mine") },
    ...(isEach ? [keep] : []),
  ];
  return (
    <Panel id="conflicts" title="Changed by both of you">
      <p class="notice warn">{others} Choose what to keep; everything else of both changes stands.</p>
      <Table caption="Changed by both" columns={columns} rows={conflicts.slice(0, mostAsked)} />
      {isEach ? null : <Choice label={`Keep for all ${conflicts.length}`} name="keep" options={options} />}
    </Panel>
  );
}

/** Who has changed the catalogue since a version. */
async function changedMeanwhile(visit: SignedInVisit, deps: PortalDeps, after: number, upTo: number): Promise<string> {
  const { organisationId, timezone } = visit.person;
  const [versions, nameOf] = await Promise.all([
    catalogueVersionsBetween(organisationId, { after, upTo, most: 20 }, deps),
    principalNames(organisationId, deps.pool),
  ]);
  const names = [...new Set(versions.flatMap(({ by }) => (by ? [nameOf(by)] : [])))].join(", ") || "Somebody";
  const [last] = versions;
  return `${names} changed the catalogue${last?.appliedAt ? ` on ${timeInWords(last.appliedAt, timezone)}` : ""}, after you had begun.`;
}
