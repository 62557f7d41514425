import type { Child } from "hono/jsx";
import { type Column, Table } from "../../shell/table.js";
import { Amount, Quantity } from "../../shell/values.js";
import { Customer, type NameOfCustomer } from "../customers.js";
import type { BillLine, BillSum } from "./billLines.js";

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
export const customerColumns = <Row extends Pick<BillLine, "customerId" | "chargeCode">>(
  nameOf: NameOfCustomer,
  bill: Pick<Column<Row>, "names" | "once"> = {},
): readonly Column<Row>[] => [
  { key: "customerId", heading: "Customer id", value: ({ customerId }) => customerId, onlyInFiles: true },
  {
    ...{ key: "customer", heading: "Customer", ...bill, value: ({ customerId }) => nameOf(customerId ?? "") },
    cell: ({ customerId }) => <Customer customerId={customerId} nameOf={nameOf} />,
  },
  { key: "chargeCode", heading: "Charge code", value: ({ chargeCode }) => chargeCode },
];

export const amountColumns = <Row extends Pick<BillLine, "quantity" | "rows">>(
  signed = true,
  rowsOf: Column<Row>["cell"] = signed ? ({ rows }) => <Quantity text={String(rows)} signed /> : undefined,
): readonly Column<Row>[] => [
  {
    ...{ key: "quantity", heading: "Quantity", number: true, value: ({ quantity }) => ({ decimal: quantity }) },
    ...(signed ? { cell: ({ quantity }) => <Quantity text={quantity} signed /> } : {}),
  },
  {
    ...{ key: "rows", heading: "Rows", number: true, value: ({ rows }) => rows },
    ...(rowsOf ? { cell: rowsOf } : {}),
  },
];

const warehouse: Column<BillLine> = { key: "warehouse", heading: "Warehouse", value: ({ warehouseCode }) => warehouseCode };

export const billColumns = ({ nameOf, byWarehouse = false, rowsOf, signed = false }: BillOptions): readonly Column<BillLine>[] => [
  ...customerColumns<BillLine>(nameOf, { names: true, once: true }),
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
