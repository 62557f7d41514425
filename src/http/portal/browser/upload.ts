// The forms of an upload: files by dropping them, and how far the server is. Each form leads to a page, or is refused with a reason.
import { element } from "./element.js";

interface Line {
  /** From 0 to 1. */
  readonly share?: number;
  readonly text?: string;
  readonly goTo?: string;
  readonly error?: string;
}

function start(form: HTMLFormElement): void {
  const part = <E extends HTMLElement>(selector: string) => form.querySelector<E>(selector) as E;
  const file = form.querySelector<HTMLInputElement>("input[type=file]");
  const drop = form.querySelector<HTMLElement>("[data-drop]");
  const buttons = [...form.querySelectorAll<HTMLButtonElement>("button:not([type=button])")];
  const check = part<HTMLButtonElement>("[data-check-button]");
  const cancel = part<HTMLButtonElement>("[data-cancel-button]");
  const progress = part<HTMLElement>("[data-progress]");
  const bar = part<HTMLProgressElement>("progress");
  const progressText = part<HTMLElement>("[data-progress-text]");
  const refusal = part<HTMLElement>("[data-refusal]");
  let running: XMLHttpRequest | undefined;

  const show = (share: number | undefined, text: string) => {
    if (share === undefined) bar.removeAttribute("value");
    else bar.value = share * 100;
    if (progressText.textContent !== text) progressText.textContent = text;
  };
  const busy = (isBusy: boolean) => {
    progress.hidden = !isBusy;
    cancel.hidden = !isBusy;
    for (const button of buttons) button.disabled = isBusy;
  };
  const say = (lines: readonly string[]) => {
    const paragraphs = lines.map((line) => element("p", {}, line));
    refusal.replaceChildren(element("div", { class: "notice error", role: "alert" }, ...paragraphs));
  };

  /** Sends the form; the answer is read line by line while it comes. */
  function send(button: HTMLButtonElement): void {
    if (running) return;
    const chosen = file?.files?.[0];
    if (chosen && chosen.size > Number(form.dataset["most"])) {
      say(["The file is larger than 50 MB (52,428,800 bytes). Split it and upload the parts."]);
      return;
    }
    const fields = new FormData(form);
    if (button.name !== "") fields.set(button.name, button.value);
    const sending = file ? "Sending the file" : "Sending";
    refusal.replaceChildren();
    const request = new XMLHttpRequest();
    running = request;
    let read = 0;
    let done = false;
    const takeLine = (line: Line) => {
      if (line.share !== undefined) show(line.share, line.text ?? "");
      if (line.error !== undefined) say([line.error]);
      if (line.goTo !== undefined) {
        show(1, "Opening the next page");
        location.assign(line.goTo);
      }
      done ||= line.error !== undefined || line.goTo !== undefined;
    };
    const takeLines = () => {
      if (request.status !== 200) return;
      const end = request.responseText.lastIndexOf("\n") + 1;
      for (const text of request.responseText.slice(read, end).split("\n")) if (text !== "") takeLine(JSON.parse(text) as Line);
      read = Math.max(read, end);
    };
    request.open("POST", button.hasAttribute("formaction") ? button.formAction : form.action);
    request.setRequestHeader("accept", "application/x-ndjson");
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      show(total ? loaded / total : undefined, `${sending}: ${megabytes(loaded)} of ${megabytes(total)}`),
    );
    request.upload.addEventListener("load", () => show(undefined, "Sent. Waiting for the result"));
    request.addEventListener("progress", takeLines);
    request.addEventListener("load", () => {
      takeLines();
      if (request.status !== 200) say(messagesOf(request));
      else if (!done) say(["The connection was lost before the result arrived. Try again."]);
    });
    request.addEventListener("error", () => say(["The connection was lost. Try again: nothing is recorded twice."]));
    request.addEventListener("loadend", () => {
      running = undefined;
      busy(false);
    });
    show(0, sending);
    busy(true);
    request.send(file ? fields : new URLSearchParams([...fields] as [string, string][]));
  }

  check.type = "button"; // without scripts it submits; with them Enter in a field is for Upload alone
  check.addEventListener("click", () => {
    if (form.reportValidity()) send(check);
  });
  cancel.addEventListener("click", () => running?.abort());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation(); // keeps everyPage.ts from blocking the form: it may be sent again, since it does not leave the page
    if (event.submitter instanceof HTMLButtonElement) send(event.submitter);
  });
  form.addEventListener("change", () => {
    running?.abort(); // its result is about what was chosen before
    refusal.replaceChildren();
  });

  if (!file || !drop) return;
  const over = (isOver: boolean) => drop.classList.toggle("over", isOver);
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  drop.addEventListener("dragleave", () => over(false));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    const dropped = event.dataTransfer?.files;
    if (running || !dropped || dropped.length === 0) return;
    if (dropped.length > 1) return say(["Drop one file at a time."]);
    file.files = dropped;
    file.dispatchEvent(new Event("change", { bubbles: true }));
  });
  // A file that misses the area must not replace the page.
  for (const name of ["dragover", "drop"] as const) addEventListener(name, (event) => event.preventDefault());
}

function messagesOf({ status, responseText }: XMLHttpRequest): readonly string[] {
  try {
    const { message } = JSON.parse(responseText) as { message?: string | readonly string[] };
    if (message !== undefined) return typeof message === "string" ? [message] : message;
  } catch {
    // a proxy's own answer
  }
  return [`The file could not be sent (${status}). Try again.`];
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

const form = document.querySelector<HTMLFormElement>("form#upload");
if (form) start(form);
