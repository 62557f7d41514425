// The forms of an upload: accepts dropped files, sends the form, shows the progress, and opens the next page or says why it was refused.
import { element } from "./element.js";

/** A line of the answer: progress (`share` is from 0 to 1), the next page or an error. */
interface WorkUpdate {
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
  const checkButton = part<HTMLButtonElement>("[data-check-button]");
  const cancelButton = part<HTMLButtonElement>("[data-cancel-button]");
  const progress = part<HTMLElement>("[data-progress]");
  const bar = part<HTMLProgressElement>("progress");
  const progressText = part<HTMLElement>("[data-progress-text]");
  const refusal = part<HTMLElement>("[data-refusal]");
  let runningRequest: XMLHttpRequest | undefined;

  const showProgress = (share: number | undefined, text: string) => {
    if (share === undefined) bar.removeAttribute("value");
    else bar.value = share * 100;
    if (progressText.textContent !== text) progressText.textContent = text;
  };
  const setBusy = (isBusy: boolean) => {
    progress.hidden = !isBusy;
    cancelButton.hidden = !isBusy;
    for (const button of buttons) button.disabled = isBusy;
  };
  const showRefusal = (lines: readonly string[]) => {
    const paragraphs = lines.map((line) => element("p", {}, line));
    refusal.replaceChildren(element("div", { class: "notice error", role: "alert" }, ...paragraphs));
  };

  /** Sends the form and reads the answer line by line while it arrives. */
  function send(button: HTMLButtonElement): void {
    if (runningRequest) return;
    const chosen = file?.files?.[0];
    if (chosen && chosen.size > Number(form.dataset["most"])) {
      showRefusal(["The file is larger than 50 MB (52,428,800 bytes). Split it and upload the parts."]);
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
    const handleUpdate = ({ share, text = "", error, goTo }: WorkUpdate) => {
      if (share !== undefined) showProgress(share, text);
      if (error !== undefined) showRefusal([error]);
      if (goTo !== undefined) {
        showProgress(1, "Opening the next page");
        location.assign(goTo);
      }
      isFinished ||= error !== undefined || goTo !== undefined;
    };
    const handleNewLines = () => {
      if (request.status !== 200) return;
      const end = request.responseText.lastIndexOf("\n") + 1;
      const lines = request.responseText.slice(readLength, end).split("\n");
      for (const line of lines) if (line !== "") handleUpdate(JSON.parse(line) as WorkUpdate);
      readLength = Math.max(readLength, end);
    };
    request.open("POST", button.hasAttribute("formaction") ? button.formAction : form.action);
    request.setRequestHeader("accept", "application/x-ndjson");
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      showProgress(total ? loaded / total : undefined, `${sending}: ${megabytes(loaded)} of ${megabytes(total)}`),
    );
    request.upload.addEventListener("load", () => showProgress(undefined, "Sent. Waiting for the result"));
    request.addEventListener("progress", handleNewLines);
    request.addEventListener("load", () => {
      handleNewLines();
      if (request.status !== 200) showRefusal(messagesOf(request));
      else if (!isFinished) showRefusal(["The connection was lost before the result arrived. Try again."]);
    });
    request.addEventListener("error", () => showRefusal(["The connection was lost. Try again: nothing is recorded twice."]));
    request.addEventListener("loadend", () => {
      runningRequest = undefined;
      setBusy(false);
    });
    showProgress(0, sending);
    setBusy(true);
    request.send(file ? fields : new URLSearchParams([...fields] as [string, string][]));
  }

  checkButton.type = "button"; // the key Enter presses a form's first submit button, which must be Upload
  checkButton.addEventListener("click", () => {
    if (form.reportValidity()) send(checkButton);
  });
  cancelButton.addEventListener("click", () => runningRequest?.abort());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation(); // or everyPage.ts would let this form be sent only once, but a person may correct it and send it again
    if (event.submitter instanceof HTMLButtonElement) send(event.submitter);
  });
  form.addEventListener("change", () => {
    runningRequest?.abort(); // its result would be about what was chosen before
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
    if (dropped.length > 1) return showRefusal(["Drop one file at a time."]);
    file.files = dropped;
    file.dispatchEvent(new Event("change", { bubbles: true }));
  });
  // A browser opens a file that is dropped beside the area, in place of the page. That is prevented.
  for (const name of ["dragover", "drop"] as const) addEventListener(name, (event) => event.preventDefault());
}

function messagesOf({ status, responseText }: XMLHttpRequest): readonly string[] {
  try {
    const { message } = JSON.parse(responseText) as { message?: string | readonly string[] };
    if (message !== undefined) return typeof message === "string" ? [message] : message;
  } catch {
    // The answer is not JSON: it comes from a proxy.
  }
  return [`The request failed (${status}). Try again.`];
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

const form = document.querySelector<HTMLFormElement>("form#upload");
if (form) start(form);
