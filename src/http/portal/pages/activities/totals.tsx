import type { ActivityTotal } from "../../../../queries/activities/activityTotals.js";
import { groupItems } from "../../groupItems.js";
import { Amount, EmptyState, Link, pageInMemory, withQuery } from "../../shell/parts.js";
import { Customer } from "../customers.js";
import { type BillLine, BillTable, billLines, billSum, mostLines } from "./bills.js";
import { type ActivitiesView, activitiesPath, activitiesPathOf, daysInWords, noCustomer, printedWords, queryOf } from "./selection.js";

export function Totals({ view, totals }: { view: ActivitiesView; totals: readonly ActivityTotal[] }) {
  if (totals.length === 0)
    return (
      <EmptyState title={`No activities in ${daysInWords(view)}`}>
        Choose another month, or clear a filter. Rows count once their import has completed.
      </EmptyState>
    );
  const lines = billLines(totals, view.byWarehouse);
  if (view.perCustomer) return <BillPerCustomer view={view} lines={lines} />;
  const { rows, pager } = pageInMemory(view.visit, lines, {
    of: ["total", "totals"],
    path: withQuery(activitiesPath, queryOf(view)),
    name: "after",
    size: linesPerPage,
  });
  const caption = `Totals by customer and charge code, ${daysInWords(view)}`;
  return (
    <>
      <BillTable {...tableOf(view)} caption={caption} lines={rows} sum={billSum(totals)} />
      {pager}
      {rows.length === lines.length ? null : <p class="hint">The total and the downloads cover all pages.</p>}
    </>
  );
}

const linesPerPage = 200;

/** Each number of rows leads to the rows, as of the same time. */
const tableOf = (view: ActivitiesView) => ({
  nameOf: view.nameOf,
  byWarehouse: view.byWarehouse,
  rowsOf: (line: BillLine) => <LinkToRows view={view} line={line} />,
});

/** A table for each customer, which begins a page of its own when it is printed. No customer's lines are cut. */
function BillPerCustomer({ view, lines }: { view: ActivitiesView; lines: readonly BillLine[] }) {
  const days = daysInWords(view);
  const bills = [...groupItems(lines, ({ customerId }) => customerId)];
  let count = 0;
  const shown = bills.filter(([, own], index) => {
    count += own.length;
    return index === 0 || count <= mostLines;
  });
  return (
    <>
      {shown.map(([customerId, own]) => (
        <section class="customer-bill">
          <h3>
            <Customer customerId={customerId} nameOf={view.nameOf} />
          </h3>
          <BillTable
            {...tableOf(view)}
            caption={`Totals by charge code, ${days}`}
            lines={own}
            sum={billSum(own)}
            printed={printedWords(view, customerId ?? noCustomer).join(". ")}
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

function LinkToRows({ view, line }: { view: ActivitiesView; line: BillLine }) {
  const { customerId, chargeCode, warehouseCode, rows } = line;
  const warehouse = warehouseCode ?? view.filter.warehouseCode;
  const own = { customer: customerId ?? noCustomer, charge: chargeCode, warehouse, view: "rows", pages: "" };
  const who = customerId === null ? "without a customer" : (view.nameOf(customerId) ?? customerId);
  return (
    <Link
      to={activitiesPathOf(view, own)}
      aria-label={`Show the ${rows} ${rows === 1 ? "row" : "rows"} of ${chargeCode}, ${who}${warehouseCode ? `, ${warehouseCode}` : ""}`}
    >
      <Amount value={rows} />
    </Link>
  );
}
