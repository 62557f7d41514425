// A page that changes by itself: the server tells when it is behind, and its parts with `data-refetch` are fetched again.
import { follow } from "./eventSource.js";

/** Loaded before this script. */
declare const htmx: {
  swap(what: { sourceElement: Element; target: Element; text: string; swap: "outerMorph"; select: string }): Promise<void>;
};

const refetchTimeoutMs = 30_000;
const refetchMs = 400;

const live = document.querySelector<HTMLElement>("[data-live]");
const announcement = live?.querySelector<HTMLElement>("[data-live-news]");
const lost = live?.querySelector<HTMLElement>("[data-live-lost]");
let isRefetching = false;
/** Counts what the server has told. A page that was requested before the last of it is outdated. */
let changes = 0;

function address(): string {
  const url = new URL(live?.dataset["live"] ?? "", location.href);
  url.searchParams.set("version", live?.dataset["version"] ?? "");
  return url.href;
}

/** After a random delay, so that browsers do not all ask at once. One request at a time: of two answers the older might arrive last. */
function refetchLater(): void {
  if (isRefetching) return;
  isRefetching = true;
  const run = async () => {
    const seen = changes;
    await refetch(() => seen === changes).catch(() => undefined); // the next change tries it again
    isRefetching = false;
    if (seen !== changes) refetchLater();
  };
  setTimeout(() => void run(), refetchMs * (0.5 + Math.random()));
}

async function refetch(isCurrent: () => boolean): Promise<void> {
  const answer = await fetch(location.href, { headers: { accept: "text/html" }, signal: AbortSignal.timeout(refetchTimeoutMs) });
  const text = await answer.text();
  if (!answer.ok || answer.redirected || !isCurrent()) return;
  const now = new DOMParser().parseFromString(text, "text/html");
  const news = newsIn(now);
  for (const part of document.querySelectorAll<HTMLElement>("[data-refetch]")) {
    const next = now.getElementById(part.id);
    if (!next || part.isEqualNode(next)) continue;
    const focused = document.activeElement;
    await htmx.swap({ sourceElement: part, target: part, text, swap: "outerMorph", select: `#${part.id}` });
    if (focused && focused !== document.body && !focused.isConnected) document.getElementById(part.id)?.focus();
  }
  const version = now.querySelector<HTMLElement>("[data-live]")?.dataset["version"];
  if (live && version !== undefined) live.dataset["version"] = version;
  if (announcement && news !== "") announcement.textContent = news;
}

/** What a screen reader says: whose status has changed, and what is newer than all that was there. */
function newsIn(now: Document): string {
  const newest =
    [...document.querySelectorAll<HTMLElement>("[data-at]")]
      .map(({ dataset }) => dataset["at"] ?? "")
      .sort()
      .at(-1) ?? "";
  return [...now.querySelectorAll<HTMLElement>("[data-says]")]
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
      changes += 1;
      refetchLater();
    },
    onLost: (isLost) => {
      if (lost) lost.hidden = !isLost;
    },
  });
