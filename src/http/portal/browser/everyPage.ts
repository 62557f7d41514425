// The script of every page: question dialogs, copy and print buttons, filters, menus, the search key `/`, forms that are sent only once.

/** Turns a question in the server's markup into a modal dialog: the keyboard stays in it, and Escape and Cancel close it. */
function openModal(dialog: HTMLDialogElement): void {
  const opener = document.activeElement;
  dialog.removeAttribute("open"); // close() would tell the listener below that the person closed it
  dialog.showModal();
  const close = (event: Event) => {
    event.preventDefault();
    dialog.close();
  };
  for (const button of dialog.querySelectorAll("[data-close]")) button.addEventListener("click", close);
  dialog.addEventListener("close", () => {
    const back = dialog.dataset["back"];
    dialog.parentElement?.replaceChildren();
    // A question that was opened by its own address has no button to go back to: the focus then goes to the page's main part.
    const next = opener instanceof HTMLElement && opener !== document.body && opener.isConnected ? opener : document.getElementById("main");
    next?.focus();
    // The question may have come with the address: reloading must not ask it again.
    if (back !== undefined) history.replaceState(null, "", back);
  });
}

function openQuestions(): void {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>("#question dialog[open]:not(:modal)")) openModal(dialog);
}

interface QuestionRequest {
  readonly sourceElement: Element;
  /** The body of the answer. Set when the answer has arrived. */
  readonly text: string;
  readonly response: { readonly raw: Response };
}

/** The latest request for a question. Answers to earlier requests are not shown. */
let latestRequest: QuestionRequest | undefined;

function questionRequestIn(event: Event): QuestionRequest | undefined {
  const { ctx } = (event as CustomEvent<{ ctx: QuestionRequest }>).detail;
  return ctx.sourceElement.matches("[hx-target='#question']") ? ctx : undefined;
}

document.addEventListener("htmx:before:request", (event) => {
  latestRequest = questionRequestIn(event) ?? latestRequest;
});
document.addEventListener("htmx:before:swap", (event) => {
  const request = questionRequestIn(event);
  if (!request || (request === latestRequest && request.text.includes('id="question"'))) return;
  event.preventDefault();
  // An answer without the element `question` is an error page or the sign-in, which is opened instead.
  if (request === latestRequest) location.assign(request.response.raw.url);
});

const copiedShownMs = 2_000;

async function copy(button: HTMLButtonElement): Promise<void> {
  await navigator.clipboard.writeText(button.dataset["copy"] ?? "");
  const label = button.textContent;
  if (label === "Copied") return; // pressed again
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = label;
  }, copiedShownMs);
}

/** Selects the text, so that a person can copy it with the keyboard. Used where the clipboard is not available, as without https. */
function select(button: HTMLButtonElement): void {
  const text = button.parentElement?.querySelector("code");
  if (text) getSelection()?.selectAllChildren(text);
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>("button:is([data-copy], [data-print])") : null;
  if (button?.dataset["print"] !== undefined) print();
  else if (button) void copy(button).catch(() => select(button));
});

/** The forms that were sent. A form is not sent again, however often its button is pressed, until the person comes back to the page. */
const sentForms = new WeakSet<HTMLFormElement>();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post") return;
  if (sentForms.has(form)) event.preventDefault();
  sentForms.add(form);
});

addEventListener("pageshow", () => {
  for (const form of document.forms) sentForms.delete(form);
});

/** Filters apply a moment after a change, since arrow keys step through a list. Dates wait longer, since they are typed digit by digit. */
const applyDelayMs = 400;
const typedApplyDelayMs = 1_000;
const focusKey = "chip";
let applyTimer: ReturnType<typeof setTimeout> | undefined;

function apply(form: HTMLFormElement, focused: string): void {
  sessionStorage.setItem(focusKey, focused);
  form.requestSubmit();
}

document.addEventListener("change", (event) => {
  const { target } = event;
  if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
  const form = target.closest<HTMLFormElement>("form[data-chips]");
  if (!form) return;
  clearTimeout(applyTimer);
  for (const name of target.dataset["clears"]?.split(" ") ?? []) {
    const other = form.elements.namedItem(name);
    if (other instanceof HTMLInputElement && target.value !== "") other.value = "";
  }
  if (target.validity.badInput || (/^(date|month)/.test(target.type) && target.value !== "" && target.value < "1900")) return;
  applyTimer = setTimeout(() => apply(form, target.id), /^(date|month)/.test(target.type) ? typedApplyDelayMs : applyDelayMs);
});

/** Leaves empty filters out of the address. */
document.addEventListener("formdata", ({ target, formData }) => {
  if (target instanceof HTMLFormElement && target.matches("[data-chips]"))
    for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
});

/** Puts the focus back on the filter that was just applied. */
function focusChip(): void {
  const id = sessionStorage.getItem(focusKey);
  sessionStorage.removeItem(focusKey);
  if (id !== null) document.getElementById(id)?.focus();
}

/** Closes the menus, except the one that contains `except`. */
function closeMenus(except?: EventTarget | null): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
    if (!(except instanceof Node && menu.contains(except))) menu.open = false;
}
document.addEventListener("click", ({ target }) => closeMenus(target));
document.addEventListener("focusin", ({ target }) => closeMenus(target));
document.addEventListener("keydown", ({ key, target }) => {
  if (key !== "Escape" || !(target instanceof Element)) return;
  target.closest("details.menu[open]")?.querySelector("summary")?.focus();
  closeMenus();
});

/** The key `/` moves the focus to the search, except in a field where it can be typed. */
document.addEventListener("keydown", (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (key !== "/" || ctrlKey || metaKey || altKey || document.querySelector("dialog:modal")) return;
  if (target instanceof HTMLElement && (target.isContentEditable || target.closest("input, textarea, select, [role=grid]"))) return;
  const field = document.querySelector<HTMLInputElement>(".search input");
  if (!field) return;
  event.preventDefault();
  field.select();
  field.focus();
});

openQuestions();
focusChip();
document.addEventListener("htmx:after:swap", openQuestions);

export {};
