// Search, the language of the samples, copying, and Try it. The page is whole without them.
const all = <E extends Element>(selector: string, within: ParentNode = document) => [...within.querySelectorAll<E>(selector)];
const one = <E extends Element>(selector: string) => document.querySelector<E>(selector);

const search = one<HTMLInputElement>("#search");
const key = one<HTMLInputElement>("#key");
const language = one<HTMLSelectElement>("#language");
const found = one<HTMLElement>("#found");

function filter(): void {
  const words = (search?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const part of all<HTMLElement>("[data-search]")) {
    const text = part.dataset["search"] ?? "";
    const isFound = words.every((word) => text.includes(word));
    part.hidden = !isFound;
    if (isFound) shown += 1;
    const entry = one<HTMLElement>(`nav a[href="#${part.id}"]`)?.closest("li");
    if (entry) entry.hidden = !isFound;
  }
  if (found) found.textContent = words.length === 0 ? "" : `${shown} found`;
}

function chooseLanguage(): void {
  const chosen = language?.value ?? "curl";
  for (const sample of all<HTMLElement>(".sample")) sample.hidden = sample.dataset["language"] !== chosen;
  localStorage.setItem("language", chosen);
}

const value = (data: FormData, name: string) => String(data.get(name) ?? "");

function request(form: HTMLFormElement): { address: URL; init: RequestInit } {
  const data = new FormData(form);
  const headers = new Headers({ "x-api-key": key?.value ?? "" });
  const query = new URLSearchParams();
  let path = form.dataset["path"] ?? "";
  for (const [name, given] of data) {
    const [place = "", parameter = ""] = name.split(/\.(.*)/);
    if (place === "path") path = path.replace(`{${parameter}}`, encodeURIComponent(String(given)));
    if (place === "query" && given !== "") query.set(parameter, String(given));
    if (place === "header" && given !== "") headers.set(parameter, String(given));
  }
  const address = new URL(`.${path}`, new URL(".", location.href));
  address.search = query.toString();
  const init: RequestInit = { method: form.dataset["method"] ?? "GET", headers };
  if (data.has("file.name")) {
    const body = new FormData();
    body.append("file", new File([value(data, "file.text")], value(data, "file.name")));
    if (value(data, "file.sourceDetails") !== "") body.append("sourceDetails", value(data, "file.sourceDetails"));
    return { address, init: { ...init, body } };
  }
  if (!data.has("body")) return { address, init };
  headers.set("content-type", "application/json");
  return { address, init: { ...init, body: value(data, "body") } };
}

/** The last request of each form. An answer to an earlier request may arrive later and is not shown. */
const last = new WeakMap<HTMLFormElement, symbol>();

/** Shows what came of a request, and brings it into sight: the form above it may be longer than the window. */
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
  const sending = Symbol();
  last.set(form, sending);
  try {
    const { address, init } = request(form);
    const response = await fetch(address, init);
    const text = await response.text();
    if (last.get(form) !== sending) return;
    show(output, `${response.status} ${response.statusText}\n${pretty(text)}`, response.ok ? "good" : "bad");
    if (response.ok) remember(form, text);
  } catch (error) {
    if (last.get(form) === sending)
      show(output, `The request could not be sent: ${error instanceof Error ? error.message : String(error)}`, "bad");
  }
}

/** Puts the id of a quote or import that was made here into the forms of the same section. The import of a correction is not used. */
function remember(form: HTMLFormElement, text: string): void {
  if (form.querySelector('[name^="path."]')) return;
  const { importId, results } = JSON.parse(text) as { importId?: string; results?: { quoteId: string }[] };
  for (const [name, id] of Object.entries({ importId, quoteId: results?.[0]?.quoteId }))
    for (const input of all<HTMLInputElement>(`form[data-tag="${form.dataset["tag"]}"] [name="path.${name}"]`))
      input.value = id ?? input.value;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The entry of the contents whose part is at the top of the window, or was the last to be there. */
function markCurrent(): void {
  const entries = all<HTMLAnchorElement>('nav a[href^="#"]');
  const isAbove = ({ hash }: HTMLAnchorElement) => {
    const part = document.getElementById(hash.slice(1));
    return part !== null && part.getClientRects().length > 0 && part.getBoundingClientRect().top <= topOfWindow;
  };
  const current = entries.filter(isAbove).at(-1) ?? entries[0];
  if (current?.ariaCurrent === "location") return;
  for (const entry of all<HTMLAnchorElement>("nav a[aria-current]")) entry.removeAttribute("aria-current");
  current?.setAttribute("aria-current", "location");
  const nav = current?.closest("nav");
  // Only the contents scroll, and only where they have a scroll bar of their own.
  if (current && nav && nav.scrollHeight > nav.clientHeight) {
    const { top, bottom } = current.getBoundingClientRect();
    if (top < 0 || bottom > window.innerHeight) nav.scrollTop += top - window.innerHeight / 2;
  }
}

const topOfWindow = 120;
addEventListener("scroll", markCurrent, { passive: true });
markCurrent();

for (const element of all<HTMLElement>(".tools[hidden], .try[hidden], .copy[hidden]")) element.hidden = false;
for (const button of all<HTMLButtonElement>(".copy"))
  button.addEventListener("click", () => {
    const text = button.parentElement?.querySelector("pre")?.textContent ?? "";
    void navigator.clipboard.writeText(text).then(() => {
      button.textContent = "Copied";
    });
  });
for (const details of all<HTMLElement>(".try")) {
  const form = details.querySelector("form");
  const output = details.querySelector("output");
  if (!form || !output) continue;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form, output);
  });
}
search?.addEventListener("input", filter);
if (language) {
  const kept = localStorage.getItem("language");
  if ([...language.options].some((option) => option.value === kept)) language.value = kept ?? "";
  language.addEventListener("change", chooseLanguage);
}
chooseLanguage();

export {};
