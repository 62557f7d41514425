import { type ActivityTotal, sumOf } from "../../../../queries/activities/activityTotals.js";
import { EmptyState } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { type Asked, addressOf, noCustomer } from "./asked.js";
import { type BillLine, billsOf, type CustomerBill } from "./billLines.js";
import { Customer, type NameOfCustomer, Quantity } from "./names.js";
import { periodWords } from "./period.js";

interface TotalsProps {
  readonly visit: SignedInVisit;
  readonly asked: Asked;
  readonly totals: readonly ActivityTotal[];
  readonly nameOf: NameOfCustomer;
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
  const bills = firstLines(billsOf(totals, asked.byWarehouse));
  const sum = sumOf(totals);
  const columns = asked.byWarehouse ? 3 : 2;
  return (
    <>
      <table class="rows bill">
        <caption class="unseen">Totals by customer and charge code, {periodWords(asked.period)}</caption>
        <thead>
          <tr>
            <th scope="col">Customer</th>
            <th scope="col">Charge code</th>
            {asked.byWarehouse ? <th scope="col">Warehouse</th> : null}
            <th scope="col" class="number">
              Quantity
            </th>
            <th scope="col" class="number">
              Rows
            </th>
          </tr>
        </thead>
        {bills.shown.map((bill) => (
          <tbody>
            {bill.lines.map((line, index) => (
              <Line visit={visit} asked={asked} bill={bill} line={line} nameOf={nameOf} first={index === 0} />
            ))}
            {bill.lines.length > 1 && bills.shown.length > 1 ? <Sum label="All charge codes" columns={columns} {...bill.total} /> : null}
          </tbody>
        ))}
        <tfoot>
          <Sum label="Total" columns={columns} {...sum} />
        </tfoot>
      </table>
      {bills.isAll ? null : (
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

interface LineProps extends Omit<TotalsProps, "totals"> {
  readonly bill: CustomerBill;
  readonly line: BillLine;
  readonly first: boolean;
}

function Line({ visit, asked, bill: { customerId }, line, nameOf, first }: LineProps) {
  const { chargeCode, warehouseCode, quantity, rows } = line;
  const own = { customer: customerId ?? noCustomer, charge: chargeCode, warehouse: warehouseCode ?? asked.warehouse, view: "rows" };
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
          href={addressOf(visit, asked, own)}
          aria-label={`Show the ${rows} ${rows === 1 ? "row" : "rows"} of ${chargeCode}, ${who}${warehouseCode ? `, ${warehouseCode}` : ""}`}
        >
          <Amount value={rows} />
        </a>
      </td>
    </tr>
  );
}

interface SumProps extends Pick<ActivityTotal, "quantity" | "rows"> {
  readonly label: string;
  readonly columns: number;
}

const Sum = ({ label, columns, quantity, rows }: SumProps) => (
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
