// The first panel of an import's page: its status and counts, what became of its rejected rows, and what can be done with it.
import { unusualWords } from "../../../../domain/imports/unusual.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import { type CorrectingImport, correctingImports, type ImportView } from "../../../../queries/imports/importView.js";
import { countRejectedRows, type GroupState, groupStates } from "../../../../queries/rejectedRows/rejectionGroups.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { countInWords, groupDigits } from "../../shell/formats.js";
import { Amount, ButtonLink, type Fact, Facts, Link, Time, useVisit, withCommas, withQuery } from "../../shell/parts.js";
import { AskButton } from "../../shell/question.js";
import { activitiesPath } from "../activities/selection.js";
import { type Counts, correctionsPathOf, hasRows } from "../corrections/shownRows.js";
import { importPath, isUnfinished, kindNames, rejectedSoFar, reversePath, States, sayOutcome, shownReference } from "./importStatus.js";

/** Rejected rows by their states. */
type RowStates = Counts[ImportKind];

/** What changes while the import runs, and what can be done with it. All members with one role get the same markup: it holds nothing of a session. */
export async function statusPart(visit: SignedInVisit, view: ImportView, { pool }: PortalDeps) {
  const { organisationId } = visit.person;
  const { importId, kind, status, counts } = view;
  const [correcting, states] = await Promise.all([
    status === "completed" ? correctingImports(organisationId, importId, pool) : [],
    status === "completed" && counts.failed > 0 ? countRejectedRows(organisationId, importId, pool).then((each) => each[kind]) : undefined,
  ]);
  return (
    <section
      class="panel import-status"
      id="import-status"
      aria-label="Status"
      tabindex={-1}
      data-status={shownStatus(view)}
      data-says={sayOutcome(view)}
    >
      <p class="status">
        <States view={view} />
      </p>
      {view.errorMessage === null ? null : <p class="notice error">{view.errorMessage}</p>}
      {view.status === "cancelled" ? <p>Nothing of this import was recorded.</p> : null}
      <Facts class="figures" facts={figuresOf(view)} />
      <Facts
        facts={[
          ["Kind", kindNames[view.kind]],
          ["Submitted", <Time at={view.submittedAt} />],
          ["Started", <Time at={view.startedAt} otherwise="Not yet" />],
          ["Ended", <Time at={view.finishedAt} otherwise="Not yet" />],
          ...(view.notes.length === 0 ? [] : [["Notes", view.notes.join("; ")] as const]),
          ...rejectedRows(view, states),
          ...corrections(view, correcting),
        ]}
      />
      {view.unusual === null ? null : (
        <p class="notice warn">
          <Link to={withQuery(activitiesPath, { import: view.importId, unusual: "yes" })}>
            Look at {countInWords(view.unusual.count, "unusual row")}
          </Link>{" "}
          before they are billed: {view.unusual.kinds.map(({ kind, count }) => `${unusualWords[kind]} (${groupDigits(count)})`).join(", ")}.
        </p>
      )}
      <Actions view={view} states={states} />
    </section>
  );
}

/** What a part of the page depends on besides the counts. */
const shownStatus = ({ status, cancelling, reversed }: ImportView): string =>
  cancelling ? "cancelling" : reversed ? `${status}, ${reversed.rows} reversed` : status;

function figuresOf(view: ImportView): Fact[] {
  const { counts, kind, reversed } = view;
  const rejected = rejectedSoFar(view);
  const figure = (label: string, value: number): Fact => [label, <Amount value={value} />];
  if (isUnfinished(view))
    return [
      figure("Rows read", counts.received),
      figure("Accepted so far", counts.received - rejected),
      figure("Rejected so far", rejected),
    ];
  const recorded = <Amount value={counts.processed} />;
  const shown = (
    <Link to={withQuery(activitiesPath, { import: view.importId })}>
      {recorded}
      <span class="unseen">, show them</span>
    </Link>
  );
  const hasActivities = kind === "activities" && view.status === "completed" && counts.processed > 0;
  return [
    figure("Rows read", counts.received),
    [`${kindNames[kind]} recorded`, hasActivities ? shown : recorded],
    ...(reversed ? [figure(`${kindNames[kind]} reversed`, reversed.rows)] : []),
    figure("Rows rejected", rejected),
  ];
}

const inWords: Readonly<Record<GroupState, string>> = {
  open: "to correct",
  submitted: "being corrected",
  corrected: "corrected",
  dismissed: "dismissed",
};

/** What became of the rejected rows, each number with the way to its rows. */
function rejectedRows({ importId }: ImportView, states: RowStates | undefined): Fact[] {
  const some = groupStates.filter((state) => states && hasRows(states[state]));
  if (!states || some.length === 0) return [];
  const parts = some.map((state) => (
    <Link to={correctionsPathOf({ importId, state })}>
      <Amount value={states[state].rows} />
      {states[state].atLeast ? " or more" : ""} {inWords[state]}
    </Link>
  ));
  return [["Rejected rows", withCommas(parts)]];
}

/** Both ways: what this import corrects, and what corrects it. */
function corrections({ correctionOf }: ImportView, correcting: readonly CorrectingImport[]): Fact[] {
  const link = (importId: string, text: string) => <Link to={importPath(importId)}>{text}</Link>;
  const facts: Fact[] = [];
  if (correctionOf) {
    const { importId, rows, reason } = correctionOf;
    const why = reason === undefined ? "" : `: ${reason}`;
    facts.push(["Corrects", [countInWords(rows.length, "row"), " of ", link(importId, "an earlier import"), why]]);
  }
  const parts = correcting.map((each) => [link(each.importId, shownReference(each)), ` (${countInWords(each.rows, "row")})`]);
  if (parts.length > 0) facts.push(["Corrected by", withCommas(parts)]);
  return facts;
}

function Actions({ view, states }: { view: ImportView; states: RowStates | undefined }) {
  const mayOperate = useVisit().may("operate");
  const canCorrect = states !== undefined && hasRows(states.open);
  const path = importPath(view.importId);
  const reportIsDue = !isUnfinished(view) && view.counts.failed > 0 && view.reportKey === null;
  return (
    <div class="button-row">
      {canCorrect && mayOperate ? (
        <ButtonLink to={withQuery("/portal/corrections", { import: view.importId })} label="Correct rejected rows" />
      ) : null}
      {view.reportKey === null ? null : <ButtonLink to={`${path}/report`} label="Download error report" quiet />}
      {view.reportKey !== null && canCorrect && (states?.open.rows ?? 0) < view.counts.failed ? (
        <ButtonLink to={withQuery(`${path}/report`, { rows: "all" })} label="Download with all rejected rows" quiet />
      ) : null}
      {reportIsDue ? <span class="muted">The error report is being prepared.</span> : null}
      <ButtonLink to={`${path}/file`} label="Download submitted file" quiet />
      {isReversible(view, canCorrect) && mayOperate ? <ButtonLink to={reversePath(view.importId)} label="Reverse import" quiet /> : null}
      {isUnfinished(view) && !view.cancelling && mayOperate ? (
        <AskButton at={path} question={{ ask: "cancel" }} label="Cancel import" about={shownReference(view)} />
      ) : null}
    </div>
  );
}

/** Whether something is left to reverse, as far as can be told. */
const isReversible = ({ status, counts, reversed }: ImportView, canCorrect: boolean): boolean =>
  status === "completed" && (canCorrect || (counts.processed > 0 && !reversed?.all));
