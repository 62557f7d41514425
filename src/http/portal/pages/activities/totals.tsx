import type { ActivityTotal } from "../../../../queries/activities/activityTotals.js";
import { EmptyState, Pager } from "../../shell/panel.js";
import { Amount } from "../../shell/values.js";
import { Customer } from "../customers.js";
import { type BillLine, billSum, billsOf, type CustomerBill } from "./billLines.js";
import { BillTable, firstLines, mostLines } from "./billTable.js";
import { addressOf, daysInWords, noCustomer, type OfActivities, printedWords } from "./selection.js";

export function Totals({ of, totals }: { of: OfActivities; totals: readonly ActivityTotal[] }) {
  const { selection } = of;
  if (totals.length === 0)
    return (
      <EmptyState title={`No activities in ${daysInWords(selection)}`}>
        Choose another month, or clear a filter. Rows count once their import has completed.
      </EmptyState>
    );
  const bills = billsOf(totals, selection.byWarehouse);
  if (selection.perCustomer) return <BillPerCustomer of={of} bills={bills} />;
  const from = firstLine(of.visit.query["after"]);
  const { shown, isAll } = firstLines(bills, linesPerPage, from);
  const caption = `Totals by customer and charge code, ${daysInWords(selection)}`;
  const next = isAll ? null : String(from + linesPerPage);
  return (
    <>
      <BillTable {...tableOf(of)} caption={caption} bills={shown} sum={billSum(totals)} />
      <Pager of="totals" cursor={from === 0 ? undefined : String(from)} nextCursor={next} address={(after) => addressOf(of, { after })} />
      {isAll && from === 0 ? null : <p class="hint">The total and the downloads cover all pages.</p>}
    </>
  );
}

const linesPerPage = 200;

/** How many lines the pages before have. Anything else than a multiple of a page is the first page. */
function firstLine(after = ""): number {
  const from = /^\d{1,7}$/.test(after) ? Number(after) : 0;
  return from % linesPerPage === 0 ? from : 0;
}

/** Each number of rows leads to the rows, as of the same time. */
const tableOf = (of: OfActivities) => ({
  nameOf: of.nameOf,
  byWarehouse: of.selection.byWarehouse,
  rowsOf: (customerId: string | null, line: BillLine) => <LinkToRows of={of} customerId={customerId} line={line} />,
});

/** A table for each customer, which begins a page of its own when it is printed. No customer's lines are cut. */
function BillPerCustomer({ of, bills }: { of: OfActivities; bills: readonly CustomerBill[] }) {
  const days = daysInWords(of.selection);
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
            {...tableOf(of)}
            caption={`Totals by charge code, ${days}`}
            bills={[bill]}
            sum={billSum(bill.lines)}
            printed={printedWords(of, bill.customerId ?? noCustomer).join(". ")}
          />
        </section>
      ))}
      {shown.length === bills.length ? null : (
        <p class="hint">
          The first <Amount value={shown.length} /> of <Amount value={bills.length} /> customers. To print another one, choose it above.
        </p>
      )}
    </>
  );
}

function LinkToRows({ of, customerId, line }: { of: OfActivities; customerId: string | null; line: BillLine }) {
  const { chargeCode, warehouseCode, rows } = line;
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
    <a
      href={addressOf(of, own)}
      aria-label={`Show the ${rows} ${rows === 1 ? "row" : "rows"} of ${chargeCode}, ${who}${warehouseCode ? `, ${warehouseCode}` : ""}`}
    >
      <Amount value={rows} />
    </a>
  );
}
