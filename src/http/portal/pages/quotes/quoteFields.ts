// What the form for quotes sends as a request, and a request as what the form would send.
import { type QuoteRequest, quoteRequest } from "../../../../domain/rating/quoteRequest.js";
import { Rejection } from "../../../../domain/rejection.js";
import { check } from "../../../../domain/validation.js";
import type { ExplainedQuote } from "../../../../queries/quotes/explainQuote.js";
import { type Fields, noFields } from "../../fields.js";
import { tickedIn } from "../../shell/form.js";

/** A quote of more items is asked for over the API. */
export const mostItems = 200;

/** The columns of the items, in the order in which a spreadsheet's are pasted. */
export const itemFields = [
  { name: "quantity", label: "Quantity" },
  { name: "length", label: "Length (m)" },
  { name: "width", label: "Width (m)" },
  { name: "height", label: "Height (m)" },
  { name: "weight", label: "Weight (kg each)" },
  { name: "type", label: "Type" },
] as const;

/** The form as the API's own request, judged by the same schema; what is wrong is said in the form's words. */
export function requestOf(fields: Fields): QuoteRequest {
  const customerIds = tickedIn(fields, "customer");
  if (customerIds.length === 0) throw new Rejection("invalid", "Choose at least one customer");
  const items = itemsOf(fields);
  if (items.length === 0) throw new Rejection("invalid", "Enter at least one item, with its quantity, size and weight");
  const body = { general: { customerIds }, origin: endOf("origin", fields), destination: endOf("destination", fields), items };
  const checked = check(quoteRequest, body, "The form");
  if (checked.ok) return checked.value;
  const faults = checked.faults.map(inTheFormsWords);
  throw new Rejection("invalid", faults[0] ?? "The form is not complete", faults);
}

function endOf(name: string, fields: Fields) {
  const [postalCode, suburbName, countryCode] = ["postcode", "suburb", "country"].map((part) => fields.get(`${name}.${part}`).trim());
  return { postalCode, ...(suburbName ? { suburbName } : {}), ...(countryCode ? { countryCode } : {}) };
}

function itemsOf(fields: Fields): Record<string, unknown>[] {
  const columns = itemFields.map(({ name }) => ({ name, values: fields.all(name).map((value) => value.trim()) }));
  const rows = Array.from({ length: columns[0]?.values.length ?? 0 }, (_, row) =>
    Object.fromEntries(columns.map(({ name, values }) => [name, values[row] ?? ""])),
  );
  return rows.filter((row) => Object.values(row).some((value) => value !== "")).map(itemOf);
}

const itemOf = ({ type, ...numbers }: Record<string, string>) => ({
  ...Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, numberOf(text)])),
  ...(type ? { type } : {}),
});

/** What is not a number stays a text, which the schema refuses by its name. */
const numberOf = (text: string): unknown => (/^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : text);

/** A refusal of the request as a refusal of the form. */
export function asFormError(error: unknown): unknown {
  return error instanceof Rejection && error.details ? new Rejection(error.code, error.message, error.details.map(inTheFormsWords)) : error;
}

function inTheFormsWords(fault: string): string {
  return fault
    .replace(/^items\.(\d+)\.(\w+)/, (_, index: string, name: string) => {
      const label = itemFields.find((field) => field.name === name)?.label ?? name;
      return `${label} of item ${Number(index) + 1}`;
    })
    .replace(/^items\b/, "The items")
    .replace(/^(origin|destination)\.(postalCode|suburbName|countryCode)/, (_, end: string, part: string) => {
      const words: Record<string, string> = { postalCode: "postcode", suburbName: "suburb", countryCode: "country" };
      return `${end === "origin" ? "Origin" : "Destination"} ${words[part]}`;
    });
}

/** The form as it would be filled in for these quotes, so that the next one is asked for by changing what differs. */
export function fieldsOfQuotes(quotes: readonly ExplainedQuote[]): Fields {
  const [first] = quotes;
  if (!first) return noFields;
  const { origin, destination, items } = first.recorded;
  const listed = itemsLeftOut(quotes) > 0 ? [] : items;
  const values = new Map<string, readonly string[]>([["customer", quotes.map(({ recorded }) => recorded.customerId)]]);
  for (const [end, { postalCode, suburb, countryCode }] of Object.entries({ origin, destination })) {
    values.set(`${end}.postcode`, [postalCode]);
    values.set(`${end}.suburb`, [suburb]);
    values.set(`${end}.country`, [countryCode]);
  }
  for (const { name } of itemFields)
    values.set(
      name,
      listed.map((item) => String(item[name] ?? "")),
    );
  return { all: (name) => values.get(name) ?? [], get: (name) => values.get(name)?.[0] ?? "" };
}

/** How many items these quotes have, where they are more than the form takes. */
export function itemsLeftOut(quotes: readonly ExplainedQuote[]): number {
  const items = quotes[0]?.recorded.items.length ?? 0;
  return items > mostItems ? items : 0;
}
