import type { Customer } from "../../../../domain/catalogue/schema.js";
import { type QuoteRequest, quoteRequest } from "../../../../domain/rating/quoteRequest.js";
import { Rejection } from "../../../../domain/rejection.js";
import { checkInput } from "../../../../domain/validation.js";
import type { ExplainedQuote } from "../../../../queries/quotes/explainQuote.js";
import { type Fields, noFields } from "../../fields.js";
import { Button, CheckBoxGroup, Field, Form, tickedValues } from "../../shell/form.js";
import { countInWords } from "../../shell/formats.js";
import { ButtonLink, Panel, useVisit } from "../../shell/markup.js";
import { Table } from "../../shell/table.js";

/** The most items that the form takes. Quotes for more need the API. */
export const maxItems = 200;

/** The columns of the items, in the order in which cells are pasted from a spreadsheet. */
const itemFields = [
  { name: "quantity", label: "Quantity" },
  { name: "length", label: "Length (m)" },
  { name: "width", label: "Width (m)" },
  { name: "height", label: "Height (m)" },
  { name: "weight", label: "Weight (kg each)" },
  { name: "type", label: "Type" },
] as const;

/** Turns the form into a request of the API and checks it with the same schema. Faults name the form's labels. */
export function quoteRequestOf(fields: Fields): QuoteRequest {
  const customerIds = tickedValues(fields, "customer");
  if (customerIds.length === 0) throw new Rejection("invalid", "Choose at least one customer");
  const items = itemsOf(fields);
  if (items.length === 0) throw new Rejection("invalid", "Enter at least one item, with its quantity, size and weight");
  const body = { general: { customerIds }, origin: placeFields("origin", fields), destination: placeFields("destination", fields), items };
  const checked = checkInput(quoteRequest, body, "The form");
  if (checked.ok) return checked.value;
  const faults = checked.faults.map(inFormWords);
  throw new Rejection("invalid", faults[0] ?? "The form is not complete", faults);
}

function placeFields(name: string, fields: Fields) {
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
  ...Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, numberOrText(text)])),
  ...(type ? { type } : {}),
});

/** Text that is not a number stays text, so that the schema refuses it and names the field. */
const numberOrText = (text: string): unknown => (/^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : text);

/** Rewrites the details of a Rejection with the form's labels. */
export const asFormError = (error: unknown): unknown =>
  error instanceof Rejection && error.details ? new Rejection(error.code, error.message, error.details.map(inFormWords)) : error;

function inFormWords(fault: string): string {
  return fault
    .replace(/^items\.(\d+)\.(\w+)/, (_, index: string, name: string) => {
      const label = itemFields.find((field) => field.name === name)?.label ?? name;
      return `${label} of item ${Number(index) + 1}`;
    })
    .replace(/^items\b/, "The items")
    .replace(/^(origin|destination)\.(postalCode|suburbName|countryCode)/, (_, end: string, part: string) => {
      const partNames: Record<string, string> = { postalCode: "postcode", suburbName: "suburb", countryCode: "country" };
      return `${end === "origin" ? "Origin" : "Destination"} ${partNames[part]}`;
    });
}

/** The form filled in with the request of these quotes, so that a similar request needs only the changes. */
function fieldsOfQuotes(quotes: readonly ExplainedQuote[]): Fields {
  const [first] = quotes;
  if (!first) return noFields;
  const { origin, destination, items } = first.recorded;
  const listedItems = omittedItems(quotes) > 0 ? [] : items;
  const values = new Map<string, readonly string[]>([["customer", quotes.map(({ recorded }) => recorded.customerId)]]);
  for (const [end, { postalCode, suburb, countryCode }] of Object.entries({ origin, destination })) {
    values.set(`${end}.postcode`, [postalCode]);
    values.set(`${end}.suburb`, [suburb]);
    values.set(`${end}.country`, [countryCode]);
  }
  for (const { name } of itemFields)
    values.set(
      name,
      listedItems.map((item) => String(item[name] ?? "")),
    );
  return { all: (name) => values.get(name) ?? [], get: (name) => values.get(name)?.[0] ?? "" };
}

/** The number of items that are not filled in: 0, or all items of the quotes if they are more than the form takes. */
function omittedItems(quotes: readonly ExplainedQuote[]): number {
  const items = quotes[0]?.recorded.items.length ?? 0;
  return items > maxItems ? items : 0;
}

export const quotesPath = "/portal/quotes";

/** The least number of rows for items. The script adds more. */
const minItemRows = 3;

/** The form, filled in with the request of the quotes that the page shows. */
export function QuoteForm({ customers, quotes }: { customers: readonly Customer[]; quotes: readonly ExplainedQuote[] }) {
  const initialFields = fieldsOfQuotes(quotes);
  const { submitted } = useVisit();
  const isRefused = submitted.all("quantity").length > 0;
  return (
    <Panel id="new-quote" title="New quote">
      <Form to={quotesPath} class="stacked quote-form">
        <CheckBoxGroup
          class="customers"
          legend="Customers"
          name="customer"
          options={customers.map(({ id, name }) => ({ value: id, label: name }))}
          ticked={quotes.length === 0 && customers.length === 1 ? customers.map(({ id }) => id) : initialFields.all("customer")}
        >
          <label class="find-customer">
            Find a customer
            <input type="search" data-find="customers" autocomplete="off" />
          </label>
        </CheckBoxGroup>
        <div class="two-columns">
          <PlaceFields legend="Origin" name="origin" initialFields={initialFields} />
          <PlaceFields legend="Destination" name="destination" initialFields={initialFields} />
        </div>
        <Items fields={isRefused ? submitted : initialFields} omittedCount={isRefused ? 0 : omittedItems(quotes)} />
        <div class="actions">
          {initialFields.get("customer") === "" ? null : <ButtonLink to={quotesPath} label="Clear form" quiet />}
          <Button label="Get quotes" />
        </div>
      </Form>
      <datalist id="places-origin" />
      <datalist id="places-destination" />
    </Panel>
  );
}

function PlaceFields({ legend, name, initialFields }: { readonly legend: string; readonly name: string; readonly initialFields: Fields }) {
  const inputProps = (part: string) => ({ id: `${name}-${part}`, name: `${name}.${part}`, value: initialFields.get(`${name}.${part}`) });
  const suggested = { list: `places-${name}`, autocomplete: "off" };
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div class="end">
        <Field label="Postcode" {...inputProps("postcode")} {...suggested} maxlength={60} />
        <Field label="Suburb" {...inputProps("suburb")} {...suggested} maxlength={200} required={false} />
        <Field label="Country" {...inputProps("country")} autocomplete="off" maxlength={56} placeholder="AU" required={false} />
      </div>
    </fieldset>
  );
}

function Items({ fields, omittedCount }: { readonly fields: Fields; readonly omittedCount: number }) {
  const rows = Array.from({ length: Math.max(minItemRows, fields.all("quantity").length) }, (_, index) => index);
  const columns = itemFields.map(({ name, label }) => ({
    heading: label,
    cell: (index: number) => (
      <input
        {...{ name, value: fields.all(name)[index] ?? "", inputmode: name === "type" ? ("text" as const) : ("decimal" as const) }}
        {...{ "aria-label": `${label}, item ${index + 1}`, autocomplete: "off", maxlength: 100 }}
      />
    ),
  }));
  return (
    <fieldset class="items">
      <legend>Items</legend>
      {omittedCount > 0 ? (
        <p class="notice warn">
          The quote above has {countInWords(omittedCount, "item", "items")}. This form takes up to {maxItems}, so they are not filled in. To
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
