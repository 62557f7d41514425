// Totals as people bill them: customer by customer, by charge code, and by warehouse where that is chosen.
import { type ActivityTotal, sumOf } from "../../../../queries/activities/activityTotals.js";

export interface BillLine {
  readonly chargeCode: string;
  /** Undefined: of all warehouses. */
  readonly warehouseCode: string | undefined;
  readonly quantity: string;
  readonly rows: number;
}

export interface CustomerBill {
  readonly customerId: string | null;
  readonly lines: readonly BillLine[];
}

export interface BillSum {
  /** Undefined where the charge codes differ: pallets and labels have no sum. */
  readonly quantity: string | undefined;
  readonly rows: number;
}

export function billSum(amounts: readonly Pick<ActivityTotal, "chargeCode" | "quantity" | "rows">[]): BillSum {
  const { quantity, rows } = sumOf(amounts);
  return { quantity: new Set(amounts.map(({ chargeCode }) => chargeCode)).size > 1 ? undefined : quantity, rows };
}

type Billed = Omit<ActivityTotal, "warehouseCode"> & { readonly warehouseCode?: string };

export function billsOf(totals: readonly Billed[], byWarehouse: boolean): CustomerBill[] {
  const lineOf = ({ chargeCode, warehouseCode }: Billed) => JSON.stringify(byWarehouse ? [chargeCode, warehouseCode] : [chargeCode]);
  const bills = grouped(totals, ({ customerId }) => customerId).map(([customerId, own]) => {
    const lines = grouped(own, lineOf).map(([key, some]) => {
      const [chargeCode = "", warehouseCode] = JSON.parse(key) as string[];
      return { chargeCode, warehouseCode, ...sumOf(some) };
    });
    return { customerId, lines: lines.sort(byCode) };
  });
  // Activities without a customer come last.
  return [...bills.filter(({ customerId }) => customerId !== null), ...bills.filter(({ customerId }) => customerId === null)];
}

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): [Key, Item[]][] {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups];
}

const byCode = (a: BillLine, b: BillLine) =>
  a.chargeCode.localeCompare(b.chargeCode) || (a.warehouseCode ?? "").localeCompare(b.warehouseCode ?? "");
