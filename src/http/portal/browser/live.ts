// A page that changes by itself: the server sends parts of it as they are now, and each takes the place of the part with its id.
import { follow } from "./eventSource.js";

interface Part {
  readonly id: string;
  readonly html: string;
}

/** Loaded before this script. */
declare const htmx: {
  swap(what: { sourceElement: Element; target: Element; text: string; swap: "outerMorph"; select?: string }): Promise<void>;
};

const mostShown = 30;
const mostRows = 200;
const refetchTimeoutMs = 30_000;
const refetchMs = 1_000;

const live = document.querySelector<HTMLElement>("[data-live]");
const announcement = live?.querySelector<HTMLElement>("[data-live-news]");
const lost = live?.querySelector<HTMLElement>("[data-live-lost]");
let isRefetching = false;
/** Counts the changes. A part that was requested before the last change is outdated. */
let changes = 0;

function address(): string {
  const url = new URL(live?.dataset["live"] ?? "", location.href);
  const unfinished = document.querySelectorAll("tr[data-status=queued], tr[data-status=processing]");
  const ids = [...unfinished].slice(0, mostShown).map(({ id }) => id.replace("import-", ""));
  if (ids.length > 0) url.searchParams.set("shown", ids.join(","));
  const shown = document.querySelector<HTMLElement>("#import-status, #endpoint-version");
  const status = shown?.dataset["status"];
  if (status !== undefined) url.searchParams.set("status", status);
  return url.href;
}

async function take({ id, html }: Part): Promise<void> {
  const template = document.createElement("template");
  template.innerHTML = html;
  const now = template.content.firstElementChild;
  const before = document.getElementById(id);
  if (!(now instanceof HTMLElement)) return;
  if (!before) {
    add(now);
    return;
  }
  // A reader who has turned to another page of the list keeps that page.
  if (before.isEqualNode(now) || before.dataset["paged"] !== undefined) return;
  const news = before.dataset["status"] === now.dataset["status"] ? undefined : now.dataset["says"];
  const focused = document.activeElement;
  await htmx.swap({ sourceElement: before, target: before, text: html, swap: "outerMorph" });
  if (focused && focused !== document.body && !focused.isConnected) document.getElementById(id)?.focus();
  announce(news);
  if (news !== undefined) refetchSoon();
}

/** Fetches the parts of the page that are more than rows again, after a random delay, so that browsers do not all ask at once. */
function refetchSoon(): void {
  changes += 1;
  if (!isRefetching) refetchLater();
}

/** One request at a time: of two answers the older might arrive last, and would stay on the page. */
function refetchLater(): void {
  const parts = [...document.querySelectorAll<HTMLElement>("[data-refetch]")];
  if (parts.length === 0) return;
  isRefetching = true;
  const run = async () => {
    const seen = changes;
    await refetchParts(parts, () => seen === changes).catch(() => undefined); // the next change tries it again
    isRefetching = false;
    if (seen !== changes) refetchLater();
  };
  setTimeout(() => void run(), refetchMs * (0.5 + Math.random()));
}

async function refetchParts(parts: readonly HTMLElement[], isCurrent: () => boolean): Promise<void> {
  const answer = await fetch(location.href, { headers: { accept: "text/html" }, signal: AbortSignal.timeout(refetchTimeoutMs) });
  const text = await answer.text();
  if (!answer.ok || answer.redirected || !isCurrent()) return;
  for (const part of parts) await htmx.swap({ sourceElement: part, target: part, text, swap: "outerMorph", select: `#${part.id}` });
}

/** Whether the row is newer than all rows that the page shows. */
function isNewer(row: HTMLElement): boolean {
  const shown = [...document.querySelectorAll<HTMLElement>("tr[data-at]")].map((other) => other.dataset["at"] ?? "");
  return shown.every((at) => at < (row.dataset["at"] ?? ""));
}

/** Adds a new import to the first page of the list, if it passes the filter. */
function add(row: HTMLElement): void {
  const list = document.querySelector<HTMLElement>("[data-newest]");
  if (!list && isNewer(row)) refetchSoon();
  if (!list || !fits(row.dataset, list.dataset)) return;
  const rows = [...list.querySelectorAll<HTMLElement>("tbody > tr")];
  const oldest = rows.at(-1);
  if (!oldest) {
    location.reload();
    return;
  }
  const at = row.dataset["at"] ?? "";
  if (rows.length >= mostRows || at < (oldest.dataset["at"] ?? "")) return;
  const next = rows.find((other) => (other.dataset["at"] ?? "") <= at);
  oldest.parentElement?.insertBefore(row, next ?? null);
  announce(row.dataset["says"]);
}

function fits(row: DOMStringMap, filter: DOMStringMap): boolean {
  const same = (name: string) => !filter[name] || row[name] === filter[name];
  return same("kind") && same("status") && (row["reference"] ?? "").includes(filter["reference"] ?? "");
}

/** Screen readers read the text out. */
function announce(text: string | undefined): void {
  if (announcement && text !== undefined) announcement.textContent = text;
}

if (live)
  follow({
    address,
    onMessage: (data) => void take(JSON.parse(data) as Part),
    onLost: (isLost) => {
      if (lost) lost.hidden = !isLost;
    },
  });
