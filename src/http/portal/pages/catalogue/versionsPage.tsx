// The versions of the catalogue, what changed between any two of them, and each as a file.

import { type CatalogueDifference, catalogueDifferences, changeInWords, subjectOf } from "../../../../domain/catalogue/diff.js";
import { recordedInWords } from "../../../../domain/catalogue/fields.js";
import { type OrganisationFile, organisationFile } from "../../../../domain/catalogue/schema.js";
import { idOf } from "../../../../domain/catalogue/uses.js";
import { Rejection } from "../../../../domain/rejection.js";
import { type CatalogueVersion, listCatalogueVersions } from "../../../../queries/organisations/catalogueVersions.js";
import { catalogueAt, principalNames } from "../../../../queries/organisations/organisations.js";
import { defineAnswer, oncePerVisit, type PortalDeps } from "../../pageDefinition.js";
import { countInWords } from "../../shell/formats.js";
import { listPage } from "../../shell/listPage.js";
import { EmptyState, Link, Time, withQuery } from "../../shell/parts.js";
import { type Column, stateCells } from "../../shell/table.js";
import { presentCatalogue } from "../customers.js";
import { capitalised, cataloguePath, changesPath, downloadPath, downloadRoute, versionsPath } from "./addresses.js";
import { EntryLink } from "./entryColumns.js";

export const versionsList = listPage<CatalogueVersion>({
  path: versionsPath,
  access: "look",
  title: "Versions of the catalogue",
  crumbs: [["Catalogue", cataloguePath]],
  of: ["version", "versions"],
  fileName: "catalogue-versions",
  caption: "Versions, newest first",
  readRows: (visit, page, deps) => listCatalogueVersions(visit.person.organisationId, page, deps),
  columns: async (visit, { pool }) => {
    const nameOf = await principalNames(visit.person.organisationId, pool);
    return versionColumns((by) => (by ? nameOf(by) : "Not known yet"));
  },
  empty: () => <EmptyState title="No versions yet" />,
});

const versionColumns = (nameOf: (by: CatalogueVersion["by"]) => string): readonly Column<CatalogueVersion>[] => [
  { key: "version", heading: "Version", names: true, value: ({ version }) => version },
  {
    key: "applied",
    heading: "Applied",
    value: ({ appliedAt }) => appliedAt,
    cell: ({ appliedAt }) => <Time at={appliedAt} otherwise="Not known yet" />,
  },
  { key: "by", heading: "By", value: ({ by }) => capitalised(nameOf(by)) },
  { key: "changes", heading: "What changed", value: ({ changes }) => changes.map(recordedInWords).join("; "), cell: ChangesCell },
  {
    heading: "File",
    number: true,
    cell: ({ version }) => (
      <Link to={downloadPath(version)} download aria-label={`Download version ${version}`}>
        Download
      </Link>
    ),
  },
];

function ChangesCell({ version, changes, changeCount }: CatalogueVersion) {
  const address = withQuery(changesPath, { from: String(version - 1), to: String(version) });
  if (version === 1) return <span>The first version</span>;
  if (changeCount === 0) return <Link to={address}>Show changes</Link>;
  return (
    <span class="version-changes">
      {changes.map((change) => (
        <span>{recordedInWords(change)}</span>
      ))}
      <Link to={address} aria-description={`What version ${version} changed`}>
        {changeCount > changes.length ? `All ${countInWords(changeCount, "change", "changes")}` : "Show changes"}
      </Link>
    </span>
  );
}

/** A version's number from an address. */
function versionIn(text: string | undefined, label: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text?.trim() ?? "")) throw new Rejection("invalid", `${label} must be the number of a version`);
  return Number(text);
}

/** The organisation file, as `org apply` takes it and as it was applied, with its fields in the usual order. */
export const downloadAnswer = defineAnswer(downloadRoute, "look", async (visit, { pool }) => {
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

/** The versions that the address names; the last change where it names none. */
const compared = oncePerVisit(async (visit, deps: PortalDeps) => {
  const { catalogue, catalogueVersion } = await presentCatalogue(visit, deps);
  const given = (name: string, label: string) => (visit.query[name] ? versionIn(visit.query[name], label) : undefined);
  const from = given("from", "From version") ?? Math.max(1, catalogueVersion - 1);
  const to = given("to", "To version") ?? catalogueVersion;
  const read = (version: number) => requireVersion(visit.person.organisationId, version, deps.pool);
  const [before, after] = await Promise.all([read(from), read(to)]);
  return { from, to, differences: catalogueDifferences(before, after), present: catalogue.file };
});

/** What changed between any two versions. */
export const changesList = listPage<CatalogueDifference>({
  path: changesPath,
  access: "look",
  title: "Changes",
  crumbs: [
    ["Catalogue", cataloguePath],
    ["All versions", versionsPath],
  ],
  of: ["change", "changes"],
  fileName: "catalogue-changes",
  caption: "Changes",
  head: async (visit, deps) => {
    const { from, to } = await compared(visit, deps);
    return { title: `Changes from version ${from} to ${to}` };
  },
  filters: async (visit, deps) => {
    const { from, to } = await compared(visit, deps);
    const version = { kind: "text", maxlength: 9, required: true } as const;
    return [
      { ...version, name: "from", label: "From version", value: String(from) },
      { ...version, name: "to", label: "To version", value: String(to) },
    ];
  },
  readRows: async (visit, _, deps) => ({ items: (await compared(visit, deps)).differences, nextCursor: null }),
  columns: async (visit, deps) => differenceColumns((await compared(visit, deps)).present),
  above: async (visit, deps) => <p class="muted">{changesInWords((await compared(visit, deps)).differences)}</p>,
  empty: () => <EmptyState title="Nothing differs" />,
});

async function requireVersion(organisationId: string, version: number, pool: PortalDeps["pool"]): Promise<OrganisationFile> {
  const file = await catalogueAt(organisationId, version, pool);
  if (!file) throw new Rejection("notFound", `There is no version ${version} of the catalogue`);
  return file;
}

/** `2 added, 1 changed`. */
export function changesInWords(all: readonly CatalogueDifference[]): string {
  const counts = (["added", "changed", "removed"] as const).map((kind) => [kind, subjects(all, kind)] as const);
  return (
    counts
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", ") || "No changes"
  );
}

/** A rate card with a hundred changed lanes is one thing that has changed. */
const subjects = (all: readonly CatalogueDifference[], kind: CatalogueDifference["kind"]): number =>
  new Set(all.filter((each) => each.kind === kind).map(subjectOf)).size;

const badges = {
  added: { label: "Added", badge: "good" },
  removed: { label: "Removed", badge: "bad" },
  changed: { label: "Changed", badge: "" },
} as const;

export const differenceColumns = (present: OrganisationFile): readonly Column<CatalogueDifference>[] => [
  {
    key: "what",
    heading: "What",
    names: true,
    value: subjectOf,
    cell: (difference) => {
      const { section, id } = difference;
      const isThere = section !== "organisation" && id !== undefined && present[section].some((entry) => idOf(entry) === id);
      return isThere ? <EntryLink section={section} id={id} label={subjectOf(difference)} /> : subjectOf(difference);
    },
  },
  { key: "how", heading: "How", ...stateCells<CatalogueDifference>(({ kind }) => badges[kind]) },
  {
    key: "change",
    heading: "Change",
    value: (difference) => (difference.change ? changeInWords(difference) : "All of it"),
    cell: (difference) =>
      difference.change ? <span class="change">{changeInWords(difference)}</span> : <span class="muted">All of it</span>,
  },
];
