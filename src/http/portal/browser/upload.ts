// The forms of an upload: accepts dropped files, sends the form, shows the progress, and opens the next page or shows the refusal.
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
  let runningRequest: XMLHttpRequest | undefined;

  const show = (share: number | undefined, text: string) => {
    if (share === undefined) bar.removeAttribute("value");
    else bar.value = share * 100;
    if (progressText.textContent !== text) progressText.textContent = text;
  };
  const setBusy = (isBusy: boolean) => {
    progress.hidden = !isBusy;
    cancel.hidden = !isBusy;
    for (const button of buttons) button.disabled = isBusy;
  };
  const say = (lines: readonly string[]) => {
    const paragraphs = lines.map((line) => element("p", {}, line));
    refusal.replaceChildren(element("div", { class: "notice error", role: "alert" }, ...paragraphs));
  };

  /** Sends the form and reads the answer line by line while it arrives. */
  function send(button: HTMLButtonElement): void {
    if (runningRequest) return;
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
    runningRequest = request;
    let readLength = 0;
    let isFinished = false;
    const handleLine = (line: Line) => {
      if (line.share !== undefined) show(line.share, line.text ?? "");
      if (line.error !== undefined) say([line.error]);
      if (line.goTo !== undefined) {
        show(1, "Opening the next page");
        location.assign(line.goTo);
      }
      isFinished ||= line.error !== undefined || line.goTo !== undefined;
    };
    const handleNewLines = () => {
      if (request.status !== 200) return;
      const end = request.responseText.lastIndexOf("\n") + 1;
      for (const text of request.responseText.slice(readLength, end).split("\n")) if (text !== "") handleLine(JSON.parse(text) as Line);
      readLength = Math.max(readLength, end);
    };
    request.open("POST", button.hasAttribute("formaction") ? button.formAction : form.action);
    request.setRequestHeader("accept", "application/x-ndjson");
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      show(total ? loaded / total : undefined, `${sending}: ${megabytes(loaded)} of ${megabytes(total)}`),
    );
    request.upload.addEventListener("load", () => show(undefined, "Sent. Waiting for the result"));
    request.addEventListener("progress", handleNewLines);
    request.addEventListener("load", () => {
      handleNewLines();
      if (request.status !== 200) say(messagesOf(request));
      else if (!isFinished) say(["The connection was lost before the result arrived. Try again."]);
    });
    request.addEventListener("error", () => say(["The connection was lost. Try again: nothing is recorded twice."]));
    request.addEventListener("loadend", () => {
      runningRequest = undefined;
      setBusy(false);
    });
    show(0, sending);
    setBusy(true);
    request.send(file ? fields : new URLSearchParams([...fields] as [string, string][]));
  }

  check.type = "button"; // it submits without scripts only: Enter in a field must not press it instead of Upload
  check.addEventListener("click", () => {
    if (form.reportValidity()) send(check);
  });
  cancel.addEventListener("click", () => runningRequest?.abort());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation(); // everyPage.ts lets a form be sent only once, but this one stays on its page and may be sent again
    if (event.submitter instanceof HTMLButtonElement) send(event.submitter);
  });
  form.addEventListener("change", () => {
    runningRequest?.abort(); // its result would be about the earlier choices
    refusal.replaceChildren();
  });

  if (!file || !drop) return;
  const markDropArea = (isOver: boolean) => drop.classList.toggle("over", isOver);
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    markDropArea(true);
  });
  drop.addEventListener("dragleave", () => markDropArea(false));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    markDropArea(false);
    const dropped = event.dataTransfer?.files;
    if (runningRequest || !dropped || dropped.length === 0) return;
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
