// Totals as people bill them: customer by customer, by charge code, and by warehouse where that is chosen.
import { type ActivityTotal, sumOfTotals } from "../../../../queries/activities/activityTotals.js";
import { groupItems } from "../../groupItems.js";

export interface BillLine {
  readonly customerId: string | null;
  readonly chargeCode: string;
  /** Undefined: of all warehouses. */
  readonly warehouseCode: string | undefined;
  readonly quantity: string;
  readonly rows: number;
}

export interface BillSum {
  /** Undefined where the charge codes differ: pallets and labels have no sum. */
  readonly quantity: string | undefined;
  readonly rows: number;
}

export function billSum(amounts: readonly Pick<ActivityTotal, "chargeCode" | "quantity" | "rows">[]): BillSum {
  const { quantity, rows } = sumOfTotals(amounts);
  return { quantity: new Set(amounts.map(({ chargeCode }) => chargeCode)).size > 1 ? undefined : quantity, rows };
}

type Billed = Omit<ActivityTotal, "warehouseCode"> & { readonly warehouseCode?: string };

/** Activities without a customer come last. */
export function billLines(totals: readonly Billed[], byWarehouse: boolean): BillLine[] {
  const customers = [...new Set(totals.map(({ customerId }) => customerId).filter((id) => id !== null)), null];
  const places = new Map(customers.map((id, index) => [id, index]));
  const placeOf = ({ customerId }: BillLine) => places.get(customerId) ?? 0;
  const keyOf = ({ customerId, chargeCode, warehouseCode }: Billed) =>
    JSON.stringify([customerId, chargeCode, byWarehouse && warehouseCode]);
  const lines = [...groupItems(totals, keyOf).values()].map((some): BillLine => {
    const { customerId, chargeCode, warehouseCode } = some[0];
    return { customerId, chargeCode, warehouseCode: byWarehouse ? warehouseCode : undefined, ...sumOfTotals(some) };
  });
  return lines.sort((a, b) => placeOf(a) - placeOf(b) || byCode(a, b));
}

const byCode = (a: BillLine, b: BillLine) =>
  a.chargeCode.localeCompare(b.chargeCode) || (a.warehouseCode ?? "").localeCompare(b.warehouseCode ?? "");
