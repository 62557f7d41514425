// The form for quotes: finding customers, adding and pasting items, and telling what a postcode is while it is typed.
import { pasteBlock } from "./clipboard.js";

const form = document.querySelector<HTMLFormElement>(".quote-form");

function findCustomers(input: HTMLInputElement): void {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const entry of document.querySelectorAll<HTMLElement>(".customers li")) {
    const isChosen = entry.querySelector<HTMLInputElement>("input")?.checked ?? false;
    entry.hidden = !isChosen && !words.every((word) => entry.dataset["name"]?.includes(word));
  }
}

/** The most items that the form takes. A request with more is sent over the API. */
const mostItems = 200;

function addRow(): HTMLTableRowElement | undefined {
  const body = document.querySelector<HTMLTableSectionElement>("table.items tbody");
  const last = body?.rows[body.rows.length - 1];
  if (!body || !last || body.rows.length >= mostItems) return undefined;
  const row = last.cloneNode(true) as HTMLTableRowElement;
  for (const input of row.querySelectorAll("input")) {
    input.value = "";
    input.ariaLabel = (input.ariaLabel ?? "").replace(/\d{1,4}$/, String(body.rows.length + 1));
  }
  body.append(row);
  return row;
}

/** A block of cells from a spreadsheet goes in from the cell that has the focus. */
function paste(event: ClipboardEvent): void {
  const { target } = event;
  const pasted = target instanceof Element && target.closest("table.items") ? pasteBlock(event, addRow) : undefined;
  const hint = document.querySelector<HTMLElement>("#items-hint");
  if (pasted && pasted.left > 0 && hint)
    hint.textContent = `Only the first ${mostItems} items were pasted. To price more items, use the API.`;
}

interface Suggestion {
  readonly postalCode: string;
  readonly suburb: string;
  readonly state: string;
}

const waiting = new Map<string, number>();
/** The last query for each end (`origin`, `destination`). An answer to an earlier query may arrive later and is not shown. */
const lastQuery = new Map<string, string>();
const part = (end: string, name: string) => document.querySelector<HTMLInputElement>(`#${end}-${name}`);
const words = ({ postalCode, suburb, state }: Suggestion) => `${postalCode} ${suburb} ${state}`;
const known = new Map<string, Suggestion>();

/** The browser shows the suggestions of a datalist itself, by keyboard too. */
async function suggest(end: string, typed: string): Promise<void> {
  const list = document.querySelector<HTMLDataListElement>(`#places-${end}`);
  if (!form || !list || typed.length < 2) return;
  const query = String(new URLSearchParams({ start: typed, country: part(end, "country")?.value ?? "" }));
  lastQuery.set(end, query);
  const response = await fetch(`${form.action}/places?${query}`, { headers: { accept: "application/json" } });
  const { places } = (await response.json()) as { places: readonly Suggestion[] };
  if (lastQuery.get(end) !== query) return;
  for (const place of places) known.set(words(place), place);
  list.replaceChildren(...places.map((place) => Object.assign(document.createElement("option"), { value: words(place) })));
}

/** A suggestion that was taken goes into both fields; what is still being typed is asked about. */
function typing(end: string, input: HTMLInputElement): void {
  const taken = known.get(input.value);
  const [postcode, suburb] = [part(end, "postcode"), part(end, "suburb")];
  clearTimeout(waiting.get(end));
  if (taken && postcode && suburb) {
    postcode.value = taken.postalCode;
    suburb.value = taken.suburb;
    return;
  }
  // A suburb that the page has filled in belongs to the postcode beside it.
  if (input === postcode && suburb && suburb.value === suburb.defaultValue) suburb.value = "";
  const ask = () => void suggest(end, input.value.trim()).catch(() => undefined);
  waiting.set(end, setTimeout(ask, 200));
}

if (form) {
  const find = form.querySelector<HTMLInputElement>("[data-find]");
  find?.addEventListener("input", () => findCustomers(find));
  form.querySelector("[data-add-row]")?.addEventListener("click", () => addRow()?.querySelector("input")?.focus());
  form.addEventListener("paste", paste);
  for (const end of ["origin", "destination"])
    for (const name of ["postcode", "suburb"]) {
      const input = part(end, name);
      input?.addEventListener("input", () => typing(end, input));
    }
}
