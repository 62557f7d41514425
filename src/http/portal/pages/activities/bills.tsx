// Totals for billing: by customer and charge code, and by warehouse if the view asks for it.
import type { Child } from "hono/jsx";
import { groupedBy } from "../../../../domain/groupedBy.js";
import { type ActivityTotal, sumOfTotals } from "../../../../queries/activities/activityTotals.js";
import { Amount, EmptyState, Link, pageInMemory, Quantity, withQuery } from "../../shell/markup.js";
import { type Column, column, Table } from "../../shell/table.js";
import { Customer, type NameOfCustomer } from "../customers.js";
import { type ActivitiesView, activitiesPath, activitiesPathOf, daysInWords, noCustomer, printedLines, queryOf } from "./selection.js";

/** `warehouseCode` is undefined for a line of all warehouses. */
type BillLine = Omit<ActivityTotal, "warehouseCode"> & { readonly warehouseCode?: string | undefined };

export type BillSum = ReturnType<typeof billSum>;

/** `quantity` is undefined if the charge codes differ, because quantities of different things cannot be added. */
export function billSum(amounts: readonly Pick<ActivityTotal, "chargeCode" | "quantity" | "rows">[]) {
  const { quantity, rows } = sumOfTotals(amounts);
  return { quantity: new Set(amounts.map(({ chargeCode }) => chargeCode)).size > 1 ? undefined : quantity, rows };
}

/** Activities without a customer come last. */
export function billLines(totals: readonly BillLine[], byWarehouse: boolean): BillLine[] {
  const customers = [...new Set(totals.map(({ customerId }) => customerId).filter((id) => id !== null)), null];
  const ranks = new Map(customers.map((id, index) => [id, index]));
  const rankOf = ({ customerId }: BillLine) => ranks.get(customerId) ?? 0;
  const keyOf = ({ customerId, chargeCode, warehouseCode }: BillLine) =>
    JSON.stringify([customerId, chargeCode, byWarehouse && warehouseCode]);
  const lines = [...groupedBy(totals, keyOf).values()].map((group): BillLine => {
    const { customerId, chargeCode, warehouseCode } = group[0];
    return { customerId, chargeCode, warehouseCode: byWarehouse ? warehouseCode : undefined, ...sumOfTotals(group) };
  });
  return lines.sort((a, b) => rankOf(a) - rankOf(b) || byCode(a, b));
}

const byCode = (a: BillLine, b: BillLine) =>
  a.chargeCode.localeCompare(b.chargeCode) || (a.warehouseCode ?? "").localeCompare(b.warehouseCode ?? "");

interface BillOptions {
  readonly nameOf: NameOfCustomer;
  readonly byWarehouse?: boolean;
  /** What the column Rows shows, such as a link to the line's rows. */
  readonly rowsOf?: (line: BillLine) => Child;
  /** True if the amounts are changes, shown with their sign. */
  readonly signed?: boolean;
}

interface BillTableProps extends BillOptions {
  readonly caption: string;
  readonly lines: readonly BillLine[];
  readonly sum: BillSum;
  /** A line above the headings of every printed page. */
  readonly printed?: string;
}

/** Amounts by customer and charge code, and by warehouse if `byWarehouse`. */
export const BillTable = ({ caption, lines, sum, printed, ...options }: BillTableProps) => (
  <Table
    caption={caption}
    class="bill"
    columns={billColumns(options)}
    rows={lines}
    groupBy={({ customerId }) => customerId}
    printedHead={printed}
    foot={<SumRow label="Total" columns={options.byWarehouse ? 3 : 2} signed={options.signed} {...sum} />}
  />
);

/** The columns of customer and charge code, for pages and for files. */
export const chargeColumns = <Row extends Pick<BillLine, "customerId" | "chargeCode">>(
  nameOf: NameOfCustomer,
  options: Pick<Column<Row>, "isRowHeader" | "oncePerGroup"> = {},
): readonly Column<Row>[] => [
  column("customerId", "Customer id", ({ customerId }) => customerId, { onlyInFiles: true }),
  column("customer", "Customer", ({ customerId }) => nameOf(customerId ?? ""), {
    ...options,
    cell: ({ customerId }) => <Customer customerId={customerId} nameOf={nameOf} />,
  }),
  column("chargeCode", "Charge code", ({ chargeCode }) => chargeCode),
];

export const amountColumns = <Row extends Pick<BillLine, "quantity" | "rows">>(
  signed = true,
  rowsOf: Column<Row>["cell"] = signed ? ({ rows }) => <Quantity text={String(rows)} isDifference /> : undefined,
): readonly Column<Row>[] => [
  column("quantity", "Quantity", ({ quantity }) => ({ decimal: quantity }), {
    number: true,
    ...(signed ? { cell: ({ quantity }) => <Quantity text={quantity} isDifference /> } : {}),
  }),
  column("rows", "Rows", ({ rows }) => rows, {
    number: true,
    ...(rowsOf ? { cell: rowsOf } : {}),
  }),
];

const warehouseColumn: Column<BillLine> = column("warehouse", "Warehouse", ({ warehouseCode }) => warehouseCode);

export const billColumns = ({ nameOf, byWarehouse = false, rowsOf, signed = false }: BillOptions): readonly Column<BillLine>[] => [
  ...chargeColumns<BillLine>(nameOf, { isRowHeader: true, oncePerGroup: true }),
  ...(byWarehouse ? [warehouseColumn] : []),
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
      {quantity === undefined ? null : <Quantity text={quantity} isDifference={signed} />}
    </td>
    <td data-label="Rows" class="number">
      <Quantity text={String(rows)} isDifference={signed} />
    </td>
  </tr>
);

/** A page with more lines than this would be too long to read. */
export const maxLines = 1_000;

export const FirstLinesHint = ({ hasDownload = true }: { hasDownload?: boolean }) => (
  <p class="hint">
    The first <Amount value={maxLines} /> lines.{" "}
    {hasDownload ? "The total covers all lines, and so does the download." : "The total covers all lines."}
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
    noun: ["total", "totals"],
    path: withQuery(activitiesPath, queryOf(view)),
    name: "after",
    size: linesPerPage,
  });
  const caption = `Totals by customer and charge code, ${daysInWords(view)}`;
  return (
    <>
      <BillTable {...billOptions(view)} caption={caption} lines={rows} sum={billSum(totals)} />
      {pager}
      {rows.length === lines.length ? null : <p class="hint">The total and the downloads cover all pages.</p>}
    </>
  );
}

const linesPerPage = 200;

/** In the column Rows, the number links to the rows themselves, as of the same time as the totals. */
const billOptions = (view: ActivitiesView) => ({
  nameOf: view.nameOf,
  byWarehouse: view.byWarehouse,
  rowsOf: (line: BillLine) => <LinkToRows view={view} line={line} />,
});

/** A table for each customer, printed on its own page. If there are too many lines, the last customers are omitted, never a part of one. */
function BillPerCustomer({ view, lines }: { view: ActivitiesView; lines: readonly BillLine[] }) {
  const days = daysInWords(view);
  const bills = [...groupedBy(lines, ({ customerId }) => customerId)];
  let lineCount = 0;
  const shown = bills.filter(([, customerLines], index) => {
    lineCount += customerLines.length;
    return index === 0 || lineCount <= maxLines;
  });
  return (
    <>
      {shown.map(([customerId, customerLines]) => (
        <section class="customer-bill">
          <h3>
            <Customer customerId={customerId} nameOf={view.nameOf} />
          </h3>
          <BillTable
            {...billOptions(view)}
            caption={`Totals by charge code, ${days}`}
            lines={customerLines}
            sum={billSum(customerLines)}
            printed={printedLines(view, customerId ?? noCustomer).join(". ")}
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
  const rowsParameters = { customer: customerId ?? noCustomer, charge: chargeCode, warehouse, view: "rows", pages: "" };
  const customerWords = customerId === null ? "without a customer" : (view.nameOf(customerId) ?? customerId);
  return (
    <Link
      to={activitiesPathOf(view, rowsParameters)}
      aria-label={`Show the ${rows} ${rows === 1 ? "row" : "rows"} of ${chargeCode}, ${customerWords}${warehouseCode ? `, ${warehouseCode}` : ""}`}
    >
      <Amount value={rows} />
    </Link>
  );
}
