/** As people, spreadsheets and programs write a number. A longer text has more digits than a JSON number can hold. */
const pattern = /^[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:e[+-]?\d{1,3})?$/i;

/** Below it every whole number has a JSON number of its own. */
const limit = 1e15;

/** Numbers are recorded as JSON numbers, which are exact to 15 digits; whatever is past them is rounded, in a file as in a JSON body. */
export const isRecordable = (value: number): boolean => Math.abs(value) < limit;

/** A decimal number, or undefined: no hex, blanks, thousands separators, currency signs or Infinity. */
export function parseDecimal(text: string): number | undefined {
  if (!pattern.test(text)) return undefined;
  const value = Number(text);
  return isRecordable(value) ? value : undefined;
}
