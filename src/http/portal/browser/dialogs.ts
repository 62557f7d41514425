// Questions that the server has put on the page become modal: the keyboard stays in them, Escape and Cancel close them.
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

openAll();
document.addEventListener("htmx:after:swap", openAll);

export {};
