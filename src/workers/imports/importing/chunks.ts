import type { EventMetadata, NewEvent } from "../../../ports.js";

/** Each chunk is a call, a transaction and a wait: many small ones are slow. Most chunks are full by their bytes before this. */
const mostEvents = 2_000;
/** The event store takes a mebibyte at once. */
const mostBytes = 960 * 1024;
/** An event's id, its type and its content type, with what the protocol puts around them. */
const overhead = 160;

export interface Chunk {
  readonly events: NewEvent[];
  bytes: number;
}

export function emptyChunk(): Chunk {
  return { events: [], bytes: 0 };
}

/** False when the event no longer fits, and has to begin the next chunk. */
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

/** All rows of an import have the same. */
function metadataBytes(metadata: EventMetadata): number {
  const known = measured.get(metadata) ?? Buffer.byteLength(JSON.stringify(metadata));
  measured.set(metadata, known);
  return known;
}
