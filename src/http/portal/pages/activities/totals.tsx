import { type ActivityTotal, sumOf } from "../../../../queries/activities/activityTotals.js";
import { EmptyState } from "../../shell/panel.js";
import { Amount, Quantity } from "../../shell/values.js";
import { Customer } from "../customers.js";
import { periodWords } from "../days.js";
import { type BillLine, billsOf, type CustomerBill } from "./billLines.js";
import { addressOf, noCustomer, type OfActivities, printedWords } from "./selection.js";

/** A page with more lines than this is too long to be read. */
const mostLines = 1_000;

export function Totals({ of, totals }: { of: OfActivities; totals: readonly ActivityTotal[] }) {
  const { selection } = of;
  if (totals.length === 0)
    return (
      <EmptyState title={`No activities in ${periodWords(selection.period)}`}>
        Look at another month, or leave out a filter. Rows are counted when their import has completed.
      </EmptyState>
    );
  const bills = billsOf(totals, selection.byWarehouse);
  if (selection.perCustomer) return <BillPerCustomer of={of} bills={bills} />;
  const { shown, isAll } = firstLines(bills);
  const caption = `Totals by customer and charge code, ${periodWords(selection.period)}`;
  return (
    <>
      <BillTable of={of} caption={caption} bills={shown} sum={sumOf(totals)} />
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
function BillPerCustomer({ of, bills }: { of: OfActivities; bills: readonly CustomerBill[] }) {
  const days = periodWords(of.selection.period);
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
            <Customer customerId={bill.customerId} nameOf={of.nameOf} />
          </h3>
          <BillTable
            of={of}
            caption={`Totals by charge code, ${days}`}
            bills={[bill]}
            sum={bill.total}
            printed={`${days}. ${printedWords(of, bill.customerId ?? noCustomer)}`}
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

interface BillTableProps {
  readonly of: OfActivities;
  readonly caption: string;
  readonly bills: readonly CustomerBill[];
  readonly sum: Pick<ActivityTotal, "quantity" | "rows">;
  /** Stands above the headings of every printed page. */
  readonly printed?: string;
}

function BillTable({ of, caption, bills, sum, printed }: BillTableProps) {
  const { byWarehouse } = of.selection;
  const columns = byWarehouse ? 3 : 2;
  return (
    <table class="rows bill">
      <caption class="unseen">{caption}</caption>
      <thead>
        {printed === undefined ? null : (
          <tr class="printed-head">
            <th colspan={columns + 2}>{printed}</th>
          </tr>
        )}
        <tr>
          <th scope="col">Customer</th>
          <th scope="col">Charge code</th>
          {byWarehouse ? <th scope="col">Warehouse</th> : null}
          <th scope="col" class="number">
            Quantity
          </th>
          <th scope="col" class="number">
            Rows
          </th>
        </tr>
      </thead>
      {bills.map((bill) => (
        <tbody>
          {bill.lines.map((line, index) => (
            <Line of={of} customerId={bill.customerId} line={line} first={index === 0} />
          ))}
          {bill.lines.length > 1 && bills.length > 1 ? <Sum label="All charge codes" columns={columns} {...bill.total} /> : null}
        </tbody>
      ))}
      <tfoot>
        <Sum label="Total" columns={columns} {...sum} />
      </tfoot>
    </table>
  );
}

function Line({ of, customerId, line, first }: { of: OfActivities; customerId: string | null; line: BillLine; first: boolean }) {
  const { chargeCode, warehouseCode, quantity, rows } = line;
  const { nameOf, selection } = of;
  const own = {
    customer: customerId ?? noCustomer,
    charge: chargeCode,
    warehouse: warehouseCode ?? selection.warehouse,
    view: "rows",
    pages: "",
  };
  const who = customerId === null ? "without a customer" : (nameOf(customerId) ?? customerId);
  return (
    <tr>
      <th scope="row" data-label="Customer" class={first ? undefined : "repeated"}>
        <Customer customerId={customerId} nameOf={nameOf} />
      </th>
      <td data-label="Charge code">{chargeCode}</td>
      {warehouseCode === undefined ? null : <td data-label="Warehouse">{warehouseCode}</td>}
      <td data-label="Quantity" class="number">
        <Quantity text={quantity} />
      </td>
      <td data-label="Rows" class="number">
        <a
          href={addressOf(of, own)}
          aria-label={`Show the ${rows} ${rows === 1 ? "row" : "rows"} of ${chargeCode}, ${who}${warehouseCode ? `, ${warehouseCode}` : ""}`}
        >
          <Amount value={rows} />
        </a>
      </td>
    </tr>
  );
}

const Sum = ({ label, columns, quantity, rows }: Pick<ActivityTotal, "quantity" | "rows"> & { label: string; columns: number }) => (
  <tr class="sum">
    <th scope="row" colspan={columns}>
      {label}
    </th>
    <td data-label="Quantity" class="number">
      <Quantity text={quantity} />
    </td>
    <td data-label="Rows" class="number">
      <Amount value={rows} />
    </td>
  </tr>
);
