// Downloads of many rows show how far they are. The file comes in frames that say how many rows are made; the page puts it together and saves
// it. Without this script, or opened in another way, the link downloads the same file.
import { element } from "./element.js";

const framesType = "application/vnd.waybill.frames";
/** Parts are handed to the browser this much at a time, which may keep them on disk. */
const bytesAtOnce = 8 * 1024 * 1024;

/** Whoever listens to the page hears each change. */
const sayEveryMs = 1_000;

/** The file as far as it has come. A frame is the number of rows so far, the length of its piece, and the piece. */
function createFile(shows: (rows: number) => void) {
  const kept: Blob[] = [];
  let parts: BlobPart[] = [];
  let size = 0;
  const head = new Uint8Array(8);
  let inHead = 0;
  let left = 0;

  function keep(part: Uint8Array<ArrayBuffer>): void {
    parts.push(part);
    size += part.byteLength;
    if (size < bytesAtOnce) return;
    kept.push(new Blob(parts));
    parts = [];
    size = 0;
  }

  return {
    take(bytes: Uint8Array<ArrayBuffer>): void {
      for (let at = 0; at < bytes.byteLength; ) {
        const wanted = left > 0 ? left : head.length - inHead;
        const some = bytes.subarray(at, at + wanted);
        at += some.byteLength;
        if (left > 0) {
          left -= some.byteLength;
          keep(some);
          continue;
        }
        head.set(some, inHead);
        inHead += some.byteLength;
        if (inHead < head.length) continue;
        const view = new DataView(head.buffer);
        left = view.getUint32(4);
        inHead = 0;
        shows(view.getUint32(0));
      }
    },
    whole: () => new Blob([...kept, ...parts]),
  };
}

const inWords = (rows: number, total: number | undefined): string =>
  total === undefined ? `${rows.toLocaleString("en")} rows` : `${rows.toLocaleString("en")} of ${total.toLocaleString("en")} rows`;

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser has begun to copy it by then
}

const ask = (event: BeforeUnloadEvent) => event.preventDefault();
let running: AbortController | undefined;

async function follow(link: HTMLAnchorElement, panel: HTMLElement): Promise<void> {
  const bar = panel.querySelector("progress");
  const text = panel.querySelector("[data-download-text]");
  const cancel = panel.querySelector<HTMLElement>("[data-download-cancel]");
  const stop = new AbortController();
  const say = (words: string) => {
    if (text && text.textContent !== words) text.textContent = words;
  };
  let progress = "";
  let saidAt = 0;
  running = stop;
  panel.hidden = false;
  bar?.removeAttribute("value");
  if (bar) bar.hidden = false;
  if (cancel) cancel.hidden = false;
  say("Downloading");
  addEventListener("beforeunload", ask);
  try {
    const response = await fetch(link.href, { headers: { accept: framesType }, signal: stop.signal });
    const { body, headers } = response;
    if (!response.ok || !body || headers.get("content-type") !== framesType) {
      panel.hidden = true;
      removeEventListener("beforeunload", ask);
      location.assign(link.href); // the browser shows the answer: a reason, or the page to sign in
      return;
    }
    const total = headers.has("x-total-rows") ? Number(headers.get("x-total-rows")) : undefined;
    const file = createFile((rows) => {
      progress = inWords(rows, total);
      if (bar && total) bar.value = rows / total;
      if (performance.now() - saidAt < sayEveryMs) return;
      saidAt = performance.now();
      say(`Downloading ${progress}`);
    });
    const reader = body.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) file.take(read.value);
    save(file.whole(), /filename="([^"]+)"/.exec(headers.get("content-disposition") ?? "")?.[1] ?? "download");
    say(`Downloaded ${progress}`);
  } catch {
    if (stop.signal.aborted) panel.hidden = true;
    else say(`The download broke off${progress ? ` after ${progress}` : ""}. Try again.`);
  } finally {
    running = undefined;
    removeEventListener("beforeunload", ask);
    if (bar) bar.hidden = true;
    if (cancel) cancel.hidden = true;
  }
}

addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : undefined;
  if (target?.closest("[data-download-cancel]")) return running?.abort();
  const link = target?.closest<HTMLAnchorElement>("a[data-followed]");
  const panel = document.querySelector<HTMLElement>("[data-download-progress]");
  // A click that opens the link in another way is left to the browser, and so is a second download beside the first.
  if (!link || !panel || running || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  void follow(link, panel);
});
