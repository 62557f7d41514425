import type { Customer } from "../../../../domain/catalogue/schema.js";
import type { ExplainedQuote } from "../../../../queries/quotes/explainQuote.js";
import type { Fields } from "../../fields.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { Button, Field, Form, Ticks } from "../../shell/form.js";
import { countInWords } from "../../shell/formats.js";
import { ButtonLink, Panel } from "../../shell/parts.js";
import { fieldsOfQuotes, itemFields, itemsLeftOut, mostItems } from "./quoteFields.js";

export const quotesPath = "/portal/quotes";

/** Without the script there are three rows of items; with it as many as are wanted. */
const plainRows = 3;

interface QuoteFormProps {
  readonly visit: SignedInVisit;
  readonly customers: readonly Customer[];
  /** The quotes that the page shows: the form has what they were asked with. */
  readonly shown: readonly ExplainedQuote[];
}

export function QuoteForm({ visit, customers, shown }: QuoteFormProps) {
  const asked = fieldsOfQuotes(shown);
  const isRefused = visit.submitted.all("quantity").length > 0;
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
        <Items shown={isRefused ? visit.submitted : asked} tooMany={isRefused ? 0 : itemsLeftOut(shown)} />
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
                    value={shown.all(name)[index] ?? ""}
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
      <Button type="button" class="quiet" data-add-row label="Add a row" />
    </fieldset>
  );
}
