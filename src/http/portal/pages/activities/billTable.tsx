import type { ActivityTotal } from "../../../../queries/activities/activityTotals.js";
import { Amount } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { type Asked, addressOf, noCustomer } from "./asked.js";
import type { BillLine, CustomerBill } from "./billLines.js";
import { Customer, type NameOfCustomer, Quantity } from "./names.js";

export interface BillProps {
  readonly visit: SignedInVisit;
  readonly asked: Asked;
  readonly nameOf: NameOfCustomer;
}

interface BillTableProps extends BillProps {
  readonly caption: string;
  readonly bills: readonly CustomerBill[];
  readonly sum: Pick<ActivityTotal, "quantity" | "rows">;
  /** Stands above the headings of every printed page. */
  readonly printed?: string;
}

export function BillTable({ visit, asked, nameOf, caption, bills, sum, printed }: BillTableProps) {
  const columns = asked.byWarehouse ? 3 : 2;
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
          {asked.byWarehouse ? <th scope="col">Warehouse</th> : null}
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
            <Line visit={visit} asked={asked} bill={bill} line={line} nameOf={nameOf} first={index === 0} />
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

interface LineProps extends BillProps {
  readonly bill: CustomerBill;
  readonly line: BillLine;
  readonly first: boolean;
}

function Line({ visit, asked, bill: { customerId }, line, nameOf, first }: LineProps) {
  const { chargeCode, warehouseCode, quantity, rows } = line;
  const own = {
    customer: customerId ?? noCustomer,
    charge: chargeCode,
    warehouse: warehouseCode ?? asked.warehouse,
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
