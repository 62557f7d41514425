import { importKinds } from "../../../../events/importEvents.js";
import { type ImportFilter, listImports } from "../../../../queries/imports/importList.js";
import type { ImportStatus } from "../../../../queries/imports/importView.js";
import { countImports } from "../../../../queries/imports/listedImports.js";
import type { Chip } from "../../shell/chips.js";
import { ButtonLink } from "../../shell/form.js";
import { listPage } from "../../shell/listPage.js";
import { EmptyState } from "../../shell/panel.js";
import {
  importColumns,
  importMarks,
  importNotes,
  importsPath,
  isUnfinished,
  kindNames,
  Live,
  livePath,
  statusNames,
} from "./importStatus.js";

const longestReference = 200;
const statuses = Object.keys(statusNames) as ImportStatus[];

const chips: readonly Chip[] = [
  {
    name: "kind",
    label: "Kind",
    kind: "choice",
    all: "All kinds",
    options: importKinds.map((value) => ({ value, label: kindNames[value] })),
  },
  {
    ...{ name: "status", label: "Status", kind: "choice", all: "Every status" },
    options: statuses.map((value) => ({ value, label: statusNames[value] })),
  },
  { name: "reference", label: "Reference", kind: "text", maxlength: longestReference },
  { name: "correct", label: "To correct", kind: "yes" },
  { name: "reversed", label: "Reversed", kind: "yes" },
];

function filterOf(query: Readonly<Record<string, string>>): ImportFilter {
  return {
    kind: importKinds.find((kind) => kind === query["kind"]),
    status: statuses.find((status) => status === query["status"]),
    reference: query["reference"]?.trim().slice(0, longestReference) || undefined,
    toCorrect: query["correct"] === "yes" || undefined,
    reversed: query["reversed"] === "yes" || undefined,
  };
}

export const importsList = listPage({
  path: importsPath,
  access: "look",
  title: "Imports",
  of: ["import", "imports"],
  caption: "Imports, newest first",
  scripts: ["live.js"],
  action: (visit) => (visit.may("operate") ? <ButtonLink to={visit.links.to("/portal/upload")} label="Upload a file" /> : null),
  filters: () => chips,
  query: async (visit, page, deps) => {
    const { organisationId } = visit.person;
    const filter = filterOf(visit.query);
    const [found, total] = await Promise.all([
      listImports(organisationId, filter, page, deps),
      countImports(organisationId, filter, deps.pool),
    ]);
    return { ...found, ...(total ? { total } : {}) };
  },
  columns: async (visit, deps, views) => importColumns(visit, await importNotes(visit.person.organisationId, views, deps)),
  marks: importMarks,
  // For the script that adds new imports to the first page: only those that the filter lets through.
  panel: ({ query }) => {
    const { kind = "", status = "", reference = "", toCorrect, reversed } = filterOf(query);
    if (query["cursor"] || query["after"] || query["sort"] || toCorrect || reversed) return {};
    return { "data-newest": "", "data-kind": kind, "data-status": status, "data-reference": reference.toLowerCase() };
  },
  above: (visit, _, views) => <Live visit={visit} from={livePath} isMoving={views.some(isUnfinished)} />,
  empty: ({ may, links }, why) => {
    if (why === "page") return <EmptyState title="No matches on this page">Go to the next page to search older imports.</EmptyState>;
    if (why === "filter") return <EmptyState title="No imports match this filter" />;
    return (
      <EmptyState title="No imports yet">
        {may("operate") ? (
          <ButtonLink to={links.to("/portal/upload")} label="Upload a file" />
        ) : (
          "Files you upload and data sent through the API appear here."
        )}
      </EmptyState>
    );
  },
});
