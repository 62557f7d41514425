// The form for quotes: finds customers, adds and pastes items, and suggests places while a postcode or a suburb is typed.
import { pasteBlock } from "./clipboard.js";

const form = document.querySelector<HTMLFormElement>(".quote-form");

function findCustomers(input: HTMLInputElement): void {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const entry of document.querySelectorAll<HTMLElement>(".customers li")) {
    const isChosen = entry.querySelector<HTMLInputElement>("input")?.checked ?? false;
    entry.hidden = !isChosen && !words.every((word) => entry.dataset["name"]?.includes(word));
  }
}

/** The most items of the form. A quote with more can be requested through the API. */
const maxItems = 200;

function addRow(): HTMLTableRowElement | undefined {
  const body = document.querySelector<HTMLTableSectionElement>("table.items tbody");
  const last = body?.rows[body.rows.length - 1];
  if (!body || !last || body.rows.length >= maxItems) return undefined;
  const row = last.cloneNode(true) as HTMLTableRowElement;
  for (const input of row.querySelectorAll("input")) {
    input.value = "";
    input.ariaLabel = (input.ariaLabel ?? "").replace(/\d{1,4}$/, String(body.rows.length + 1));
  }
  body.append(row);
  return row;
}

function paste(event: ClipboardEvent): void {
  const { target } = event;
  const pasted = target instanceof Element && target.closest("table.items") ? pasteBlock(event, addRow) : undefined;
  const hint = document.querySelector<HTMLElement>("#items-hint");
  if (pasted && pasted.skippedRows > 0 && hint)
    hint.textContent = `Not all rows were pasted: a quote here has at most ${maxItems} items. To price more, use the API.`;
}

interface Suggestion {
  readonly postalCode: string;
  readonly suburb: string;
  readonly state: string;
}

const typingTimers = new Map<string, number>();
/** The latest query for each end of the delivery (`origin`, `destination`). Answers to earlier queries are not shown. */
const latestQueries = new Map<string, string>();
const part = (end: string, name: string) => document.querySelector<HTMLInputElement>(`#${end}-${name}`);
const suggestionText = ({ postalCode, suburb, state }: Suggestion) => `${postalCode} ${suburb} ${state}`;
const suggestions = new Map<string, Suggestion>();

/** Fetches suggestions into a datalist, which the browser shows. */
async function suggest(end: string, typed: string): Promise<void> {
  const list = document.querySelector<HTMLDataListElement>(`#places-${end}`);
  if (!form || !list || typed.length < 2) return;
  const query = String(new URLSearchParams({ start: typed, country: part(end, "country")?.value ?? "" }));
  latestQueries.set(end, query);
  const response = await fetch(`${form.action}/places?${query}`, { headers: { accept: "application/json" } });
  const { places } = (await response.json()) as { places: readonly Suggestion[] };
  if (latestQueries.get(end) !== query) return;
  for (const place of places) suggestions.set(suggestionText(place), place);
  list.replaceChildren(...places.map((place) => Object.assign(document.createElement("option"), { value: suggestionText(place) })));
}

/** Fills both fields from a chosen suggestion. For any other text, asks the server for suggestions after a pause. */
function handleTyping(end: string, input: HTMLInputElement): void {
  const chosen = suggestions.get(input.value);
  const [postcode, suburb] = [part(end, "postcode"), part(end, "suburb")];
  clearTimeout(typingTimers.get(end));
  if (chosen && postcode && suburb) {
    postcode.value = chosen.postalCode;
    suburb.value = chosen.suburb;
    return;
  }
  // A suburb that the server has filled in belongs to the earlier postcode.
  if (input === postcode && suburb && suburb.value === suburb.defaultValue) suburb.value = "";
  const ask = () => void suggest(end, input.value.trim()).catch(() => undefined);
  typingTimers.set(end, setTimeout(ask, 200));
}

if (form) {
  const find = form.querySelector<HTMLInputElement>("[data-find]");
  find?.addEventListener("input", () => findCustomers(find));
  form.querySelector("[data-add-row]")?.addEventListener("click", () => addRow()?.querySelector("input")?.focus());
  form.addEventListener("paste", paste);
  for (const end of ["origin", "destination"])
    for (const name of ["postcode", "suburb"]) {
      const input = part(end, name);
      input?.addEventListener("input", () => handleTyping(end, input));
    }
}
