import { importKinds } from "../../../../events/importEvents.js";
import { countImports, type ImportFilter, listImports } from "../../../../queries/imports/importList.js";
import type { ImportStatus } from "../../../../queries/imports/importView.js";
import { watchedName } from "../../../../queries/pageVersions.js";
import { Live, liveAnswer, liveVersionOf } from "../../live/live.js";
import { defineAnswer, oncePerVisit, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { type Chip, optionsOf } from "../../shell/chips.js";
import { listPage } from "../../shell/listPage.js";
import { ButtonLink, EmptyState } from "../../shell/markup.js";
import { importColumns, importMarks, importsPath, isUnfinished, kindNames, listDetails, livePath, statusBadges } from "./importStatus.js";

const maxReferenceLength = 200;
const statusOptions = Object.entries(statusBadges).map(([value, { label }]) => ({ value, label }));

const chips: readonly Chip[] = [
  { name: "kind", label: "Kind", kind: "choice", all: "All kinds", options: optionsOf(kindNames) },
  { name: "status", label: "Status", kind: "choice", all: "Every status", options: statusOptions },
  { name: "reference", label: "Reference", kind: "text", maxlength: maxReferenceLength },
  { name: "correct", label: "To correct", kind: "checkBox" },
  { name: "reversed", label: "Reversed", kind: "checkBox" },
];

function importFilterOf(query: Readonly<Record<string, string>>): ImportFilter {
  return {
    kind: importKinds.find((kind) => kind === query["kind"]),
    status: (Object.keys(statusBadges) as ImportStatus[]).find((status) => status === query["status"]),
    reference: query["reference"]?.trim().slice(0, maxReferenceLength) || undefined,
    toCorrect: query["correct"] === "yes" || undefined,
    reversed: query["reversed"] === "yes" || undefined,
  };
}

const watchedImports = ({ person }: SignedInVisit) => watchedName.imports(person.organisationId);
const shownVersion = oncePerVisit((visit, deps: PortalDeps) => liveVersionOf(watchedImports(visit), deps));

/** The live events of the imports list. Other pages that depend on imports use them too. */
export const liveImports = defineAnswer(livePath, "look", async (visit, deps) => liveAnswer(visit, deps, watchedImports(visit)));

export const importsList = listPage({
  path: importsPath,
  access: "look",
  title: "Imports",
  noun: ["import", "imports"],
  caption: "Imports, newest first",
  scripts: ["live.js"],
  action: (visit) => (visit.may("operate") ? <ButtonLink to="/portal/upload" label="Upload a file" /> : null),
  filters: () => chips,
  readRows: async (visit, page, deps) => {
    const { organisationId } = visit.person;
    const filter = importFilterOf(visit.query);
    await shownVersion(visit, deps); // before the rows are read, so that a change in between is not missed
    const [found, total] = await Promise.all([
      listImports(organisationId, filter, page, deps),
      countImports(organisationId, filter, deps.pool),
    ]);
    return { ...found, ...(total ? { total } : {}) };
  },
  columns: async (visit, deps, views) => importColumns(await listDetails(visit.person.organisationId, views, deps)),
  rowAttributes: importMarks,
  panelAttributes: () => ({ id: "imports", "data-refetch": "" }),
  aboveTable: async (visit, deps, views) => (
    <Live eventsPath={livePath} version={await shownVersion(visit, deps)} isInProgress={views.some(isUnfinished)} />
  ),
  empty: ({ may }, why) => {
    if (why === "page") return <EmptyState title="No matches on this page">Go to the next page to search older imports.</EmptyState>;
    if (why === "filter") return <EmptyState title="No imports match this filter" />;
    return (
      <EmptyState title="No imports yet">
        {may("operate") ? (
          <ButtonLink to="/portal/upload" label="Upload a file" />
        ) : (
          "Files you upload and data sent through the API appear here."
        )}
      </EmptyState>
    );
  },
});
