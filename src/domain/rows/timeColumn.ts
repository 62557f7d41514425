import { isOtherDateForm, readTimestamp } from "../imports/timestamp.js";
import { type Columns, type ReadText, rawColumn } from "./cells.js";

const acceptedForms = "YYYY-MM-DD, YYYY-MM-DDThh:mm:ss or YYYY-MM-DDThh:mm:ss+hh:mm (ISO 8601), such as 2026-10-06T09:30:00+10:00";

/**
 * Reads a column of times; a blank gives nothing, a cell that names no instant gives undefined and `reason`. A date in another form is told
 * which ones are taken: 6/10/2026 is June or October, and only its writer knows.
 */
export function timeColumn(columns: Columns, field: string, { timezone, reason }: { timezone: string; reason: string }): ReadText {
  const column = rawColumn(columns, field);
  return (cells, reasons) => {
    const text = column.read(cells);
    if (text === "") return "";
    const instant = text === undefined ? undefined : readTimestamp(text, timezone);
    if (instant !== undefined) return instant;
    column.refuse(cells, reasons, reason);
    if (text !== undefined && isOtherDateForm(text)) reasons.push(`Write the date in ${field} as ${acceptedForms}`);
    return undefined;
  };
}
