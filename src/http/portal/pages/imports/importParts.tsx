// Parts of an import's page: the reasons for rejections, the rejected rows, the reversals and the timeline.
import type { Child } from "hono/jsx";
import type { Pool } from "pg";
import { columnsOf } from "../../../../domain/imports/fields.js";
import { type NameOf, principalOf } from "../../../../domain/principal.js";
import { rangesInWords } from "../../../../domain/ranges.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import { type ImportReversal, importReversals } from "../../../../queries/imports/importReversals.js";
import type { TimelineStep } from "../../../../queries/imports/importTimeline.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { listRejectedRows, type RejectedRow } from "../../../../queries/rejectedRows/listRejectedRows.js";
import { rejectionReasons } from "../../../../queries/rejectedRows/rejectionReasons.js";
import type { RowState } from "../../../../queries/rejectedRows/rowStates.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { clipText, countInWords, groupDigits } from "../../shell/formats.js";
import { Badge, type Fact, Facts, Link, Pager, Panel, Sentence, type State, Time, withQuery } from "../../shell/markup.js";
import { Bars } from "../../shell/plot.js";
import { type Column, Table } from "../../shell/table.js";
import { historyPath, importPath, isUnfinished, rejectedSoFar } from "./importStatus.js";

/** Null while the import runs: its reasons are counted a moment later than its rejected rows, so the two numbers would not agree. */
export async function reasonsPart(organisationId: string, view: ImportView, pool: Pool) {
  const rejected = rejectedSoFar(view);
  if (rejected === 0 || isUnfinished(view)) return null;
  const { reasons, others, counted } = await rejectionReasons(organisationId, view, pool);
  if (reasons.length === 0) return null;
  return (
    <Panel id="reasons" title="Why rows were rejected">
      <Bars bars={reasons.map(({ reason, rows }) => [reason, rows] as const)} noun={["row", "rows"]} />
      <p class="hint">
        A row with several faults is counted once for each. If one line of a shipment has a fault, all its lines are rejected and counted.
        {others > 0 ? ` ${others} less common ${others === 1 ? "reason is" : "reasons are"} not shown.` : null}
        {counted < rejected ? ` Based on ${groupDigits(counted)} of the rejected rows.` : null}
      </p>
    </Panel>
  );
}

const rowsPerPage = 25;

export async function rejectedPart({ person, query }: SignedInVisit, view: ImportView, { pool, signingSecret: secret }: PortalDeps) {
  const cursor = query["cursor"] || undefined;
  if (rejectedSoFar(view) === 0 && cursor === undefined) return null;
  const { items, nextCursor } = await listRejectedRows(person.organisationId, view, { limit: rowsPerPage, cursor, secret }, pool);
  if (items.length === 0 && cursor === undefined) return null;
  return (
    <Panel id="rejected" title="Rejected rows">
      <Table caption="Rejected rows, in the order of the file" columns={rejectedColumns(view)} rows={items} />
      <Pager
        plural="rejected rows"
        isFirst={cursor === undefined}
        nextCursor={nextCursor}
        path={(next) => `${withQuery(importPath(view.importId), { cursor: next })}#rejected`}
      />
    </Panel>
  );
}

const rowStateBadges: Readonly<Record<RowState, State>> = {
  open: { label: "Open", badge: "bad" },
  submitted: { label: "Being corrected", badge: "busy" },
  corrected: { label: "Corrected", badge: "good" },
  dismissed: { label: "Dismissed", badge: "" },
  superseded: { label: "Superseded", badge: "" },
  withdrawn: { label: "Withdrawn", badge: "" },
};

const rejectedColumns = ({ importId, kind }: ImportView): readonly Column<RejectedRow>[] => [
  {
    heading: "Row",
    isRowHeader: true,
    cell: ({ row }) => (
      <Link class="amount" to={historyPath(importId, row)}>
        {row}
        <span class="unseen">, its history</span>
      </Link>
    ),
  },
  {
    heading: "Reason",
    cell: ({ error }) => (
      <span class="reason">
        <Sentence text={clipText(error, maxReasonLength)} />
      </span>
    ),
  },
  { heading: "Values", cell: ({ data }) => <RowValues data={data} kind={kind} /> },
  { heading: "State", cell: ({ state }) => (state === null ? <span class="muted">-</span> : <Badge state={rowStateBadges[state]} />) },
];

const maxReasonLength = 500;
const maxValueLength = 80;
const maxValues = 24;

/** The values of a rejected row. Fields that we know have their headings; other columns have the names that were sent. */
function RowValues({ data, kind }: { readonly data: unknown; readonly kind: ImportKind }) {
  const headings = new Map<string, string>(columnsOf(kind).map(({ name, heading }) => [name, heading]));
  const filledIn = Object.entries((data ?? {}) as Record<string, unknown>).filter(([, value]) => value !== "" && value !== null);
  if (filledIn.length === 0) return <span class="muted">none given</span>;
  const factOf = ([name, value]: [string, unknown]): Fact => [
    clipText(headings.get(name) ?? name, maxValueLength),
    clipText(typeof value === "string" ? value : JSON.stringify(value), maxValueLength),
  ];
  return (
    <div>
      <Facts class="values" facts={filledIn.slice(0, maxValues).map(factOf)} />
      {filledIn.length > maxValues ? <span class="muted">and {filledIn.length - maxValues} more</span> : null}
    </div>
  );
}

/** The page lists only the first reversals; the history has all. */
const maxShownReversals = 25;
const maxShownRanges = 12;

/** The reversals of an import: when, by whom, why and of which rows. */
export async function reversalsPart(organisationId: string, view: ImportView, nameOf: NameOf, pool: Pool) {
  const range = { after: undefined, count: maxShownReversals + 1 };
  const reversals = view.reversed ? await importReversals(organisationId, view.importId, range, pool) : [];
  if (reversals.length === 0) return null;
  return (
    <Panel id="reversals" title="Reversals">
      <Table
        caption="Reversals, oldest first"
        columns={reversalColumns(view, nameOf)}
        rows={reversals.slice(0, maxShownReversals)}
        rowAttributes={({ reversalId }) => ({ id: `reversal-${reversalId}` })}
      />
      <p class="more">
        <Link to={`${importPath(view.importId)}/history?of=reversals`}>
          {reversals.length > maxShownReversals ? "All reversals" : "History of its reversals"}
        </Link>
      </p>
    </Panel>
  );
}

const reversalColumns = ({ kind }: ImportView, nameOf: NameOf): readonly Column<ImportReversal>[] => [
  { heading: "When", isRowHeader: true, cell: ({ at }) => <Time at={at} exact /> },
  { heading: "Who", value: ({ actor }) => nameOf(principalOf(actor)) },
  { heading: "Reason", cell: ({ reason }) => <span class="reason">{reason}</span> },
  { heading: "What", cell: (reversal) => <span class="reason">{reversedRowsInWords(reversal)}</span> },
  { heading: kind === "activities" ? "Activities" : "Shipments", number: true, value: ({ count }) => count },
];

function reversedRowsInWords({ all, rows }: ImportReversal): string {
  if (all || rows === null) return "Everything that was left";
  const shown = rangesInWords(rows.slice(0, maxShownRanges)).replaceAll(",", ", ");
  const more = rows.length - maxShownRanges;
  return `${rows.length === 1 && rows[0]?.[0] === rows[0]?.[1] ? "Row" : "Rows"} ${shown}${more > 0 ? ` and ${countInWords(more, "more range")}` : ""}`;
}

type TimelineProps = { view: Pick<ImportView, "cancelling">; steps: readonly TimelineStep[] | undefined; nameOf: NameOf };

/** `steps` is undefined if the event store has not answered in time. */
export const Timeline = ({ view, steps, nameOf }: TimelineProps) => (
  <Panel id="timeline" title="Timeline">
    {steps === undefined ? (
      <p class="muted">The history cannot be shown right now. Reload the page in a moment.</p>
    ) : (
      <ol class="timeline">
        {steps.map((step) => (
          <li>
            <Time at={"data" in step ? new Date(step.data.at) : step.recordedAt} exact />
            <span>{stepInWords(step, nameOf)}</span>
          </li>
        ))}
        {view.cancelling && !steps.some(({ type }) => type === "ImportCancelled") ? (
          <li>
            <span class="muted">Now</span>
            <span>Cancellation requested. The import stops in a moment</span>
          </li>
        ) : null}
      </ol>
    )}
  </Panel>
);

/** A step in words, for the timeline and for the list of events. */
export function stepInWords(step: TimelineStep, nameOf: NameOf): Child {
  const rowsOf = (rows: readonly unknown[]) => countInWords(rows.length, "row");
  const linkTo = (importId: string, text: string) => <Link to={importPath(importId)}>{text}</Link>;
  switch (step.type) {
    case "ImportRequested": {
      const { source, file, by, corrects } = step.data;
      const how = source === "file" ? `${file.name} (${sizeOf(file.size)}) uploaded` : by.kind === "member" ? "Corrected" : "Sent as JSON";
      if (!corrects) return `${how} by ${nameOf(by)}`;
      const why = corrects.reason === undefined ? "" : `: ${corrects.reason}`;
      return [`${how} by ${nameOf(by)}, correcting ${rowsOf(corrects.rows)} of `, linkTo(corrects.importId, "an earlier import"), why];
    }
    case "ImportStarted":
      return "Started";
    case "ImportResumed":
      return `Resumed after an interruption${step.row === undefined ? "" : `, from row ${step.row}`}`;
    case "ImportCompleted": {
      const { failed } = step.data.counts;
      return `Completed, ${failed === 0 ? "nothing" : countInWords(failed, "row")} rejected`;
    }
    case "ImportFailed":
      return `Failed: ${step.data.reason}`;
    case "ImportCancelled":
      return `Cancelled by ${step.data.reason === undefined ? nameOf(step.data.by) : `the service: ${step.data.reason}`}`;
    case "RowsClaimed": {
      const { rows, correction, refused } = step.data;
      return [
        `${rowsOf(rows)} sent again in `,
        linkTo(correction, "a correction"),
        refused.length > 0 ? `, ${rowsOf(refused)} refused` : "",
      ];
    }
    case "RowsDismissed": {
      const { rows, by, note } = step.data;
      return `${rowsOf(rows)} dismissed by ${nameOf(by)}${note ? `: ${note}` : ""}`;
    }
    case "RowsReopened":
      return `${rowsOf(step.data.rows)} opened again by ${nameOf(step.data.by)}`;
    case "RowsReversed": {
      const { rows, shipments, count, reason, by, includedIn } = step.data;
      const what = rows === "all" ? "Reversed as a whole" : `${countInWords(count, shipments ? "shipment" : "row")} reversed`;
      const parentReversal = includedIn && [" with a reversal of ", linkTo(includedIn.importId, "the import that it corrects")];
      return [`${what} by ${nameOf(by)}`, parentReversal, `: ${reason}`];
    }
  }
}

const sizeOf = (size: number): string =>
  size < 1_000 ? `${size} bytes` : size < 1_000_000 ? `${(size / 1_000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
