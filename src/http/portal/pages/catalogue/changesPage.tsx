import { type CatalogueDifference, catalogueDifferences, changeInWords, subjectOf } from "../../../../domain/catalogue/diff.js";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { idOf } from "../../../../domain/catalogue/uses.js";
import { Rejection } from "../../../../domain/rejection.js";
import { catalogueAt } from "../../../../queries/organisations/organisations.js";
import { oncePerVisit, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { listPage } from "../../shell/listPage.js";
import { Badge, EmptyState } from "../../shell/panel.js";
import type { Column } from "../../shell/table.js";
import { presentCatalogue } from "../customers.js";
import { cataloguePath, changesPath, versionsPath } from "./addresses.js";
import { EntryLink } from "./entryColumns.js";
import { versionIn } from "./versionsPage.js";

interface Compared {
  readonly from: number;
  readonly to: number;
  readonly differences: readonly CatalogueDifference[];
  /** Only what is still in it has a page. */
  readonly present: OrganisationFile;
}

/** The versions that the address names; the last change where it names none. */
const compared = oncePerVisit(async (visit, deps: PortalDeps): Promise<Compared> => {
  const { catalogue, catalogueVersion } = await presentCatalogue(visit, deps);
  const given = (name: string, label: string) => (visit.query[name] ? versionIn(visit.query[name], label) : undefined);
  const from = given("from", "From version") ?? Math.max(1, catalogueVersion - 1);
  const to = given("to", "To version") ?? catalogueVersion;
  const [before, after] = await Promise.all([requireVersion(visit, deps, from), requireVersion(visit, deps, to)]);
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
  query: async (visit, _, deps) => ({ items: (await compared(visit, deps)).differences, nextCursor: null }),
  columns: async (visit, deps) => differenceColumns(visit, (await compared(visit, deps)).present),
  above: async (visit, deps) => <p class="muted">{changesInWords((await compared(visit, deps)).differences)}</p>,
  empty: () => <EmptyState title="Nothing differs" />,
});

async function requireVersion({ person }: SignedInVisit, { pool }: PortalDeps, version: number): Promise<OrganisationFile> {
  const file = await catalogueAt(person.organisationId, version, pool);
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

export const differenceColumns = (visit: SignedInVisit, present: OrganisationFile): readonly Column<CatalogueDifference>[] => [
  {
    ...{ key: "what", heading: "What", names: true, value: subjectOf },
    cell: (difference) => {
      const { section, id } = difference;
      const isThere = section !== "organisation" && id !== undefined && present[section].some((entry) => idOf(entry) === id);
      return isThere ? <EntryLink visit={visit} section={section} id={id} label={subjectOf(difference)} /> : subjectOf(difference);
    },
  },
  { key: "how", heading: "How", value: ({ kind }) => badges[kind].label, cell: ({ kind }) => <Badge state={badges[kind]} /> },
  {
    ...{ key: "change", heading: "Change", value: (difference) => (difference.change ? changeInWords(difference) : "All of it") },
    cell: (difference) =>
      difference.change ? <span class="change">{changeInWords(difference)}</span> : <span class="muted">All of it</span>,
  },
];
