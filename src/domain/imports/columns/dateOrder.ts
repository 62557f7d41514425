// Dates such as 03/04/2026, which are in March or in April: somebody has to say which.
import { isTimestamp } from "../timestamp.js";

export const dateOrders = ["dayFirst", "monthFirst"] as const;
export type DateOrder = (typeof dateOrders)[number];

const datePattern = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:(?:, ?|T| {1,2})(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([ap])\.?m\.?)?)?$/i;

const maxDateLength = 40;
const dateParts = (text: string): RegExpExecArray | null => (text.length > maxDateLength ? null : datePattern.exec(text));

/** Whether the text has the form of a date whose day and month could be mistaken for each other. */
export const needsDateOrder = (text: string): boolean => dateParts(text.trim()) !== null;

/** Converts the date to ISO 8601, without a zone. Undefined for any other text, and for a day that no calendar has. */
export function toIsoDate(text: string, order: DateOrder): string | undefined {
  const parts = dateParts(text.trim());
  if (!parts) return undefined;
  const [, first = "", , second = "", year, hour, minute, seconds, amOrPm] = parts;
  const [day, month] = order === "dayFirst" ? [first, second] : [second, first];
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const hours = hour === undefined ? undefined : hourOf(Number(hour), amOrPm?.toLowerCase());
  if (hours === Number.NEGATIVE_INFINITY) return undefined;
  const clock = hours === undefined ? "" : `T${String(hours).padStart(2, "0")}:${minute}${seconds === undefined ? "" : `:${seconds}`}`;
  return isTimestamp(date + clock) ? date + clock : undefined;
}

/** The hour on a 24-hour clock. Minus infinity for an hour that no 12-hour clock shows. `amOrPm`: `a`, `p`, or undefined for 24 hours. */
function hourOf(hour: number, amOrPm: string | undefined): number {
  if (amOrPm === undefined) return hour;
  if (hour < 1 || hour > 12) return Number.NEGATIVE_INFINITY;
  return (hour % 12) + (amOrPm === "p" ? 12 : 0);
}

export interface DateOrderFinding {
  /** Undefined if both orders are possible, or the values contradict each other. */
  readonly order: DateOrder | undefined;
  /** A value that can only be read in this order; if there is none, the first value that needs an order. */
  readonly example: string;
  /** If the values contradict each other: one that can only be read the other way round. */
  readonly counterexample?: string;
}

/** The order that the values themselves show. Undefined if none of them needs an order. */
export function dateOrderIn(values: Iterable<string>): DateOrderFinding | undefined {
  const evidence = createDateEvidence(values);
  const firstDate = evidence.firstDate();
  if (firstDate === undefined) return undefined;
  const [[order, example] = [undefined, firstDate], [, counterexample] = []] = evidence.proofs;
  return counterexample === undefined ? { order, example } : { order: undefined, example, counterexample };
}

/** A value that only the other order can read. If `order` is undefined: a value that needs one. */
export function contradictingDate(values: Iterable<string>, order: DateOrder | undefined): string | undefined {
  const { firstDate, proofs } = createDateEvidence(values);
  return order === undefined ? firstDate() : proofs.get(order === "dayFirst" ? "monthFirst" : "dayFirst");
}

/** Keeps the few texts of a column that decide its order of day and month; `values` returns them. */
export function createDateEvidence(texts: Iterable<string> = []) {
  const proofs = new Map<DateOrder, string>();
  let first: string | undefined;
  const evidence = {
    /** By order: the first value that can be read in that order only. */
    proofs: proofs as ReadonlyMap<DateOrder, string>,
    /** The first value that needs an order. */
    firstDate: () => first,
    add(text: string): void {
      const date = text.trim();
      const parts = proofs.size === dateOrders.length ? null : dateParts(date);
      if (!parts) return;
      first ??= date;
      const order = Number(parts[1]) > 12 ? "dayFirst" : "monthFirst";
      const isProof = Number(parts[1]) > 12 !== Number(parts[3]) > 12 && toIsoDate(date, order) !== undefined;
      if (isProof && !proofs.has(order)) proofs.set(order, date);
    },
    values: () => [...new Set([...(first === undefined ? [] : [first]), ...proofs.values()])],
  };
  for (const text of texts) evidence.add(text);
  return evidence;
}
