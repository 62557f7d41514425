import { type NameOf, principalOf } from "../../../../domain/principal.js";
import { rangesInWords } from "../../../../domain/ranges.js";
import type { ImportReversal } from "../../../../queries/imports/importReversals.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import type { Viewer } from "../../live/importFeed.js";
import { countInWords } from "../../shell/formats.js";
import { type Column, Table } from "../../shell/table.js";
import { Amount, Time } from "../../shell/values.js";
import { eventsPath } from "./importStatus.js";

/** The history has all of them. */
export const shownReversals = 25;
const shownRanges = 12;

interface ReversalsProps {
  readonly visit: Viewer;
  readonly view: ImportView;
  /** The first ones, and one more where there are more. */
  readonly reversals: readonly ImportReversal[];
  readonly nameOf: NameOf;
}

/** What was taken back of an import, when, by whom and why. */
export function Reversals({ visit, view, reversals, nameOf }: ReversalsProps) {
  if (reversals.length === 0) return <div id="import-reversals" />;
  return (
    <section class="panel" id="import-reversals" aria-labelledby="reversals">
      <h2 id="reversals">Reversals</h2>
      <Table
        caption="Reversals, oldest first"
        columns={columns(visit, view, nameOf)}
        rows={reversals.slice(0, shownReversals)}
        marks={({ reversalId }) => ({ id: `reversal-${reversalId}` })}
      />
      <p class="more">
        <a href={visit.links.to(eventsPath(view.importId, "reversals"))}>
          {reversals.length > shownReversals ? "All reversals" : "History of its reversals"}
        </a>
      </p>
    </section>
  );
}

const columns = (visit: Viewer, { kind }: ImportView, nameOf: NameOf): readonly Column<ImportReversal>[] => [
  { heading: "When", names: true, cell: ({ at }) => <Time visit={visit} at={at} exact /> },
  { heading: "Who", cell: ({ actor }) => nameOf(principalOf(actor)) },
  { heading: "Reason", cell: ({ reason }) => <span class="reason">{reason}</span> },
  { heading: "What", cell: (reversal) => <span class="reason">{whatInWords(reversal)}</span> },
  { heading: kind === "activities" ? "Activities" : "Shipments", number: true, cell: ({ count }) => <Amount value={count} /> },
];

function whatInWords({ all, rows }: ImportReversal): string {
  if (all || rows === null) return "Everything that was left";
  const shown = rangesInWords(rows.slice(0, shownRanges)).replaceAll(",", ", ");
  const more = rows.length - shownRanges;
  return `${rows.length === 1 && rows[0]?.[0] === rows[0]?.[1] ? "Row" : "Rows"} ${shown}${more > 0 ? ` and ${countInWords(more, "more range", "more ranges")}` : ""}`;
}
