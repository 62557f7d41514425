import type { CorrectingImport, ImportView } from "../../../../queries/imports/importView.js";
import type { Viewer } from "../../live/importFeed.js";
import { AskButton } from "../../shell/dialog.js";
import { type Fact, Facts } from "../../shell/panel.js";
import { Amount, Time } from "../../shell/values.js";
import { importPath, isUnfinished, kindNames, Progress, rejectedSoFar, StatusBadge, shownReference, statusOf } from "./status.js";

interface StatusProps {
  readonly visit: Viewer;
  readonly view: ImportView;
  readonly hasOpenRows: boolean;
  readonly correcting: readonly CorrectingImport[];
}

/** What changes while the import runs, and what can be done with it. All members with one role get the same markup: it holds nothing of a session. */
export function StatusPart({ visit, view, hasOpenRows, correcting }: StatusProps) {
  return (
    <section
      class="panel import-status"
      id="import-status"
      aria-label="Status"
      tabindex={-1}
      data-status={shownStatus(view)}
      data-says={`${shownReference(view)}: ${statusOf(view).toLowerCase()}${saysCounts(view)}`}
    >
      <p class="status">
        <StatusBadge view={view} />
        {view.status === "processing" ? <Progress view={view} /> : null}
      </p>
      {view.errorMessage === null ? null : <p class="fault">{view.errorMessage}</p>}
      {view.status === "cancelled" ? <p>Nothing of this import is in the ledger.</p> : null}
      <Facts class="figures" facts={figuresOf(view).map(([label, value]): Fact => [label, <Amount value={value} />])} />
      <Facts
        facts={[
          ["Kind", kindNames[view.kind]],
          ["Submitted", <Time visit={visit} at={view.submittedAt} />],
          ["Started", <Time visit={visit} at={view.startedAt} otherwise="Not yet" />],
          ["Ended", <Time visit={visit} at={view.finishedAt} otherwise="Not yet" />],
          ...(view.notes.length === 0 ? [] : [["Notes", view.notes.join("; ")] as const]),
          ...corrections({ visit, view, correcting }),
        ]}
      />
      <Actions visit={visit} view={view} hasOpenRows={hasOpenRows} />
    </section>
  );
}

export const shownStatus = ({ status, cancelling }: Pick<ImportView, "status" | "cancelling">): string =>
  cancelling ? "cancelling" : status;

const saysCounts = (view: ImportView): string =>
  isUnfinished(view) ? "" : `, ${view.counts.received} rows read, ${view.counts.failed} rejected`;

function figuresOf(view: ImportView): readonly (readonly [label: string, value: number])[] {
  const { counts, kind } = view;
  const rejected = rejectedSoFar(view);
  if (isUnfinished(view))
    return [
      ["Rows read", counts.received],
      ["Accepted so far", counts.received - rejected],
      ["Rejected so far", rejected],
    ];
  return [
    ["Rows read", counts.received],
    [`${kindNames[kind]} written`, counts.processed],
    ["Rows rejected", rejected],
  ];
}

/** Both ways: what this import corrects, and what corrects it. */
function corrections({ visit, view: { correctionOf }, correcting }: Pick<StatusProps, "visit" | "view" | "correcting">): Fact[] {
  const link = (importId: string, text: string) => <a href={visit.links.to(importPath(importId))}>{text}</a>;
  const facts: Fact[] = [];
  if (correctionOf) {
    const { importId, rows } = correctionOf;
    facts.push(["Corrects", [<Amount value={rows.length} />, " rows of ", link(importId, "an earlier import")]]);
  }
  if (correcting.length > 0)
    facts.push([
      "Corrected by",
      correcting.map((each, index) => (
        <>
          {index > 0 ? ", " : null}
          {link(each.importId, shownReference(each))} (<Amount value={each.rows} /> rows)
        </>
      )),
    ]);
  return facts;
}

function Actions({ visit, view, hasOpenRows }: Pick<StatusProps, "visit" | "view" | "hasOpenRows">) {
  const path = importPath(view.importId);
  const reportIsDue = !isUnfinished(view) && view.counts.failed > 0 && view.reportKey === null;
  return (
    <div class="button-row">
      {hasOpenRows && visit.may("operate") ? (
        <a class="button" href={visit.links.to("/portal/corrections", { import: view.importId })}>
          Correct rejected rows
        </a>
      ) : null}
      {view.reportKey === null ? null : (
        <a class="button quiet" href={visit.links.to(`${path}/report`)}>
          Download error report
        </a>
      )}
      {reportIsDue ? <span class="muted">The error report is being made.</span> : null}
      <a class="button quiet" href={visit.links.to(`${path}/file`)}>
        Download submitted file
      </a>
      {isUnfinished(view) && !view.cancelling && visit.may("operate") ? (
        <AskButton visit={visit} at={path} question={{ ask: "cancel" }} label="Cancel import" about={shownReference(view)} />
      ) : null}
    </div>
  );
}
