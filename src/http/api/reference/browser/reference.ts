// Adds search, the choice of a samples' language, copying and Try it to the reference page, which is complete without them.
const queryAll = <E extends Element>(selector: string, within: ParentNode = document) => [...within.querySelectorAll<E>(selector)];
const query = <E extends Element>(selector: string) => document.querySelector<E>(selector);

const search = query<HTMLInputElement>("#search");
const key = query<HTMLInputElement>("#key");
const language = query<HTMLSelectElement>("#language");
const foundText = query<HTMLElement>("#found");

function filterParts(): void {
  const words = (search?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  let shownParts = 0;
  for (const part of queryAll<HTMLElement>("[data-search]")) {
    const text = part.dataset["search"] ?? "";
    const isFound = words.every((word) => text.includes(word));
    part.hidden = !isFound;
    if (isFound) shownParts += 1;
    const entry = query<HTMLElement>(`nav a[href="#${part.id}"]`)?.closest("li");
    if (entry) entry.hidden = !isFound;
  }
  if (foundText) foundText.textContent = words.length === 0 ? "" : `${shownParts} found`;
}

function showChosenLanguage(): void {
  const chosen = language?.value ?? "curl";
  for (const sample of queryAll<HTMLElement>(".sample")) sample.hidden = sample.dataset["language"] !== chosen;
  localStorage.setItem("language", chosen);
}

const textOf = (data: FormData, name: string) => String(data.get(name) ?? "");

function requestOf(form: HTMLFormElement): { address: URL; init: RequestInit } {
  const data = new FormData(form);
  const headers = new Headers({ "x-api-key": key?.value ?? "" });
  const parameters = new URLSearchParams();
  let path = form.dataset["path"] ?? "";
  for (const [name, text] of data) {
    const [place = "", parameter = ""] = name.split(/\.(.*)/);
    if (place === "path") path = path.replace(`{${parameter}}`, encodeURIComponent(String(text)));
    if (place === "query" && text !== "") parameters.set(parameter, String(text));
    if (place === "header" && text !== "") headers.set(parameter, String(text));
  }
  const address = new URL(`.${path}`, new URL(".", location.href));
  address.search = parameters.toString();
  const init: RequestInit = { method: form.dataset["method"] ?? "GET", headers };
  if (data.has("file.name")) {
    const body = new FormData();
    body.append("file", new File([textOf(data, "file.text")], textOf(data, "file.name")));
    if (textOf(data, "file.sourceDetails") !== "") body.append("sourceDetails", textOf(data, "file.sourceDetails"));
    return { address, init: { ...init, body } };
  }
  if (!data.has("body")) return { address, init };
  headers.set("content-type", "application/json");
  return { address, init: { ...init, body: textOf(data, "body") } };
}

/** The latest request of each form. An answer to an earlier request may arrive later and is not shown. */
const latestRequest = new WeakMap<HTMLFormElement, symbol>();

/** Shows the result of a request and scrolls it into view, since the form above it may be longer than the window. */
function show(output: HTMLOutputElement, text: string, kind: "good" | "bad" | "" = ""): void {
  output.textContent = text;
  output.className = kind;
  output.scrollIntoView({ block: "nearest" });
}

async function send(form: HTMLFormElement, output: HTMLOutputElement): Promise<void> {
  if ((key?.value ?? "") === "") {
    show(output, "Enter an API key at the top of the page first.", "bad");
    key?.focus();
    return;
  }
  show(output, "Sending...");
  const thisRequest = Symbol();
  latestRequest.set(form, thisRequest);
  try {
    const { address, init } = requestOf(form);
    const response = await fetch(address, init);
    const text = await response.text();
    if (latestRequest.get(form) !== thisRequest) return;
    show(output, `${response.status} ${response.statusText}\n${pretty(text)}`, response.ok ? "good" : "bad");
    if (response.ok) fillInIds(form, text);
  } catch (error) {
    if (latestRequest.get(form) === thisRequest)
      show(output, `The request could not be sent: ${error instanceof Error ? error.message : String(error)}`, "bad");
  }
}

/** Puts the id of a new quote or import into the forms of the same section. Does nothing after a call with an id, such as a correction. */
function fillInIds(form: HTMLFormElement, text: string): void {
  if (form.querySelector('[name^="path."]')) return;
  const { importId, results } = JSON.parse(text) as { importId?: string; results?: { quoteId: string }[] };
  for (const [name, id] of Object.entries({ importId, quoteId: results?.[0]?.quoteId }))
    for (const input of queryAll<HTMLInputElement>(`form[data-tag="${form.dataset["tag"]}"] [name="path.${name}"]`))
      input.value = id ?? input.value;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Marks the entry of the contents whose part is at the top of the window, or of the last part above it. */
function markCurrentEntry(): void {
  const entries = queryAll<HTMLAnchorElement>('nav a[href^="#"]');
  const isAbove = ({ hash }: HTMLAnchorElement) => {
    const part = document.getElementById(hash.slice(1));
    return part !== null && part.getClientRects().length > 0 && part.getBoundingClientRect().top <= maxTopPx;
  };
  const current = entries.filter(isAbove).at(-1) ?? entries[0];
  if (current?.ariaCurrent === "location") return;
  for (const entry of queryAll<HTMLAnchorElement>("nav a[aria-current]")) entry.removeAttribute("aria-current");
  current?.setAttribute("aria-current", "location");
  const nav = current?.closest("nav");
  // Scrolls the contents only, and only where they have a scroll bar of their own.
  if (current && nav && nav.scrollHeight > nav.clientHeight) {
    const { top, bottom } = current.getBoundingClientRect();
    if (top < 0 || bottom > window.innerHeight) nav.scrollTop += top - window.innerHeight / 2;
  }
}

const maxTopPx = 120;
addEventListener("scroll", markCurrentEntry, { passive: true });
markCurrentEntry();

for (const element of queryAll<HTMLElement>(".tools[hidden], .try[hidden], .copy[hidden]")) element.hidden = false;
for (const button of queryAll<HTMLButtonElement>(".copy"))
  button.addEventListener("click", () => {
    const text = button.parentElement?.querySelector("pre")?.textContent ?? "";
    void navigator.clipboard.writeText(text).then(() => {
      button.textContent = "Copied";
    });
  });
for (const details of queryAll<HTMLElement>(".try")) {
  const form = details.querySelector("form");
  const output = details.querySelector("output");
  if (!form || !output) continue;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form, output);
  });
}
search?.addEventListener("input", filterParts);
if (language) {
  const savedLanguage = localStorage.getItem("language");
  if ([...language.options].some((option) => option.value === savedLanguage)) language.value = savedLanguage ?? "";
  language.addEventListener("change", showChosenLanguage);
}
showChosenLanguage();

export {};
