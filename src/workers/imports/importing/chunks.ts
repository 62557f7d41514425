import type { EventMetadata, NewEvent } from "../../../ports/eventStore.js";

/** Each chunk costs an append call and a transaction, so small chunks are slow. Most chunks reach the limit of bytes first. */
const mostEvents = 2_000;
/** The event store takes 1 MiB per append. */
const mostBytes = 960 * 1024;
/** An event's id, type and content type, with the protocol's framing. */
const overhead = 160;

export interface Chunk {
  readonly events: NewEvent[];
  bytes: number;
}

export function emptyChunk(): Chunk {
  return { events: [], bytes: 0 };
}

/** False when the event does not fit and has to begin the next chunk. */
export function addTo(chunk: Chunk, event: NewEvent & { readonly json: string }): boolean {
  const bytes = overhead + metadataBytes(event.metadata) + Buffer.byteLength(event.json);
  if (chunk.events.length > 0 && chunk.bytes + bytes > mostBytes) return false;
  chunk.events.push(event);
  chunk.bytes += bytes;
  return true;
}

export function isFull(chunk: Chunk): boolean {
  return chunk.events.length >= mostEvents;
}

const measured = new WeakMap<EventMetadata, number>();

/** All rows of an import share one metadata object, so it is measured once. */
function metadataBytes(metadata: EventMetadata): number {
  const known = measured.get(metadata) ?? Buffer.byteLength(JSON.stringify(metadata));
  measured.set(metadata, known);
  return known;
}
