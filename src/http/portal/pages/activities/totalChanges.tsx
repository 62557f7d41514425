// What has changed the totals since a given time: imports and reversals, each with its amounts, and their sum.
import { type NameOf, principalOf } from "../../../../domain/principal.js";
import type { ChangedAmount, TotalsChange } from "../../../../queries/activities/totalChanges.js";
import { countInWords } from "../../shell/formats.js";
import { EmptyState, Link, Time } from "../../shell/markup.js";
import { type Column, column, downloadColumns, Table } from "../../shell/table.js";
import type { NameOfCustomer } from "../customers.js";
import { importPath, reversalPath } from "../imports/importStatus.js";
import { amountColumns, type BillSum, BillTable, billLines, billSum, chargeColumns, FirstLinesHint, maxLines, SumRow } from "./bills.js";
import type { ActivitiesView } from "./selection.js";

/** One amount of a change. */
type ChangeLine = ChangedAmount & { readonly change: TotalsChange };

/** Within a change, amounts without a customer come last. */
export const changeLines = (changes: readonly TotalsChange[]): ChangeLine[] =>
  changes.flatMap((change) => {
    const sorted = change.amounts.toSorted((a, b) => Number(a.customerId === null) - Number(b.customerId === null));
    return sorted.map((amount) => ({ ...amount, change }));
  });

export function ChangesTable({ view, changes, actorOf }: { view: ActivitiesView; changes: readonly TotalsChange[]; actorOf: NameOf }) {
  if (changes.length === 0) return <EmptyState title="Nothing has changed since then" />;
  const lines = changeLines(changes);
  const sum = billSum(lines);
  return (
    <>
      <Table
        caption="What changed the totals, oldest first"
        class="bill changed"
        columns={changeColumns(view.nameOf, actorOf)}
        rows={lines.slice(0, maxLines)}
        groupBy={({ change }) => change}
        afterGroup={([{ change } = { change: undefined }]) =>
          change && change.amounts.length > 1 ? <SumOfChange change={change} /> : null
        }
        foot={<SumRow label="All changes" columns={4} signed {...sum} />}
      />
      {lines.length > maxLines ? <FirstLinesHint /> : null}
      <Difference amounts={lines} sum={sum} nameOf={view.nameOf} />
    </>
  );
}

function SumOfChange({ change }: { change: TotalsChange }) {
  const sum = billSum(change.amounts);
  const label = sum.rows === 0 ? "As many rows as before" : `${countInWords(Math.abs(sum.rows), "row")} ${sum.rows > 0 ? "more" : "fewer"}`;
  return <SumRow label={label} columns={4} signed {...sum} />;
}

export const changeColumns = (nameOf: NameOfCustomer, actorOf: NameOf): readonly Column<ChangeLine>[] => [
  column("at", "When", ({ change }) => change.at, { oncePerGroup: true, cell: ({ change }) => <Time at={change.at} exact /> }),
  column("what", "What", ({ change }) => (change.reversalId === null ? "import" : "reversal"), {
    isRowHeader: true,
    oncePerGroup: true,
    cell: ({ change }, isRepeated) =>
      isRepeated ? <span>{causeInWords(change)}</span> : <CauseOfChange change={change} actorOf={actorOf} />,
  }),
  ...downloadColumns<ChangeLine>([
    ["importId", "Import id", ({ change }) => change.importId],
    ["reference", "Reference", ({ change }) => change.sourceDetails],
    ["reversalId", "Reversal id", ({ change }) => change.reversalId],
    ["reason", "Reason", ({ change }) => change.reason],
    ["by", "By", ({ change }) => actorOf(principalOf(change.actor))],
  ]),
  ...chargeColumns(nameOf),
  ...amountColumns(),
];

const referenceOf = ({ sourceDetails }: TotalsChange): string => sourceDetails.trim() || "Without a reference";

const causeInWords = (change: TotalsChange): string => `${change.reversalId === null ? "Import" : "Reversal of"} ${referenceOf(change)}`;

/** What changed the totals, by whom and why, with links to the import and the reversal. */
function CauseOfChange({ change, actorOf }: { change: TotalsChange; actorOf: NameOf }) {
  const { importId, reversalId, reason } = change;
  const importLink = <Link to={importPath(importId)}>{referenceOf(change)}</Link>;
  return (
    <span class="named">
      {reversalId === null ? "Import " : [<Link to={reversalPath(importId, reversalId)}>Reversal</Link>, " of "]}
      {importLink}
      <span class="cause">
        by {actorOf(principalOf(change.actor))}
        {reason === null ? null : `: ${reason}`}
      </span>
    </span>
  );
}

/** The difference between the totals then and now, from which a corrected bill is made. */
function Difference({ amounts, sum, nameOf }: { amounts: readonly ChangedAmount[]; sum: BillSum; nameOf: NameOfCustomer }) {
  const lines = billLines(amounts, false).filter(({ quantity, rows }) => rows !== 0 || /[1-9]/.test(quantity));
  const caption = "The difference by customer and charge code";
  return (
    <section aria-labelledby="difference" class="difference">
      <h3 id="difference">{caption}</h3>
      {lines.length === 0 ? (
        <p>The changes cancel each other out: the totals have not changed.</p>
      ) : (
        <BillTable caption={caption} lines={lines.slice(0, maxLines)} sum={sum} nameOf={nameOf} signed />
      )}
      {lines.length > maxLines ? <FirstLinesHint hasDownload={false} /> : null}
    </section>
  );
}
