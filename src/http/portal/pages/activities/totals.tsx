import { type ActivityTotal, sumOf } from "../../../../queries/activities/activityTotals.js";
import { EmptyState } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import { noCustomer } from "./asked.js";
import { billsOf, type CustomerBill } from "./billLines.js";
import { type BillProps, BillTable } from "./billTable.js";
import { Customer } from "./names.js";
import { periodWords } from "./period.js";
import { printedWords } from "./printedWords.js";

interface TotalsProps extends BillProps {
  readonly totals: readonly ActivityTotal[];
}

/** A page with more lines than this is too long to be read. */
const mostLines = 1_000;

export function Totals({ visit, asked, totals, nameOf }: TotalsProps) {
  if (totals.length === 0)
    return (
      <EmptyState title={`No activities in ${periodWords(asked.period)}`}>
        Look at another month, or leave out a filter. Rows are counted when their import has completed.
      </EmptyState>
    );
  const bills = billsOf(totals, asked.byWarehouse);
  if (asked.perCustomer) return <BillPerCustomer visit={visit} asked={asked} nameOf={nameOf} bills={bills} />;
  const { shown, isAll } = firstLines(bills);
  const caption = `Totals by customer and charge code, ${periodWords(asked.period)}`;
  return (
    <>
      <BillTable visit={visit} asked={asked} nameOf={nameOf} caption={caption} bills={shown} sum={sumOf(totals)} />
      {isAll ? null : (
        <p class="hint">
          The first <Amount value={mostLines} /> lines. The download has all of them; the total is of all.
        </p>
      )}
    </>
  );
}

function firstLines(bills: readonly CustomerBill[]): { shown: CustomerBill[]; isAll: boolean } {
  const shown: CustomerBill[] = [];
  let left = mostLines;
  for (const bill of bills) {
    if (left <= 0) return { shown, isAll: false };
    shown.push({ ...bill, lines: bill.lines.slice(0, left) });
    left -= bill.lines.length;
  }
  return { shown, isAll: left >= 0 };
}

/** A table for each customer, which begins a page of its own when it is printed. No customer's lines are cut. */
function BillPerCustomer({ visit, asked, nameOf, bills }: BillProps & { readonly bills: readonly CustomerBill[] }) {
  let lines = 0;
  const shown = bills.filter((bill, index) => {
    lines += bill.lines.length;
    return index === 0 || lines <= mostLines;
  });
  return (
    <>
      {shown.map((bill) => (
        <section class="customer-bill">
          <h3>
            <Customer customerId={bill.customerId} nameOf={nameOf} />
          </h3>
          <BillTable
            visit={visit}
            asked={asked}
            nameOf={nameOf}
            caption={`Totals by charge code, ${periodWords(asked.period)}`}
            bills={[bill]}
            sum={bill.total}
            printed={`${periodWords(asked.period)}. ${printedWords(visit, asked, nameOf, bill.customerId ?? noCustomer)}`}
          />
        </section>
      ))}
      {shown.length === bills.length ? null : (
        <p class="hint">
          The first <Amount value={shown.length} /> of <Amount value={bills.length} /> customers. Choose a customer to print another one.
        </p>
      )}
    </>
  );
}
