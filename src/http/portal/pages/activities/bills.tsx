// Totals as people bill them: customer by customer, by charge code, and by warehouse where that is chosen.
import type { Child } from "hono/jsx";
import { groupedBy } from "../../../../domain/groupedBy.js";
import { type ActivityTotal, sumOfTotals } from "../../../../queries/activities/activityTotals.js";
import { Amount, EmptyState, Link, pageInMemory, Quantity, withQuery } from "../../shell/parts.js";
import { type Column, column, Table } from "../../shell/table.js";
import { Customer, type NameOfCustomer } from "../customers.js";
import { type ActivitiesView, activitiesPath, activitiesPathOf, daysInWords, noCustomer, printedWords, queryOf } from "./selection.js";

/** `warehouseCode`: undefined where it is of all warehouses. */
type BillLine = Omit<ActivityTotal, "warehouseCode"> & { readonly warehouseCode?: string | undefined };

export type BillSum = ReturnType<typeof billSum>;

/** `quantity`: undefined where the charge codes differ, since pallets and labels have no sum. */
export function billSum(amounts: readonly Pick<ActivityTotal, "chargeCode" | "quantity" | "rows">[]) {
  const { quantity, rows } = sumOfTotals(amounts);
  return { quantity: new Set(amounts.map(({ chargeCode }) => chargeCode)).size > 1 ? undefined : quantity, rows };
}

/** Activities without a customer come last. */
export function billLines(totals: readonly BillLine[], byWarehouse: boolean): BillLine[] {
  const customers = [...new Set(totals.map(({ customerId }) => customerId).filter((id) => id !== null)), null];
  const places = new Map(customers.map((id, index) => [id, index]));
  const placeOf = ({ customerId }: BillLine) => places.get(customerId) ?? 0;
  const keyOf = ({ customerId, chargeCode, warehouseCode }: BillLine) =>
    JSON.stringify([customerId, chargeCode, byWarehouse && warehouseCode]);
  const lines = [...groupedBy(totals, keyOf).values()].map((some): BillLine => {
    const { customerId, chargeCode, warehouseCode } = some[0];
    return { customerId, chargeCode, warehouseCode: byWarehouse ? warehouseCode : undefined, ...sumOfTotals(some) };
  });
  return lines.sort((a, b) => placeOf(a) - placeOf(b) || byCode(a, b));
}

const byCode = (a: BillLine, b: BillLine) =>
  a.chargeCode.localeCompare(b.chargeCode) || (a.warehouseCode ?? "").localeCompare(b.warehouseCode ?? "");

interface BillOptions {
  readonly nameOf: NameOfCustomer;
  readonly byWarehouse?: boolean;
  /** The number of a line's rows, such as a link to them. */
  readonly rowsOf?: (line: BillLine) => Child;
  /** The amounts are changes: more or less than before. */
  readonly signed?: boolean;
}

interface BillTableProps extends BillOptions {
  readonly caption: string;
  readonly lines: readonly BillLine[];
  readonly sum: BillSum;
  /** Stands above the headings of every printed page. */
  readonly printed?: string;
}

/** Amounts by customer and charge code, and by warehouse where the lines have one. */
export const BillTable = ({ caption, lines, sum, printed, ...options }: BillTableProps) => (
  <Table
    caption={caption}
    class="bill"
    columns={billColumns(options)}
    rows={lines}
    groupBy={({ customerId }) => customerId}
    printed={printed}
    foot={<SumRow label="Total" columns={options.byWarehouse ? 3 : 2} signed={options.signed} {...sum} />}
  />
);

/** What is billed to whom, on pages and in files. */
export const billedColumns = <Row extends Pick<BillLine, "customerId" | "chargeCode">>(
  nameOf: NameOfCustomer,
  bill: Pick<Column<Row>, "names" | "once"> = {},
): readonly Column<Row>[] => [
  column("customerId", "Customer id", ({ customerId }) => customerId, { onlyInFiles: true }),
  column("customer", "Customer", ({ customerId }) => nameOf(customerId ?? ""), {
    ...bill,
    cell: ({ customerId }) => <Customer customerId={customerId} nameOf={nameOf} />,
  }),
  column("chargeCode", "Charge code", ({ chargeCode }) => chargeCode),
];

export const amountColumns = <Row extends Pick<BillLine, "quantity" | "rows">>(
  signed = true,
  rowsOf: Column<Row>["cell"] = signed ? ({ rows }) => <Quantity text={String(rows)} signed /> : undefined,
): readonly Column<Row>[] => [
  column("quantity", "Quantity", ({ quantity }) => ({ decimal: quantity }), {
    number: true,
    ...(signed ? { cell: ({ quantity }) => <Quantity text={quantity} signed /> } : {}),
  }),
  column("rows", "Rows", ({ rows }) => rows, {
    number: true,
    ...(rowsOf ? { cell: rowsOf } : {}),
  }),
];

const warehouse: Column<BillLine> = column("warehouse", "Warehouse", ({ warehouseCode }) => warehouseCode);

export const billColumns = ({ nameOf, byWarehouse = false, rowsOf, signed = false }: BillOptions): readonly Column<BillLine>[] => [
  ...billedColumns<BillLine>(nameOf, { names: true, once: true }),
  ...(byWarehouse ? [warehouse] : []),
  ...amountColumns<BillLine>(signed, rowsOf),
];

interface SumRowProps extends BillSum {
  readonly label: string;
  readonly columns: number;
  readonly signed: boolean | undefined;
}

export const SumRow = ({ label, columns, quantity, rows, signed }: SumRowProps) => (
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

export const FirstLines = ({ downloaded = true }: { downloaded?: boolean }) => (
  <p class="hint">
    The first <Amount value={mostLines} /> lines.{" "}
    {downloaded ? "The total covers all lines, and so does the download." : "The total covers all lines."}
  </p>
);

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
  const bills = [...groupedBy(lines, ({ customerId }) => customerId)];
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
