// Dates such as 03/04/2026, which are in March or in April: somebody has to say which.
import { isTimestamp } from "../timestamp.js";

export const dateOrders = ["dayFirst", "monthFirst"] as const;
export type DateOrder = (typeof dateOrders)[number];

const form = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:(?:, ?|T| {1,2})(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([ap])\.?m\.?)?)?$/i;

const longest = 40;
const partsOf = (text: string): RegExpExecArray | null => (text.length > longest ? null : form.exec(text));

/** Whether it is a date whose day and month could be mistaken for each other, by its form. */
export const needsOrder = (text: string): boolean => partsOf(text.trim()) !== null;

/** The date as ISO 8601 has it, without a zone. Undefined for any other text, and for a day that no calendar has. */
export function isoDate(text: string, order: DateOrder): string | undefined {
  const parts = partsOf(text.trim());
  if (!parts) return undefined;
  const [, first = "", , second = "", year, hour, minute, seconds, half] = parts;
  const [day, month] = order === "dayFirst" ? [first, second] : [second, first];
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const hours = hour === undefined ? undefined : hourOf(Number(hour), half?.toLowerCase());
  if (hours === Number.NEGATIVE_INFINITY) return undefined;
  const clock = hours === undefined ? "" : `T${String(hours).padStart(2, "0")}:${minute}${seconds === undefined ? "" : `:${seconds}`}`;
  return isTimestamp(date + clock) ? date + clock : undefined;
}

/** Of 24. Minus infinity where a clock of 12 hours shows no such hour. */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return Number.NEGATIVE_INFINITY;
  return (hour % 12) + (half === "p" ? 12 : 0);
}

export interface DateOrderFinding {
  /** Undefined where both are possible, or the values contradict each other. */
  readonly order: DateOrder | undefined;
  /** A value that can only be read in this order; if there is none, the first value that needs an order. */
  readonly example: string;
  /** Where the values contradict each other: one that can only be read the other way round. */
  readonly other?: string;
}

/** What the values themselves say. Undefined where none of them needs an order. */
export function dateOrderIn(values: Iterable<string>): DateOrderFinding | undefined {
  const forms = createDateForms(values);
  const any = forms.any();
  if (any === undefined) return undefined;
  const [[order, example] = [undefined, any], [, other] = []] = forms.proofs;
  return other === undefined ? { order, example } : { order: undefined, example, other };
}

/** A value that this order cannot read, and the other can; without an order, any value that needs one. */
export function contradictingDate(values: Iterable<string>, order: DateOrder | undefined): string | undefined {
  const { any, proofs } = createDateForms(values);
  return order === undefined ? any() : proofs.get(order === "dayFirst" ? "monthFirst" : "dayFirst");
}

/** Takes the texts of a column and keeps the few that decide its order of day and month. */
export function createDateForms(texts: Iterable<string> = []) {
  const proofs = new Map<DateOrder, string>();
  let any: string | undefined;
  const forms = {
    /** The first value that can only be read in this order. */
    proofs: proofs as ReadonlyMap<DateOrder, string>,
    /** The first value that needs an order. */
    any: () => any,
    add(text: string): void {
      const date = text.trim();
      const parts = proofs.size === dateOrders.length ? null : partsOf(date);
      if (!parts) return;
      any ??= date;
      const order = Number(parts[1]) > 12 ? "dayFirst" : "monthFirst";
      const isProof = Number(parts[1]) > 12 !== Number(parts[3]) > 12 && isoDate(date, order) !== undefined;
      if (isProof && !proofs.has(order)) proofs.set(order, date);
    },
    values: () => [...new Set([...(any === undefined ? [] : [any]), ...proofs.values()])],
  };
  for (const text of texts) forms.add(text);
  return forms;
}
