// Updates an open page: when the server says that there is a newer version, the parts with `data-refetch` are fetched again.
import { follow } from "./eventSource.js";

/** htmx is loaded before this script. */
declare const htmx: {
  swap(what: { sourceElement: Element; target: Element; text: string; swap: "outerMorph"; select: string }): Promise<void>;
};

const refetchTimeoutMs = 30_000;
const refetchDelayMs = 400;

const live = document.querySelector<HTMLElement>("[data-live]");
const announcement = live?.querySelector<HTMLElement>("[data-live-news]");
const lostHint = live?.querySelector<HTMLElement>("[data-live-lost]");
let isRefetching = false;
/** Counts the server's events. An answer that was requested before the latest event may be outdated. */
let receivedEvents = 0;

function address(): string {
  const url = new URL(live?.dataset["live"] ?? "", location.href);
  url.searchParams.set("version", live?.dataset["version"] ?? "");
  return url.href;
}

/** Fetches after a random delay, so that not all browsers ask at the same time. One request at a time: an older answer might come last. */
function refetchLater(): void {
  if (isRefetching) return;
  isRefetching = true;
  const run = async () => {
    const eventsBefore = receivedEvents;
    await refetch(() => eventsBefore === receivedEvents).catch(() => undefined); // the next event tries again
    isRefetching = false;
    if (eventsBefore !== receivedEvents) refetchLater();
  };
  setTimeout(() => void run(), refetchDelayMs * (0.5 + Math.random()));
}

async function refetch(isCurrent: () => boolean): Promise<void> {
  const answer = await fetch(location.href, { headers: { accept: "text/html" }, signal: AbortSignal.timeout(refetchTimeoutMs) });
  const text = await answer.text();
  if (!answer.ok || answer.redirected || !isCurrent()) return;
  const newPage = new DOMParser().parseFromString(text, "text/html");
  const newsText = newsIn(newPage);
  for (const part of document.querySelectorAll<HTMLElement>("[data-refetch]")) {
    const next = newPage.getElementById(part.id);
    if (!next || part.isEqualNode(next)) continue;
    const focused = document.activeElement;
    await htmx.swap({ sourceElement: part, target: part, text, swap: "outerMorph", select: `#${part.id}` });
    if (focused && focused !== document.body && !focused.isConnected) document.getElementById(part.id)?.focus();
  }
  const version = newPage.querySelector<HTMLElement>("[data-live]")?.dataset["version"];
  if (live && version !== undefined) live.dataset["version"] = version;
  if (announcement && newsText !== "") announcement.textContent = newsText;
}

/** The text for screen readers: `data-says` of the elements whose status has changed, or which are newer than all on the old page. */
function newsIn(newPage: Document): string {
  const newest =
    [...document.querySelectorAll<HTMLElement>("[data-at]")]
      .map(({ dataset }) => dataset["at"] ?? "")
      .sort()
      .at(-1) ?? "";
  return [...newPage.querySelectorAll<HTMLElement>("[data-says]")]
    .filter(({ id, dataset }) => {
      const before = document.getElementById(id);
      return before ? before.dataset["status"] !== dataset["status"] : (dataset["at"] ?? "") > newest;
    })
    .map(({ dataset }) => dataset["says"])
    .join(". ");
}

if (live)
  follow({
    address,
    onMessage: () => {
      receivedEvents += 1;
      refetchLater();
    },
    onLost: (isLost) => {
      if (lostHint) lostHint.hidden = !isLost;
    },
  });
