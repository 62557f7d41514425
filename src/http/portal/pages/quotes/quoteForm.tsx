import type { Customer } from "../../../../domain/catalogue/schema.js";
import { type QuoteRequest, quoteRequest } from "../../../../domain/rating/quoteRequest.js";
import { Rejection } from "../../../../domain/rejection.js";
import { check } from "../../../../domain/validation.js";
import type { Fields } from "../../fields.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { Button, ButtonLink, Form } from "../../shell/form.js";
import { countInWords } from "../../shell/formats.js";
import { Panel } from "../../shell/panel.js";

/** Without the script there are three rows of items; with it as many as are wanted. */
const plainRows = 3;

/** A quote of more items is asked for over the API. */
export const mostItems = 200;

interface QuoteFormProps {
  readonly visit: SignedInVisit;
  readonly customers: readonly Customer[];
  /** What the quote that the page shows was asked with. */
  readonly asked: Fields;
  /** How many items that quote has, where the form cannot take them; otherwise 0. */
  readonly tooMany: number;
}

export function QuoteForm({ visit, customers, asked, tooMany }: QuoteFormProps) {
  const isRefused = visit.submitted.all("quantity").length > 0;
  const submitted = isRefused ? visit.submitted : asked;
  return (
    <Panel id="new-quote" title="New quote">
      <Form visit={visit} to={quotesPath} class="stacked quote-form">
        <Customers customers={customers} chosen={customerIdsOf(submitted)} />
        <div class="two-columns">
          <PlaceFields legend="Origin" name="origin" submitted={submitted} />
          <PlaceFields legend="Destination" name="destination" submitted={submitted} />
        </div>
        <Items submitted={submitted} tooMany={isRefused ? 0 : tooMany} />
        <div class="actions">
          {asked.get("customer") === "" ? null : <ButtonLink to={visit.links.to(quotesPath)} label="Clear form" quiet />}
          <button type="submit">Get quotes</button>
        </div>
      </Form>
      <datalist id="places-origin" />
      <datalist id="places-destination" />
    </Panel>
  );
}

/** The page lists this many customers by name. Further ones are entered by their ids. */
const mostListed = 200;

function Customers({ customers, chosen }: { readonly customers: readonly Customer[]; readonly chosen: readonly string[] }) {
  const checked = (id: string) => (chosen.length === 0 ? customers.length === 1 : chosen.includes(id));
  const listed = customers.slice(0, mostListed);
  const others = chosen.filter((id) => !listed.some((customer) => customer.id === id));
  return (
    <fieldset class="customers">
      <legend>Customers</legend>
      <label class="find-customer" hidden>
        Find a customer
        <input type="search" data-find="customers" autocomplete="off" />
      </label>
      <ul>
        {listed.map(({ id, name }) => (
          <li data-name={`${name} ${id}`.toLowerCase()}>
            <label class="check">
              <input type="checkbox" name="customer" value={id} checked={checked(id)} />
              <span>
                {name} <span class="muted customer-id">{id}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {customers.length > mostListed ? (
        <label>
          Other customers, by id, separated by commas
          <input name="customers" value={others.join(", ")} autocomplete="off" />
        </label>
      ) : null}
    </fieldset>
  );
}

function PlaceFields({ legend, name, submitted }: { readonly legend: string; readonly name: string; readonly submitted: Fields }) {
  const field = (part: string, label: string, more: Record<string, unknown>) => (
    <div class="field">
      <label for={`${name}-${part}`}>{label}</label>
      <input id={`${name}-${part}`} name={`${name}.${part}`} value={submitted.get(`${name}.${part}`)} autocomplete="off" {...more} />
    </div>
  );
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div class="end">
        {field("postcode", "Postcode", { required: true, maxlength: 60, list: `places-${name}` })}
        {field("suburb", "Suburb", { maxlength: 200, list: `places-${name}` })}
        {field("country", "Country", { maxlength: 56, placeholder: "AU" })}
      </div>
    </fieldset>
  );
}

function Items({ submitted, tooMany }: { readonly submitted: Fields; readonly tooMany: number }) {
  const sent = submitted.all("quantity").length;
  const rows = Array.from({ length: Math.max(plainRows, sent) }, (_, index) => index);
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
      <table class="items" aria-describedby="items-hint">
        <thead>
          <tr>
            {itemFields.map(({ label }) => (
              <th scope="col">{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((index) => (
            <tr>
              {itemFields.map(({ name, label }) => (
                <td data-label={label}>
                  <input
                    name={name}
                    aria-label={`${label}, item ${index + 1}`}
                    value={submitted.all(name)[index] ?? ""}
                    inputmode={name === "type" ? "text" : "decimal"}
                    autocomplete="off"
                    maxlength={100}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Button type="button" class="quiet" data-add-row hidden label="Add a row" />
    </fieldset>
  );
}

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
  const customerIds = customerIdsOf(fields);
  if (customerIds.length === 0) throw new Rejection("invalid", "Choose at least one customer");
  const items = itemsOf(fields);
  if (items.length === 0) throw new Rejection("invalid", "Enter at least one item, with its quantity, size and weight");
  const body = { general: { customerIds }, origin: endOf("origin", fields), destination: endOf("destination", fields), items };
  const checked = check(quoteRequest, body, "The form");
  if (checked.ok) return checked.value;
  const faults = checked.faults.map(inTheFormsWords);
  throw new Rejection("invalid", faults[0] ?? "The form is not complete", faults);
}

/** The customers that are ticked, and those that are entered by their ids. */
export const customerIdsOf = (fields: Fields): readonly string[] =>
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
