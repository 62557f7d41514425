import type { CorrectingImport, ImportView } from "../../../../queries/imports/importView.js";
import { AskButton } from "../../shell/dialog.js";
import { Amount, Time } from "../../shell/values.js";
import type { Viewer } from "../../shell/viewer.js";
import { isInMenu } from "../navigation.js";
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
      <dl class="figures">
        {figuresOf(view).map(({ label, value }) => (
          <div>
            <dt>{label}</dt>
            <dd>
              <Amount value={value} />
            </dd>
          </div>
        ))}
      </dl>
      <dl class="facts">
        <Fact label="Kind">{kindNames[view.kind]}</Fact>
        <Fact label="Submitted">
          <Time visit={visit} at={view.submittedAt} />
        </Fact>
        <Fact label="Started">
          <Time visit={visit} at={view.startedAt} otherwise="Not yet" />
        </Fact>
        <Fact label="Ended">
          <Time visit={visit} at={view.finishedAt} otherwise="Not yet" />
        </Fact>
        {view.notes.length === 0 ? null : <Fact label="Notes">{view.notes.join("; ")}</Fact>}
        <Corrections visit={visit} view={view} correcting={correcting} />
      </dl>
      <Actions visit={visit} view={view} hasOpenRows={hasOpenRows} />
    </section>
  );
}

export const shownStatus = ({ status, cancelling }: Pick<ImportView, "status" | "cancelling">): string =>
  cancelling ? "cancelling" : status;

function Fact({ label, children }: { readonly label: string; readonly children: unknown }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children as never}</dd>
    </div>
  );
}

const saysCounts = (view: ImportView): string =>
  isUnfinished(view) ? "" : `, ${view.counts.received} rows read, ${view.counts.failed} rejected`;

function figuresOf(view: ImportView): readonly { readonly label: string; readonly value: number }[] {
  const { counts, kind } = view;
  const rejected = rejectedSoFar(view);
  if (isUnfinished(view))
    return [
      { label: "Rows read", value: counts.received },
      { label: "Accepted so far", value: counts.received - rejected },
      { label: "Rejected so far", value: rejected },
    ];
  return [
    { label: "Rows read", value: counts.received },
    { label: `${kindNames[kind]} written`, value: counts.processed },
    { label: "Rows rejected", value: rejected },
  ];
}

/** Both ways: what this import corrects, and what corrects it. */
function Corrections({ visit, view: { correctionOf }, correcting }: Pick<StatusProps, "visit" | "view" | "correcting">) {
  const link = (importId: string, text: string) => <a href={visit.links.to(importPath(importId))}>{text}</a>;
  return (
    <>
      {correctionOf === null ? null : (
        <Fact label="Corrects">
          <Amount value={correctionOf.rows.length} /> rows of {link(correctionOf.importId, "an earlier import")}
        </Fact>
      )}
      {correcting.length === 0 ? null : (
        <Fact label="Corrected by">
          {correcting.map((each, index) => (
            <>
              {index > 0 ? ", " : null}
              {link(each.importId, shownReference(each))} (<Amount value={each.rows} /> rows)
            </>
          ))}
        </Fact>
      )}
    </>
  );
}

const correctionsPath = "/portal/corrections";

function Actions({ visit, view, hasOpenRows }: Pick<StatusProps, "visit" | "view" | "hasOpenRows">) {
  const path = importPath(view.importId);
  const reportIsDue = !isUnfinished(view) && view.counts.failed > 0 && view.reportKey === null;
  return (
    <div class="import-actions">
      {hasOpenRows && visit.may("operate") && isInMenu(correctionsPath) ? (
        <a class="button" href={visit.links.to(`${correctionsPath}?import=${view.importId}`)}>
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
