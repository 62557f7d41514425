// What changed the totals since a time: imports and reversals, each with its amounts, and their sum.
import { type NameOf, principalOf } from "../../../../domain/principal.js";
import type { ChangedAmount, TotalsChange } from "../../../../queries/activities/totalChanges.js";
import type { SignedInVisit } from "../../page.js";
import { counted } from "../../shell/formats.js";
import { EmptyState } from "../../shell/panel.js";
import { Quantity, Time } from "../../shell/values.js";
import { Customer, type NameOfCustomer } from "../customers.js";
import { importPath, reversalPath } from "../imports/status.js";
import { type BillSum, billSum, billsOf } from "./billLines.js";
import { BillTable, FirstLines, firstLines, mostLines, SumRow } from "./billTable.js";
import type { OfActivities } from "./selection.js";

interface ChangesProps {
  readonly of: OfActivities;
  readonly changes: readonly TotalsChange[];
  /** The names of keys and members. */
  readonly actorOf: NameOf;
}

export function Changes({ of, changes, actorOf }: ChangesProps) {
  if (changes.length === 0) return <EmptyState title="Nothing has changed since then" />;
  const amounts = changes.flatMap((change) => change.amounts);
  const sum = billSum(amounts);
  const { shown, isAll } = firstChanges(changes);
  return (
    <>
      <table class="rows bill changed">
        <caption class="unseen">What changed the totals, oldest first</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">Customer</th>
            <th scope="col">Charge code</th>
            <th scope="col" class="number">
              Quantity
            </th>
            <th scope="col" class="number">
              Rows
            </th>
          </tr>
        </thead>
        {shown.map((change) => (
          <tbody>
            {change.amounts.map((amount, index) => (
              <AmountRow of={of} change={change} amount={amount} isFirst={index === 0} actorOf={actorOf} />
            ))}
            {change.amounts.length > 1 ? (
              <SumRow label={inWords(billSum(change.amounts).rows)} columns={4} signed {...billSum(change.amounts)} />
            ) : null}
          </tbody>
        ))}
        <tfoot>
          <SumRow label="All changes" columns={4} signed {...sum} />
        </tfoot>
      </table>
      {isAll ? null : <FirstLines />}
      <Difference amounts={amounts} sum={sum} nameOf={of.nameOf} />
    </>
  );
}

const inWords = (rows: number): string =>
  rows === 0 ? "As many rows as before" : `${counted(Math.abs(rows), "row")} ${rows > 0 ? "more" : "fewer"}`;

/** At most `mostLines` amounts in all. Those without a customer come last. */
function firstChanges(changes: readonly TotalsChange[]): { shown: TotalsChange[]; isAll: boolean } {
  let left = mostLines;
  const shown = changes.flatMap((change) => {
    const sorted = change.amounts.toSorted((a, b) => Number(a.customerId === null) - Number(b.customerId === null));
    const amounts = sorted.slice(0, Math.max(0, left));
    left -= change.amounts.length;
    return amounts.length === 0 ? [] : [{ ...change, amounts }];
  });
  return { shown, isAll: left >= 0 };
}

type AmountProps = Omit<ChangesProps, "changes"> & { change: TotalsChange; amount: ChangedAmount; isFirst: boolean };

function AmountRow({ of: { visit, nameOf }, change, amount, isFirst, actorOf }: AmountProps) {
  const repeated = isFirst ? undefined : "repeated";
  return (
    <tr>
      <td data-label="When" class={repeated}>
        <Time visit={visit} at={change.at} exact />
      </td>
      <th scope="row" data-label="What" class={repeated}>
        {isFirst ? <Cause visit={visit} change={change} actorOf={actorOf} /> : <span>{causeInWords(change)}</span>}
      </th>
      <td data-label="Customer">
        <Customer customerId={amount.customerId} nameOf={nameOf} />
      </td>
      <td data-label="Charge code">{amount.chargeCode}</td>
      <td data-label="Quantity" class="number">
        <Quantity text={amount.quantity} signed />
      </td>
      <td data-label="Rows" class="number">
        <Quantity text={String(amount.rows)} signed />
      </td>
    </tr>
  );
}

const referenceOf = ({ sourceDetails }: TotalsChange): string => sourceDetails.trim() || "Without a reference";

const causeInWords = (change: TotalsChange): string => `${change.reversalId === null ? "Import" : "Reversal of"} ${referenceOf(change)}`;

/** Who and why, with links to the import and to the reversal. */
function Cause({ visit, change, actorOf }: { visit: SignedInVisit; change: TotalsChange; actorOf: NameOf }) {
  const { importId, reversalId, reason } = change;
  const by = actorOf(principalOf(change.actor));
  const imported = <a href={visit.links.to(importPath(importId))}>{referenceOf(change)}</a>;
  return (
    <span class="named">
      {reversalId === null ? (
        <>Import {imported}</>
      ) : (
        <>
          <a href={visit.links.to(reversalPath(importId, reversalId))}>Reversal</a> of {imported}
        </>
      )}
      <span class="cause">
        by {by}
        {reason === null ? null : `: ${reason}`}
      </span>
    </span>
  );
}

/** What is more or less now than it was then: what a corrected bill is made from. */
function Difference({ amounts, sum, nameOf }: { amounts: readonly ChangedAmount[]; sum: BillSum; nameOf: NameOfCustomer }) {
  const bills = billsOf(amounts, false)
    .map((bill) => ({ ...bill, lines: bill.lines.filter(({ quantity, rows }) => rows !== 0 || /[1-9]/.test(quantity)) }))
    .filter(({ lines }) => lines.length > 0);
  const { shown, isAll } = firstLines(bills);
  return (
    <section aria-labelledby="difference" class="difference">
      <h3 id="difference">The difference by customer and charge code</h3>
      {bills.length === 0 ? (
        <p>The changes cancel each other out: the totals have not changed.</p>
      ) : (
        <BillTable caption="The difference by customer and charge code" bills={shown} sum={sum} nameOf={nameOf} signed />
      )}
      {isAll ? null : <FirstLines downloaded={false} />}
    </section>
  );
}
