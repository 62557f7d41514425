// The upload page: files by dropping them, a check before anything is sent, and how far the file is. Also the page on which the columns of a
// file are chosen, which has no file to send.
import { element } from "./element.js";

const form = document.querySelector<HTMLFormElement>("form#upload");
const outcome = document.querySelector<HTMLElement>("#upload-outcome");

interface Line {
  /** From 0 to 1. */
  readonly share?: number;
  readonly text?: string;
  /** Made by the server, for the page as it is. */
  readonly html?: string;
  readonly goTo?: string;
  readonly error?: string;
}

function start(form: HTMLFormElement, outcome: HTMLElement): void {
  const part = <E extends HTMLElement>(selector: string) => form.querySelector<E>(selector) as E;
  const file = form.querySelector<HTMLInputElement>("input[type=file]");
  const drop = form.querySelector<HTMLElement>("[data-drop]");
  const check = part<HTMLButtonElement>("[data-check-button]");
  const upload = part<HTMLButtonElement>("[data-upload-button]");
  const cancel = part<HTMLButtonElement>("[data-cancel-button]");
  const progress = part<HTMLElement>("[data-progress]");
  const bar = part<HTMLProgressElement>("progress");
  const progressText = part<HTMLElement>("[data-progress-text]");
  const checked = form.querySelector<HTMLInputElement>("input[name=checked]");
  const take = form.querySelector<HTMLElement>("[data-take]");
  const kind = form.querySelector("select[name=kind]")?.closest<HTMLElement>(".field");
  const most = Number(form.dataset["most"]);
  let running: XMLHttpRequest | undefined;
  let isChecking = false;

  const show = (share: number | undefined, text: string) => {
    if (share === undefined) bar.removeAttribute("value");
    else bar.value = share * 100;
    if (progressText.textContent !== text) progressText.textContent = text;
  };
  const busy = (isBusy: boolean) => {
    progress.hidden = !isBusy;
    cancel.hidden = !isBusy;
    check.disabled = isBusy;
    upload.disabled = isBusy;
  };
  /** The choice of how to take an error report is there once the file looks like one. The kind of a report is its import's. */
  const showReport = (isReport: boolean) => {
    if (!take || !kind) return;
    take.hidden = !isReport;
    kind.hidden = isReport && take.querySelector("select")?.value === "correction";
  };
  const say = (lines: readonly string[]) => {
    if (kind) kind.hidden = false; // it may not be a report after all
    const paragraphs = lines.map((line) => element("p", {}, line));
    outcome.replaceChildren(element("div", { class: "notice error", role: "alert" }, ...paragraphs));
  };

  interface Sending {
    /** What is said meanwhile. */
    readonly text: string;
    /** The import that is known to have the same file. */
    readonly again?: string;
    /** The form of a file that the server has kept, which is sent instead. */
    readonly kept?: HTMLFormElement;
  }

  /** Sends the form; the answer is read line by line while it comes. */
  function send(address: string, { text: sending, again = "", kept }: Sending): void {
    if (running || (!kept && !form.reportValidity())) return;
    const chosen = kept ? undefined : file?.files?.[0];
    if (chosen && chosen.size > most) {
      say(["The file is larger than 50 MB (52,428,800 bytes). Split it and upload the parts."]);
      return;
    }
    const asked = outcome.contains(document.activeElement);
    const fields = new FormData(kept ?? form);
    if (!kept) fields.set("again", again);
    outcome.replaceChildren();
    const request = new XMLHttpRequest();
    running = request;
    isChecking = address === form.dataset["check"];
    let read = 0;
    let done = false;
    const takeLine = (line: Line) => {
      if (line.share !== undefined) show(line.share, line.text ?? "");
      if (line.error !== undefined) say([line.error]);
      if (line.html !== undefined) {
        outcome.innerHTML = line.html;
        const kept = outcome.querySelector<HTMLElement>("[data-checked]")?.dataset["checked"];
        if (checked && kept !== undefined) checked.value = kept;
        if (isChecking) showReport(outcome.querySelector("[data-report]") !== null);
        outcome.focus();
      }
      if (line.goTo !== undefined) {
        show(1, "Opening the next page");
        location.assign(line.goTo);
      }
      done ||= line.error !== undefined || line.html !== undefined || line.goTo !== undefined;
    };
    const takeLines = () => {
      if (request.status !== 200) return;
      const end = request.responseText.lastIndexOf("\n") + 1;
      for (const text of request.responseText.slice(read, end).split("\n")) if (text !== "") takeLine(JSON.parse(text) as Line);
      read = Math.max(read, end);
    };
    request.open("POST", address);
    request.setRequestHeader("accept", "application/json");
    request.setRequestHeader("x-form-token", document.querySelector<HTMLMetaElement>("meta[name=form-token]")?.content ?? "");
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      show(total ? loaded / total : undefined, `${sending}: ${megabytes(loaded)} of ${megabytes(total)}`),
    );
    request.upload.addEventListener("load", () => show(undefined, "Sent. Waiting for the result"));
    request.addEventListener("progress", takeLines);
    request.addEventListener("load", () => {
      takeLines();
      if (request.status === 202) takeLine(JSON.parse(request.responseText) as Line);
      else if (request.status !== 200) say(messagesOf(request));
      else if (!done) say(["The connection was lost before the result arrived. Try again."]);
    });
    request.addEventListener("error", () => say(["The connection was lost. Try again: nothing is recorded twice."]));
    request.addEventListener("loadend", () => {
      running = undefined;
      busy(false);
    });
    show(0, sending);
    busy(true);
    if (asked) outcome.focus(); // its button is gone; on Cancel a second press of Enter would stop what the first one began
    if (file && !kept) request.send(fields);
    else {
      request.setRequestHeader("content-type", "application/json");
      request.send(JSON.stringify([...fields]));
    }
  }

  check.type = "button"; // without scripts it submits; with them Enter in a field is for Upload alone
  check.addEventListener("click", () => send(form.dataset["check"] ?? "", { text: file ? "Sending the file to be checked" : "Checking" }));
  cancel.addEventListener("click", () => {
    running?.abort();
    outcome.replaceChildren();
  });
  form.addEventListener("submit", (event) => {
    if (event.submitter?.hasAttribute("data-choose-button")) return; // leads to another page
    event.preventDefault();
    event.stopPropagation(); // keeps everyPage.ts from blocking the form: it may be sent again, since it does not leave the page
    send(form.dataset["send"] ?? "", { text: "Uploading" });
  });
  // The answer may be a question: the file that is chosen goes in again without being chosen once more.
  outcome.addEventListener("click", ({ target }) => {
    const again = target instanceof HTMLElement ? target.dataset["again"] : undefined;
    if (again !== undefined) send(form.dataset["send"] ?? "", { text: "Uploading", again });
  });
  // What was checked is kept by the server, and goes in without being sent again.
  outcome.addEventListener("submit", (event) => {
    const kept = event.target;
    if (!(kept instanceof HTMLFormElement) || kept.dataset["kept"] === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    send(kept.dataset["kept"], { text: "Uploading", kept });
  });
  showReport(false);
  take?.addEventListener("change", () => showReport(true));
  file?.addEventListener("change", () => showReport(/rejected-rows/i.test(file.files?.[0]?.name ?? "")));
  form.addEventListener("change", ({ target }) => {
    const isReference = target instanceof HTMLInputElement && target.name === "sourceDetails";
    if (isChecking && !isReference) running?.abort(); // what it finds is about the file that was chosen before
    if (!running) outcome.replaceChildren(); // what was found is about another file, or another kind
  });

  if (file && drop) takeDropped(file, drop);

  function takeDropped(file: HTMLInputElement, drop: HTMLElement): void {
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
      if (dropped.length > 1) {
        say(["Drop one file at a time."]);
        return;
      }
      file.files = dropped;
      file.dispatchEvent(new Event("change", { bubbles: true }));
    });
    // A file that misses the area must not replace the page.
    for (const name of ["dragover", "drop"] as const) addEventListener(name, (event) => event.preventDefault());
  }
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

if (form && outcome) start(form, outcome);
