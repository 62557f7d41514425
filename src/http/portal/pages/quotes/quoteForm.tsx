import type { Customer } from "../../../../domain/catalogue/schema.js";
import type { Fields } from "../../fields.js";
import type { SignedInVisit } from "../../page.js";
import { Form } from "../../shell/form.js";
import { Panel } from "../../shell/panel.js";
import { customersOf, itemFields, quotesPath } from "./request.js";

interface Props {
  readonly visit: SignedInVisit;
  readonly customers: readonly Customer[];
}

/** Without the script there are three rows of items; with it as many as are wanted. */
const plainRows = 3;

export function QuoteForm({ visit, customers }: Props) {
  const { submitted } = visit;
  return (
    <Panel id="new-quote" title="New quote">
      <Form visit={visit} to={quotesPath} class="stacked quote-form">
        <Customers customers={customers} chosen={customersOf(submitted)} />
        <div class="two-columns">
          <End legend="Origin" name="origin" submitted={submitted} />
          <End legend="Destination" name="destination" submitted={submitted} />
        </div>
        <Items submitted={submitted} />
        <div class="actions">
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
            <label>
              <input type="checkbox" name="customer" value={id} checked={checked(id)} /> {name} <span class="muted">{id}</span>
            </label>
          </li>
        ))}
      </ul>
      {customers.length > mostListed ? (
        <label>
          Other customers, by id, with commas between them
          <input name="customers" value={others.join(", ")} autocomplete="off" />
        </label>
      ) : null}
    </fieldset>
  );
}

function End({ legend, name, submitted }: { readonly legend: string; readonly name: string; readonly submitted: Fields }) {
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

function Items({ submitted }: { readonly submitted: Fields }) {
  const sent = submitted.all("quantity").length;
  const rows = Array.from({ length: Math.max(plainRows, sent) }, (_, index) => index);
  return (
    <fieldset class="items">
      <legend>Items</legend>
      <p class="hint" id="items-hint" role="status">
        Sizes in metres, weight in kilograms of one item. Rows can be pasted from a spreadsheet, in this order. Empty rows are left out.
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
      <button type="button" class="quiet" data-add-row hidden>
        Add a row
      </button>
    </fieldset>
  );
}
