import type { Page } from "../../../../queries/page.js";
import type { RowWithState } from "../../../../queries/rejectedRows/rejectedRows.js";
import type { RejectionReasons } from "../../../../queries/rejectedRows/rejectionReasons.js";
import type { RowState } from "../../../../queries/rejectedRows/rowStates.js";
import type { Viewer } from "../../live/importFeed.js";
import { Badge, type Fact, Facts, Pager } from "../../shell/panel.js";
import { Bars } from "../../shell/plot.js";
import { Sentence } from "../../shell/sentence.js";
import { type Column, Table } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import { historyPath, importPath } from "./importStatus.js";

export function ReasonsPlot({ found, rejected }: { readonly found: RejectionReasons; readonly rejected: number }) {
  const { reasons, others, counted } = found;
  if (reasons.length === 0) return <div id="import-reasons" />;
  return (
    <section class="panel" id="import-reasons" aria-labelledby="reasons">
      <h2 id="reasons">Why rows were rejected</h2>
      <Bars bars={reasons.map(({ reason, rows }) => ({ label: reason, value: rows }))} unit={["row", "rows"]} />
      <p class="hint">
        A row with several faults is counted once for each. If one line of a shipment has a fault, all its lines are rejected and counted.
        {others > 0 ? ` ${others} less common ${others === 1 ? "reason is" : "reasons are"} not shown.` : null}
        {counted < rejected ? (
          <>
            {" "}
            Based on <Amount value={counted} /> of the rejected rows.
          </>
        ) : null}
      </p>
    </section>
  );
}

interface RejectedProps {
  readonly visit: Viewer;
  readonly importId: string;
  readonly page: Page<RowWithState>;
  readonly cursor: string | undefined;
}

/** `data-paged` marks a later page of rows. The server pushes only the first page to open pages, and it must not replace a later one. */
export function RejectedRows({ visit, importId, page: { items, nextCursor }, cursor }: RejectedProps) {
  if (items.length === 0 && cursor === undefined) return <div id="import-rejected" />;
  return (
    <section class="panel" id="import-rejected" aria-labelledby="rejected" data-paged={cursor === undefined ? undefined : ""}>
      <h2 id="rejected">Rejected rows</h2>
      <Table caption="Rejected rows, in the order of the file" columns={columns(visit, importId)} rows={items} />
      <Pager
        of="rejected rows"
        cursor={cursor}
        nextCursor={nextCursor}
        address={(next) => `${visit.links.to(importPath(importId), { cursor: next })}#rejected`}
      />
    </section>
  );
}

const states: Readonly<Record<RowState, { readonly label: string; readonly badge: string }>> = {
  open: { label: "Open", badge: "bad" },
  submitted: { label: "Being corrected", badge: "busy" },
  corrected: { label: "Corrected", badge: "good" },
  dismissed: { label: "Dismissed", badge: "" },
  superseded: { label: "Superseded", badge: "" },
  withdrawn: { label: "Withdrawn", badge: "" },
};

const columns = (visit: Viewer, importId: string): readonly Column<RowWithState>[] => [
  {
    heading: "Row",
    names: true,
    cell: ({ row }) => (
      <a class="amount" href={visit.links.to(historyPath(importId, row))}>
        {row}
        <span class="unseen">, its history</span>
      </a>
    ),
  },
  {
    heading: "Reason",
    cell: ({ error }) => (
      <span class="reason">
        <Sentence links={visit.links} text={short(error, longestReason)} />
      </span>
    ),
  },
  { heading: "Values", cell: ({ data }) => <Values data={data} /> },
  {
    heading: "State",
    cell: ({ state }) => (state === null ? <span class="muted">-</span> : <Badge state={states[state]} />),
  },
];

const longestReason = 500;
const longestValue = 80;
const mostValues = 24;

function Values({ data }: { readonly data: unknown }) {
  const given = Object.entries((data ?? {}) as Record<string, unknown>).filter(([, value]) => value !== "" && value !== null);
  if (given.length === 0) return <span class="muted">none given</span>;
  return (
    <div>
      <Facts
        class="values"
        facts={given
          .slice(0, mostValues)
          .map(
            ([name, value]): Fact => [
              short(name, longestValue),
              short(typeof value === "string" ? value : JSON.stringify(value), longestValue),
            ],
          )}
      />
      {given.length > mostValues ? <span class="muted">and {given.length - mostValues} more</span> : null}
    </div>
  );
}

const short = (text: string, longest: number): string => (text.length > longest ? `${text.slice(0, longest)}...` : text);
