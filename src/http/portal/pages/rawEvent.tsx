import type { StoredEvent } from "../../../ports/eventStore.js";

const longest = 50_000;

/** An event as it was recorded, without the hashes of passwords, links and keys. */
export const RawEvent = ({ event }: { event: StoredEvent }) => (
  <pre class="raw-event" tabindex={0}>
    {rawText(event)}
  </pre>
);

export function rawText({ stream, revision, id, type, recordedAt, metadata, data }: StoredEvent): string {
  const shown = /^(?:ApiKey|Member)/.test(type) ? withoutHashes(data) : data;
  const text = JSON.stringify({ stream, revision: String(revision), id, type, recordedAt, metadata, data: shown }, undefined, 2);
  return text.length > longest ? `${text.slice(0, longest)}\n... (${text.length - longest} more characters)` : text;
}

const withoutHashes = (data: unknown): unknown =>
  typeof data === "object" && data !== null
    ? Object.fromEntries(Object.entries(data).map(([name, value]) => [name, /(?:sha256|hash)$/i.test(name) ? "(not shown)" : value]))
    : data;
