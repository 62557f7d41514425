// The script of every page: questions, buttons that copy, and forms that are sent once.

/** Makes a question that the server has put on the page modal: the keyboard stays in it, Escape and Cancel close it. */
function open(dialog: HTMLDialogElement): void {
  const asker = document.activeElement;
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
    const next = asker instanceof HTMLElement && asker !== document.body && asker.isConnected ? asker : document.getElementById("main");
    next?.focus();
    // The question may have come with the address: reloading must not ask it again.
    if (back !== undefined) history.replaceState(null, "", back);
  });
}

function openAll(): void {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>("#question dialog[open]:not(:modal)")) open(dialog);
}

interface Asking {
  readonly sourceElement: Element;
  /** The body of the answer, once it has arrived. */
  readonly text: string;
  readonly response: { readonly raw: Response };
}

/** The last request for a question. The answers to earlier requests are not shown, whenever they arrive. */
let last: Asking | undefined;

/** The request of the event, if it asks for a question. */
function askingIn(event: Event): Asking | undefined {
  const { ctx } = (event as CustomEvent<{ ctx: Asking }>).detail;
  return ctx.sourceElement.matches("[hx-target='#question']") ? ctx : undefined;
}

document.addEventListener("htmx:before:request", (event) => {
  last = askingIn(event) ?? last;
});
document.addEventListener("htmx:before:swap", (event) => {
  const asking = askingIn(event);
  if (!asking || (asking === last && asking.text.includes('id="question"'))) return;
  event.preventDefault();
  // The answer has no place for questions: it is an error page or the sign-in, which is opened instead.
  if (asking === last) location.assign(asking.response.raw.url);
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

/** Without the clipboard (an address that is not https) the text is selected, so that the keyboard copies it. */
function select(button: HTMLButtonElement): void {
  const text = button.parentElement?.querySelector("code");
  if (text) getSelection()?.selectAllChildren(text);
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>("button:is([data-copy], [data-print])") : null;
  if (button?.dataset["print"] !== undefined) print();
  else if (button) void copy(button).catch(() => select(button));
});

/** A form is sent once, however often its button is pressed. Coming back to the page makes it usable again. */
const sent = new WeakSet<HTMLFormElement>();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post") return;
  if (sent.has(form)) event.preventDefault();
  sent.add(form);
});

addEventListener("pageshow", () => {
  for (const form of document.forms) sent.delete(form);
});

/** Filters apply a moment after a change: a date is typed digit by digit, and a list is gone through with the arrow keys. */
const appliesMs = 400;
const typedMs = 1_000;
const focusKey = "chip";
let applying: ReturnType<typeof setTimeout> | undefined;

function apply(form: HTMLFormElement, focused: string): void {
  sessionStorage.setItem(focusKey, focused);
  form.requestSubmit();
}

document.addEventListener("change", (event) => {
  const { target } = event;
  if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
  const form = target.closest<HTMLFormElement>("form[data-chips]");
  if (!form) return;
  clearTimeout(applying);
  for (const name of target.dataset["clears"]?.split(" ") ?? []) {
    const other = form.elements.namedItem(name);
    if (other instanceof HTMLInputElement && target.value !== "") other.value = "";
  }
  if (target.validity.badInput || (/^(date|month)/.test(target.type) && target.value !== "" && target.value < "1900")) return;
  applying = setTimeout(() => apply(form, target.id), /^(date|month)/.test(target.type) ? typedMs : appliesMs);
});

/** An address has only what was chosen. */
document.addEventListener("formdata", ({ target, formData }) => {
  if (target instanceof HTMLFormElement && target.matches("[data-chips]"))
    for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
});

/** After a filter was applied the keyboard is where it was. */
function focusChip(): void {
  const id = sessionStorage.getItem(focusKey);
  sessionStorage.removeItem(focusKey);
  if (id !== null) document.getElementById(id)?.focus();
}

/** A menu closes when one goes elsewhere, and by Escape. */
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

/** The key `/` leads to the search, except where it is typed. */
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

openAll();
focusChip();
document.addEventListener("htmx:after:swap", openAll);

export {};
