import { type CatalogueDifference, catalogueDifferences, changeInWords, subjectOf } from "../../../../domain/catalogue/diff.js";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { idOf } from "../../../../domain/catalogue/uses.js";
import { Rejection } from "../../../../domain/rejection.js";
import { catalogueAt } from "../../../../queries/organisations/organisations.js";
import type { PageOf, PortalDeps, SignedInVisit } from "../../page.js";
import { Badge, EmptyState } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { presentCatalogue } from "../customers.js";
import { changesPath, versionsPath } from "./addresses.js";
import { partOf } from "./inMemory.js";
import { Thing } from "./lists.js";
import { Compare, versionIn } from "./versions.js";

/** What changed between any two versions; the last change where the address names none. */
export const changesPage: PageOf<SignedInVisit> = {
  path: changesPath,
  access: "look",
  show: async (visit, deps) => {
    const { catalogue, catalogueVersion } = await presentCatalogue(visit, deps);
    const { from = Math.max(1, catalogueVersion - 1), to = catalogueVersion } = versionsIn(visit);
    const [before, after] = await Promise.all([requireVersion(visit, deps, from), requireVersion(visit, deps, to)]);
    const all = catalogueDifferences(before, after);
    const address = (row: string | undefined) => `${changesPath}?from=${from}&to=${to}${row ? `&row=${row}` : ""}`;
    const { rows, pager } = partOf(visit, all, "changes", address, { name: "row" });
    return {
      title: `Changes from version ${from} to ${to}`,
      body: (
        <>
          <p class="under-heading">
            <a href={visit.links.to(versionsPath)}>All versions</a>
            <span class="muted">{changesInWords(all)}</span>
          </p>
          <Compare visit={visit} from={from} to={to} />
          <section class="panel" aria-label="Changes">
            <Differences visit={visit} differences={rows} present={catalogue.file} />
            {pager}
          </section>
        </>
      ),
    };
  },
};

function versionsIn({ query }: SignedInVisit): { from?: number; to?: number } {
  return {
    ...(query["from"] ? { from: versionIn(query["from"], "From version") } : {}),
    ...(query["to"] ? { to: versionIn(query["to"], "To version") } : {}),
  };
}

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

interface DifferencesProps {
  readonly visit: SignedInVisit;
  readonly differences: readonly CatalogueDifference[];
  /** The current catalogue: only what is still in it has a page. */
  readonly present: OrganisationFile;
}

export function Differences({ visit, differences, present }: DifferencesProps) {
  return <Table caption="Changes" columns={columns(visit, present)} rows={differences} empty={<EmptyState title="Nothing differs" />} />;
}

const badges = {
  added: { label: "Added", badge: "good" },
  removed: { label: "Removed", badge: "bad" },
  changed: { label: "Changed", badge: "" },
} as const;

const columns = (visit: SignedInVisit, present: OrganisationFile): readonly Column<CatalogueDifference>[] => [
  {
    heading: "What",
    names: true,
    cell: (difference) => {
      const { section, id } = difference;
      const isThere = section !== "organisation" && id !== undefined && present[section].some((entry) => idOf(entry) === id);
      return isThere ? <Thing visit={visit} section={section} id={id} label={subjectOf(difference)} /> : subjectOf(difference);
    },
  },
  { heading: "How", cell: ({ kind }) => <Badge state={badges[kind]} /> },
  {
    heading: "Change",
    cell: (difference) =>
      difference.change ? <span class="change">{changeInWords(difference)}</span> : <span class="muted">All of it</span>,
  },
];
