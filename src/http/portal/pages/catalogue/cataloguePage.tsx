// The catalogue's lists: its entries, its versions (each downloadable), and the changes between any two versions.
import { type CatalogueDifference, catalogueDifferences, changeInWords, subjectOf } from "../../../../domain/catalogue/diff.js";
import { fieldsOfSection, recordedChangeInWords } from "../../../../domain/catalogue/fields.js";
import { type OrganisationFile, organisationFile, type Section } from "../../../../domain/catalogue/schema.js";
import { entryId } from "../../../../domain/catalogue/uses.js";
import type { NameOf } from "../../../../domain/principal.js";
import { Rejection } from "../../../../domain/rejection.js";
import { type CatalogueVersion, listCatalogueVersions } from "../../../../queries/organisations/catalogueVersions.js";
import { catalogueAt, principalNames } from "../../../../queries/organisations/organisations.js";
import { defineAnswer, oncePerVisit, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { countInWords, displayText } from "../../shell/formats.js";
import { listPage } from "../../shell/listPage.js";
import { ButtonLink, EmptyState, Link, Time, withQuery } from "../../shell/markup.js";
import { type Column, column, stateColumn } from "../../shell/table.js";
import { type CurrentCatalogue, currentCatalogue } from "../customers.js";
import * as paths from "./cataloguePaths.js";
import { columnOf, entryColumns } from "./entryColumns.js";

const sectionIn = ({ query }: SignedInVisit) =>
  paths.tabOrder.find((each) => paths.sectionNames[each].folder === query["list"]) ?? "customers";

/** The catalogue's entries, one section at a time, with a search. */
export const catalogueList = listPage<paths.Entry>({
  path: paths.cataloguePath,
  access: "look",
  title: "Catalogue",
  noun: (visit) => paths.namesOf(sectionIn(visit)),
  caption: "Entries of the catalogue",
  keptParameters: ["list"],
  action: (visit) => {
    const section = sectionIn(visit);
    const to = paths.addPath(section);
    return visit.may("catalogue") ? <ButtonLink to={to} label={`Add ${paths.sectionNames[section].noun}`} /> : null;
  },
  head: async (visit, deps) => {
    const { file, catalogueVersion } = await currentCatalogue(visit, deps);
    const menu = [
      { label: `All versions (now ${catalogueVersion})`, to: paths.versionsPath },
      { label: "Download organisation file", to: paths.downloadPath(catalogueVersion), download: "" },
      { label: "Upload organisation file", to: paths.catalogueUploadPath },
      { label: "Change organisation", to: paths.organisationPath },
    ];
    return {
      menu: menu.slice(0, visit.may("catalogue") ? 4 : 2),
      views: paths.tabOrder.map((tab) => ({
        label: `${paths.capitalised(paths.pluralOf(tab))} (${file[tab].length})`,
        to: paths.listPath(tab),
        current: tab === sectionIn(visit),
      })),
    };
  },
  filters: () => [{ name: "search", label: "Find", kind: "text", maxlength: 100 }],
  readRows: async (visit, _, deps) => {
    const [view, section] = [await currentCatalogue(visit, deps), sectionIn(visit)];
    const words = (visit.query["search"] ?? "").trim().slice(0, 100).toLowerCase().split(/\s+/);
    const textOf = searchTextOf(view, section);
    const matches = (entry: paths.Entry) => words.every((word) => textOf(entry).includes(word));
    return { items: (view.file[section] as readonly paths.Entry[]).filter(matches), nextCursor: null };
  },
  columns: async (visit, deps) => entryColumns(await currentCatalogue(visit, deps), sectionIn(visit)),
  empty: (visit, why) => <EmptyState title={`No ${paths.pluralOf(sectionIn(visit))} ${why === "none" ? "yet" : "match this search"}`} />,
});

/** The text that the search matches: the ids and names of an entry and of what it refers to, in lower case. */
function searchTextOf(view: CurrentCatalogue, section: Section): (entry: paths.Entry) => string {
  // Thousands of customers share a carrier, whose name would match them all.
  const referenceFields = section === "customers" ? [] : fieldsOfSection(section).filter(({ refersTo }) => refersTo);
  const columns = referenceFields.map((field) => columnOf(view, field));
  return (entry) => {
    const referencedNames = columns.map(({ value }) => displayText(value(entry)));
    const zones = "zones" in entry ? entry.zones.map(({ zone }) => zone) : [];
    return [entryId(entry), paths.nameOfEntry(entry), ...referencedNames, ...zones].join(" ").toLowerCase();
  };
}

export const versionsList = listPage<CatalogueVersion>({
  path: paths.versionsPath,
  access: "look",
  title: "Versions of the catalogue",
  crumbs: [["Catalogue", paths.cataloguePath]],
  noun: ["version", "versions"],
  fileName: "catalogue-versions",
  caption: "Versions, newest first",
  readRows: (visit, page, deps) => listCatalogueVersions(visit.person.organisationId, page, deps),
  columns: async (visit, { pool }) => versionColumns(await principalNames(visit.person.organisationId, pool)),
  empty: () => <EmptyState title="No versions yet" />,
});

const versionColumns = (nameOf: NameOf): readonly Column<CatalogueVersion>[] => [
  column("version", "Version", ({ version }) => version, { isRowHeader: true }),
  column("applied", "Applied", ({ appliedAt }) => appliedAt, {
    cell: ({ appliedAt }) => <Time at={appliedAt} otherwise="Not known yet" />,
  }),
  column("by", "By", ({ by }) => (by ? paths.capitalised(nameOf(by)) : "Not known yet")),
  column("changes", "What changed", ({ changes }) => changes.map(recordedChangeInWords).join("; "), { cell: ChangesCell }),
  {
    heading: "File",
    number: true,
    cell: ({ version }) => (
      <Link to={paths.downloadPath(version)} download aria-label={`Download version ${version}`}>
        Download
      </Link>
    ),
  },
];

function ChangesCell({ version, changes, changeCount }: CatalogueVersion) {
  const address = withQuery(paths.changesPath, { from: String(version - 1), to: String(version) });
  if (version === 1) return <span>The first version</span>;
  if (changeCount === 0) return <Link to={address}>Show changes</Link>;
  return (
    <span class="version-changes">
      {changes.map((change) => (
        <span>{recordedChangeInWords(change)}</span>
      ))}
      <Link to={address} aria-description={`What version ${version} changed`}>
        {changeCount > changes.length ? `All ${countInWords(changeCount, "change", "changes")}` : "Show changes"}
      </Link>
    </span>
  );
}

function versionIn(text: string | undefined, label: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text?.trim() ?? "")) throw new Rejection("invalid", `${label} must be the number of a version`);
  return Number(text);
}

/** Downloads a version's organisation file, in the format and field order of `org apply`. */
export const downloadAnswer = defineAnswer(paths.downloadRoute, "look", async (visit, { pool }) => {
  const { organisationId } = visit.person;
  const version = versionIn(visit.query["version"], "Version");
  const file = await requireVersion(organisationId, version, pool);
  const { context: c } = visit;
  return c.body(`${JSON.stringify(organisationFile.parse(file), null, 2)}\n`, 200, {
    ...c.get("answerHeaders"),
    "content-type": "application/json",
    "content-disposition": `attachment; filename="${organisationId}-version-${version}.json"`,
  });
});

/** Compares the two versions in the address: by default the newest version and the one before it. */
const readComparison = oncePerVisit(async (visit, deps: PortalDeps) => {
  const { catalogue, catalogueVersion } = await currentCatalogue(visit, deps);
  const versionParameter = (name: string, label: string) => (visit.query[name] ? versionIn(visit.query[name], label) : undefined);
  const from = versionParameter("from", "From version") ?? Math.max(1, catalogueVersion - 1);
  const to = versionParameter("to", "To version") ?? catalogueVersion;
  const read = (version: number) => requireVersion(visit.person.organisationId, version, deps.pool);
  const [before, after] = await Promise.all([read(from), read(to)]);
  return { from, to, differences: catalogueDifferences(before, after), current: catalogue.file };
});

/** What changed between any two versions. */
export const changesList = listPage<CatalogueDifference>({
  path: paths.changesPath,
  access: "look",
  title: "Changes",
  crumbs: [
    ["Catalogue", paths.cataloguePath],
    ["All versions", paths.versionsPath],
  ],
  noun: ["change", "changes"],
  fileName: "catalogue-changes",
  caption: "Changes",
  head: async (visit, deps) => {
    const { from, to } = await readComparison(visit, deps);
    return { title: `Changes from version ${from} to ${to}` };
  },
  filters: async (visit, deps) => {
    const { from, to } = await readComparison(visit, deps);
    const version = { kind: "text", maxlength: 9, required: true } as const;
    return [
      { ...version, name: "from", label: "From version", value: String(from) },
      { ...version, name: "to", label: "To version", value: String(to) },
    ];
  },
  readRows: async (visit, _, deps) => ({ items: (await readComparison(visit, deps)).differences, nextCursor: null }),
  columns: async (visit, deps) => differenceColumns((await readComparison(visit, deps)).current),
  aboveTable: async (visit, deps) => <p class="muted">{changesInWords((await readComparison(visit, deps)).differences)}</p>,
  empty: () => <EmptyState title="Nothing differs" />,
});

async function requireVersion(organisationId: string, version: number, pool: PortalDeps["pool"]): Promise<OrganisationFile> {
  const file = await catalogueAt(organisationId, version, pool);
  if (!file) throw new Rejection("notFound", `There is no version ${version} of the catalogue`);
  return file;
}

/** Counts entries, such as `2 added, 1 changed`. A rate card with a hundred changed lanes is one of them. */
export function changesInWords(differences: readonly CatalogueDifference[]): string {
  const counts = (["added", "changed", "removed"] as const).flatMap((kind) => {
    const { size } = new Set(differences.filter((each) => each.kind === kind).map(subjectOf));
    return size > 0 ? [`${size} ${kind}`] : [];
  });
  return counts.join(", ") || "No changes";
}

const differenceBadges = {
  added: { label: "Added", badge: "good" },
  removed: { label: "Removed", badge: "bad" },
  changed: { label: "Changed", badge: "" },
} as const;

export const differenceColumns = (current: OrganisationFile): readonly Column<CatalogueDifference>[] => [
  column("what", "What", subjectOf, {
    isRowHeader: true,
    cell: (difference) => {
      const { section, id } = difference;
      const isInCatalogue = section !== "organisation" && id !== undefined && current[section].some((entry) => entryId(entry) === id);
      return isInCatalogue ? <Link to={paths.entryPath(section, id)}>{subjectOf(difference)}</Link> : subjectOf(difference);
    },
  }),
  stateColumn("how", "How", ({ kind }) => differenceBadges[kind]),
  column("change", "Change", (difference) => (difference.change ? changeInWords(difference) : "All of it"), {
    cell: (difference) =>
      difference.change ? <span class="change">{changeInWords(difference)}</span> : <span class="muted">All of it</span>,
  }),
];
