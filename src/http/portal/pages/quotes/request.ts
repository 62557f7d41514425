import { type QuoteRequest, quoteRequest } from "../../../../domain/rating/quoteRequest.js";
import { Rejection } from "../../../../domain/rejection.js";
import { check } from "../../../../domain/validation.js";
import type { Fields } from "../../fields.js";

export const quotesPath = "/portal/quotes";

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
  const customerIds = customersOf(fields);
  if (customerIds.length === 0) throw new Rejection("invalid", "Choose at least one customer");
  const items = itemsOf(fields);
  if (items.length === 0) throw new Rejection("invalid", "Give at least one item: its quantity, size and weight");
  const body = { general: { customerIds }, origin: endOf("origin", fields), destination: endOf("destination", fields), items };
  const checked = check(quoteRequest, body, "The form");
  if (checked.ok) return checked.value;
  const faults = checked.faults.map(inTheFormsWords);
  throw new Rejection("invalid", faults[0] ?? "The form is not complete", faults);
}

/** The customers that are ticked, and those that are entered by their ids. */
export const customersOf = (fields: Fields): readonly string[] =>
  [...fields.all("customer"), ...fields.get("customers").split(",")].map((id) => id.trim()).filter((id) => id !== "");

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
export function ofTheForm(error: unknown): unknown {
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
