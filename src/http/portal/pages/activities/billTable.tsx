import type { Child } from "hono/jsx";
import { Amount, Quantity } from "../../shell/values.js";
import { Customer, type NameOfCustomer } from "../customers.js";
import type { BillLine, BillSum, CustomerBill } from "./billLines.js";

interface BillTableProps {
  readonly caption: string;
  readonly bills: readonly CustomerBill[];
  readonly sum: BillSum;
  readonly nameOf: NameOfCustomer;
  readonly byWarehouse?: boolean;
  /** The number of a line's rows, such as a link to them. */
  readonly rowsOf?: (customerId: string | null, line: BillLine) => Child;
  /** The amounts are changes: more or less than before. */
  readonly signed?: boolean;
  /** Stands above the headings of every printed page. */
  readonly printed?: string;
}

/** Amounts by customer and charge code, and by warehouse where the lines have one. */
export function BillTable(props: BillTableProps) {
  const { caption, bills, sum, nameOf, byWarehouse = false, signed, printed } = props;
  const { rowsOf = (_, { rows }) => <Quantity text={String(rows)} signed={signed} /> } = props;
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
      {bills.map(({ customerId, lines }) => (
        <tbody>
          {lines.map((line, index) => (
            <tr>
              <th scope="row" data-label="Customer" class={index === 0 ? undefined : "repeated"}>
                <Customer customerId={customerId} nameOf={nameOf} />
              </th>
              <td data-label="Charge code">{line.chargeCode}</td>
              {line.warehouseCode === undefined ? null : <td data-label="Warehouse">{line.warehouseCode}</td>}
              <td data-label="Quantity" class="number">
                <Quantity text={line.quantity} signed={signed} />
              </td>
              <td data-label="Rows" class="number">
                {rowsOf(customerId, line)}
              </td>
            </tr>
          ))}
        </tbody>
      ))}
      <tfoot>
        <SumRow label="Total" columns={columns} signed={signed} {...sum} />
      </tfoot>
    </table>
  );
}

export const SumRow = ({
  label,
  columns,
  quantity,
  rows,
  signed,
}: BillSum & { label: string; columns: number; signed: boolean | undefined }) => (
  <tr class="sum">
    <th scope="row" colspan={columns}>
      {label}
    </th>
    <td data-label="Quantity" class="number">
      {quantity === undefined ? null : <Quantity text={quantity} signed={signed} />}
    </td>
    <td data-label="Rows" class="number">
      <Quantity text={String(rows)} signed={signed} />
    </td>
  </tr>
);

/** A page with more lines than this is too long to be read. */
export const mostLines = 1_000;

/** At most `most` lines in all, after the first `from`. */
export function firstLines(bills: readonly CustomerBill[], most = mostLines, from = 0): { shown: CustomerBill[]; isAll: boolean } {
  const shown: CustomerBill[] = [];
  let before = 0;
  for (const bill of bills) {
    const lines = bill.lines.slice(Math.max(0, from - before), Math.max(0, from + most - before));
    if (lines.length > 0) shown.push({ ...bill, lines });
    before += bill.lines.length;
  }
  return { shown, isAll: before <= from + most };
}

export const FirstLines = ({ downloaded = true }: { downloaded?: boolean }) => (
  <p class="hint">
    The first <Amount value={mostLines} /> lines.{" "}
    {downloaded ? "The total covers all lines, and so does the download." : "The total covers all lines."}
  </p>
);
