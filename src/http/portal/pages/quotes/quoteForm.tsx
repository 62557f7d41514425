import type { Customer } from "../../../../domain/catalogue/schema.js";
import { type QuoteRequest, quoteRequest } from "../../../../domain/rating/quoteRequest.js";
import { Rejection } from "../../../../domain/rejection.js";
import { check } from "../../../../domain/validation.js";
import type { ExplainedQuote } from "../../../../queries/quotes/explainQuote.js";
import { type Fields, noFields } from "../../fields.js";
import { Button, Field, Form, Ticks, tickedIn } from "../../shell/form.js";
import { countInWords } from "../../shell/formats.js";
import { ButtonLink, Panel, useVisit } from "../../shell/parts.js";
import { Table } from "../../shell/table.js";

/** A quote of more items is asked for over the API. */
export const mostItems = 200;

/** The columns of the items, in the order in which a spreadsheet's are pasted. */
const itemFields = [
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
  const body = { general: { customerIds }, origin: placeOf("origin", fields), destination: placeOf("destination", fields), items };
  const checked = check(quoteRequest, body, "The form");
  if (checked.ok) return checked.value;
  const faults = checked.faults.map(inTheFormsWords);
  throw new Rejection("invalid", faults[0] ?? "The form is not complete", faults);
}

function placeOf(name: string, fields: Fields) {
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

/** What is not a number stays a text, which the schema refuses, naming the field. */
const numberOf = (text: string): unknown => (/^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : text);

/** A refusal of the request as a refusal of the form. */
export const asFormError = (error: unknown): unknown =>
  error instanceof Rejection && error.details ? new Rejection(error.code, error.message, error.details.map(inTheFormsWords)) : error;

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
function fieldsOfQuotes(quotes: readonly ExplainedQuote[]): Fields {
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
function itemsLeftOut(quotes: readonly ExplainedQuote[]): number {
  const items = quotes[0]?.recorded.items.length ?? 0;
  return items > mostItems ? items : 0;
}

export const quotesPath = "/portal/quotes";

/** Without the script there are three rows of items; with it as many as are wanted. */
const plainRows = 3;

/** `shown`: the quotes that the page shows. The form has what they were asked with. */
export function QuoteForm({ customers, shown }: { customers: readonly Customer[]; shown: readonly ExplainedQuote[] }) {
  const asked = fieldsOfQuotes(shown);
  const { submitted } = useVisit();
  const isRefused = submitted.all("quantity").length > 0;
  return (
    <Panel id="new-quote" title="New quote">
      <Form to={quotesPath} class="stacked quote-form">
        <Ticks
          class="customers"
          legend="Customers"
          name="customer"
          options={customers.map(({ id, name }) => ({ value: id, label: name }))}
          ticked={shown.length === 0 && customers.length === 1 ? customers.map(({ id }) => id) : asked.all("customer")}
        >
          <label class="find-customer">
            Find a customer
            <input type="search" data-find="customers" autocomplete="off" />
          </label>
        </Ticks>
        <div class="two-columns">
          <PlaceFields legend="Origin" name="origin" asked={asked} />
          <PlaceFields legend="Destination" name="destination" asked={asked} />
        </div>
        <Items shown={isRefused ? submitted : asked} tooMany={isRefused ? 0 : itemsLeftOut(shown)} />
        <div class="actions">
          {asked.get("customer") === "" ? null : <ButtonLink to={quotesPath} label="Clear form" quiet />}
          <Button label="Get quotes" />
        </div>
      </Form>
      <datalist id="places-origin" />
      <datalist id="places-destination" />
    </Panel>
  );
}

function PlaceFields({ legend, name, asked }: { readonly legend: string; readonly name: string; readonly asked: Fields }) {
  const own = (part: string) => ({ id: `${name}-${part}`, name: `${name}.${part}`, value: asked.get(`${name}.${part}`) });
  const suggested = { list: `places-${name}`, autocomplete: "off" };
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div class="end">
        <Field label="Postcode" {...own("postcode")} {...suggested} maxlength={60} />
        <Field label="Suburb" {...own("suburb")} {...suggested} maxlength={200} required={false} />
        <Field label="Country" {...own("country")} autocomplete="off" maxlength={56} placeholder="AU" required={false} />
      </div>
    </fieldset>
  );
}

function Items({ shown, tooMany }: { readonly shown: Fields; readonly tooMany: number }) {
  const rows = Array.from({ length: Math.max(plainRows, shown.all("quantity").length) }, (_, index) => index);
  const columns = itemFields.map(({ name, label }) => ({
    heading: label,
    cell: (index: number) => (
      <input
        {...{ name, value: shown.all(name)[index] ?? "", inputmode: name === "type" ? ("text" as const) : ("decimal" as const) }}
        {...{ "aria-label": `${label}, item ${index + 1}`, autocomplete: "off", maxlength: 100 }}
      />
    ),
  }));
  return (
    <fieldset class="items">
      <legend>Items</legend>
      {tooMany > 0 ? (
        <p class="notice warn">
          The quote above has {countInWords(tooMany, "item", "items")}. This form takes up to {mostItems}, so they are not filled in. To
          price more items, use the API.
        </p>
      ) : null}
      <p class="hint" id="items-hint" role="status">
        Enter sizes in metres, and the weight of one item in kilograms. You can paste rows from a spreadsheet that has its columns in this
        order. Empty rows are ignored.
      </p>
      <Table caption="Items" class="items" columns={columns} rows={rows} />
      <Button type="button" class="quiet" data-add-row label="Add a row" />
    </fieldset>
  );
}
