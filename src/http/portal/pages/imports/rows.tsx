// A row of the list of imports: on the page, and by itself when the import changes.
import type { ImportView } from "../../../../queries/imports/importView.js";
import { type Column, TableRow } from "../../shell/table.js";
import { Amount, Time } from "../../shell/values.js";
import type { Viewer } from "../../shell/viewer.js";
import { importPath, isUnfinished, kindNames, Progress, rejectedSoFar, StatusBadge, shownReference, statusOf } from "./status.js";

export const importColumns = (visit: Viewer): readonly Column<ImportView>[] => [
  { heading: "Reference", names: true, cell: (view) => <a href={visit.links.to(importPath(view.importId))}>{shownReference(view)}</a> },
  { heading: "Kind", cell: ({ kind }) => kindNames[kind] },
  {
    heading: "Status",
    cell: (view) => (
      <span class="status">
        <StatusBadge view={view} />
        {view.status === "processing" ? <Progress view={view} /> : null}
      </span>
    ),
  },
  { heading: "Rows", number: true, cell: ({ counts }) => <Amount value={counts.received} /> },
  { heading: "Rejected", number: true, cell: (view) => <Amount value={rejectedSoFar(view)} /> },
  { heading: "Submitted", cell: ({ submittedAt }) => <Time visit={visit} at={submittedAt} /> },
  { heading: "Ended", cell: (view) => <Time visit={visit} at={view.finishedAt} otherwise={isUnfinished(view) ? "Not yet" : "-"} /> },
];

/** What the page's script goes by: where the row belongs, and what to say when the status changes. */
export const importMarks = (view: ImportView): Readonly<Record<string, string>> => ({
  id: `import-${view.importId}`,
  "data-kind": view.kind,
  "data-status": view.status,
  "data-reference": view.reference.toLowerCase(),
  "data-at": view.submittedAt.toISOString(),
  "data-says": `${shownReference(view)}: ${statusOf(view).toLowerCase()}`,
});

export const importRow = (view: ImportView, visit: Viewer): string =>
  String(<TableRow columns={importColumns(visit)} row={view} marks={importMarks} />);
