import { fieldsOf } from "../imports/fields.js";
import { type Columns, type Judged, type Row, rowFaults } from "./cells.js";
import { fieldsReader } from "./fieldReader.js";
import type { RowContext } from "./rowContext.js";

export function activityJudge(columns: Columns, context: RowContext): (row: Row) => Judged<Record<string, unknown>> {
  const read = fieldsReader(columns, fieldsOf("activity"), context);
  return (row) => {
    const reasons = rowFaults(row);
    const values = read(row.cells, reasons);
    return reasons.length > 0 ? { reason: reasons.join("; ") } : { values };
  };
}
