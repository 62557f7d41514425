// The first panel of an import's page: its status and counts, the states of its rejected rows, and its actions.
import { unusualWords } from "../../../../domain/imports/unusual.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import { type CorrectingImport, correctingImports, type ImportView } from "../../../../queries/imports/importView.js";
import { countRejectedRows, type GroupState, groupStates } from "../../../../queries/rejectedRows/rejectionGroups.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { countInWords, groupDigits } from "../../shell/formats.js";
import { Amount, ButtonLink, type Fact, Facts, Link, Time, useVisit, withCommas, withQuery } from "../../shell/markup.js";
import { AskButton } from "../../shell/question.js";
import { activitiesPath } from "../activities/selection.js";
import { correctionsPathOf, hasRows, type RejectedRowCounts } from "../corrections/shownRows.js";
import { fullNews, importPath, isUnfinished, kindNames, rejectedSoFar, reversePath, StateBadges, shownReference } from "./importStatus.js";

/** The number of rejected rows in each state. */
type RowStateCounts = RejectedRowCounts[ImportKind];

/** The parts that change while the import runs, and the actions. All members with the same role get the same markup. */
export async function statusPart(visit: SignedInVisit, view: ImportView, { pool }: PortalDeps) {
  const { organisationId } = visit.person;
  const { importId, kind, status, counts } = view;
  const [corrections, stateCounts] = await Promise.all([
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
      data-says={fullNews(view)}
    >
      <p class="status">
        <StateBadges view={view} />
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
          ...rejectedRowFacts(view, stateCounts),
          ...correctionFacts(view, corrections),
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
      <Actions view={view} stateCounts={stateCounts} />
    </section>
  );
}

/** When this changes, the page's script announces the status. */
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
  const recordedLink = (
    <Link to={withQuery(activitiesPath, { import: view.importId })}>
      {recorded}
      <span class="unseen">, show them</span>
    </Link>
  );
  const hasActivities = kind === "activities" && view.status === "completed" && counts.processed > 0;
  return [
    figure("Rows read", counts.received),
    [`${kindNames[kind]} recorded`, hasActivities ? recordedLink : recorded],
    ...(reversed ? [figure(`${kindNames[kind]} reversed`, reversed.rows)] : []),
    figure("Rows rejected", rejected),
  ];
}

const stateWords: Readonly<Record<GroupState, string>> = {
  open: "to correct",
  submitted: "being corrected",
  corrected: "corrected",
  dismissed: "dismissed",
};

/** The number of rejected rows in each state, with links to them. */
function rejectedRowFacts({ importId }: ImportView, stateCounts: RowStateCounts | undefined): Fact[] {
  const statesWithRows = groupStates.filter((state) => stateCounts && hasRows(stateCounts[state]));
  if (!stateCounts || statesWithRows.length === 0) return [];
  const parts = statesWithRows.map((state) => (
    <Link to={correctionsPathOf({ importId, state })}>
      <Amount value={stateCounts[state].rows} />
      {stateCounts[state].atLeast ? " or more" : ""} {stateWords[state]}
    </Link>
  ));
  return [["Rejected rows", withCommas(parts)]];
}

/** The import that this one corrects, and the imports that correct this one. */
function correctionFacts({ correctionOf }: ImportView, corrections: readonly CorrectingImport[]): Fact[] {
  const link = (importId: string, text: string) => <Link to={importPath(importId)}>{text}</Link>;
  const facts: Fact[] = [];
  if (correctionOf) {
    const { importId, rows, reason } = correctionOf;
    const why = reason === undefined ? "" : `: ${reason}`;
    facts.push(["Corrects", [countInWords(rows.length, "row"), " of ", link(importId, "an earlier import"), why]]);
  }
  const parts = corrections.map((each) => [link(each.importId, shownReference(each)), ` (${countInWords(each.rows, "row")})`]);
  if (parts.length > 0) facts.push(["Corrected by", withCommas(parts)]);
  return facts;
}

function Actions({ view, stateCounts }: { view: ImportView; stateCounts: RowStateCounts | undefined }) {
  const mayOperate = useVisit().may("operate");
  const canCorrect = stateCounts !== undefined && hasRows(stateCounts.open);
  const path = importPath(view.importId);
  const reportIsDue = !isUnfinished(view) && view.counts.failed > 0 && view.reportKey === null;
  return (
    <div class="button-row">
      {canCorrect && mayOperate ? (
        <ButtonLink to={withQuery("/portal/corrections", { import: view.importId })} label="Correct rejected rows" />
      ) : null}
      {view.reportKey === null ? null : <ButtonLink to={`${path}/report`} label="Download error report" quiet />}
      {view.reportKey !== null && canCorrect && (stateCounts?.open.rows ?? 0) < view.counts.failed ? (
        <ButtonLink to={withQuery(`${path}/report`, { rows: "all" })} label="Download with all rejected rows" quiet />
      ) : null}
      {reportIsDue ? <span class="muted">The error report is being prepared.</span> : null}
      <ButtonLink to={`${path}/file`} label="Download submitted file" quiet />
      {isReversible(view, canCorrect) && mayOperate ? <ButtonLink to={reversePath(view.importId)} label="Reverse import" quiet /> : null}
      {isUnfinished(view) && !view.cancelling && mayOperate ? (
        <AskButton path={path} question={{ ask: "cancel" }} label="Cancel import" about={shownReference(view)} />
      ) : null}
    </div>
  );
}

/** Whether something may be left to reverse: recorded rows, or open rejected rows, which a reversal withdraws. */
const isReversible = ({ status, counts, reversed }: ImportView, canCorrect: boolean): boolean =>
  status === "completed" && (canCorrect || (counts.processed > 0 && !reversed?.all));
