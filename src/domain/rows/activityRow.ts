import { parseDecimal } from "../imports/decimal.js";
import { limits } from "../imports/limits.js";
import { type Columns, type Judged, type Row, rawColumn, rowFaults, textColumn } from "./cells.js";
import type { RowContext } from "./rowContext.js";
import { timeColumn } from "./timeColumn.js";

const noTime = "Valid activity timestamp is required";

export interface ActivityValues {
  warehouseCode: string;
  chargeCode: string;
  quantity: number;
  activityTimestamp: string;
  customerId?: string;
  reference?: string;
  status?: string;
}

/** A negative quantity is allowed: it is how a warehouse takes back what it recorded before. */
export function activityJudge(columns: Columns, context: RowContext): (row: Row) => Judged<ActivityValues> {
  const readWarehouse = textColumn(columns, "warehouseCode", limits.identifierLength);
  const readCharge = textColumn(columns, "chargeCode", limits.identifierLength);
  const quantityColumn = rawColumn(columns, "quantity");
  const readTime = timeColumn(columns, "activityTimestamp", { timezone: context.timezone, reason: noTime });
  const readCustomer = textColumn(columns, "customerId", limits.identifierLength);
  const readReference = textColumn(columns, "reference");
  const readStatus = textColumn(columns, "status");
  return (row) => {
    const { cells } = row;
    const reasons = rowFaults(row);
    const warehouseCode = readWarehouse(cells, reasons);
    if (warehouseCode === "") reasons.push("Warehouse code is required");
    const chargeCode = readCharge(cells, reasons);
    if (chargeCode === "") reasons.push("Charge code is required");
    const quantity = parseDecimal(quantityColumn.read(cells) ?? "");
    if (!quantity) quantityColumn.refuse(cells, reasons, "Valid quantity is required"); // also 0
    const activityTimestamp = readTime(cells, reasons);
    if (activityTimestamp === "") reasons.push(noTime);
    const customerId = readCustomer(cells, reasons);
    if (customerId && !context.knowsCustomer(customerId)) reasons.push("Customer not found");
    const reference = readReference(cells, reasons);
    const status = readStatus(cells, reasons);
    if (reasons.length > 0 || !warehouseCode || !chargeCode || !quantity || !activityTimestamp) return { reason: reasons.join("; ") };
    const values: ActivityValues = { warehouseCode, chargeCode, quantity, activityTimestamp };
    if (customerId) values.customerId = customerId;
    if (reference) values.reference = reference;
    if (status) values.status = status;
    return { values };
  };
}
