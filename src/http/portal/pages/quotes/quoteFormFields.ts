import type { ExplainedQuote } from "../../../../queries/quotes/explainQuote.js";
import { type Fields, noFields } from "../../fields.js";
import { itemFields, mostItems } from "./quoteForm.js";

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
