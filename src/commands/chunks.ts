import type { EventStore, NewEvent, Revision } from "../ports/eventStore.js";

const maxEvents = 500;
/** The server takes 1 MiB per append; ids, types and framing are not counted here. */
const maxBytes = 800 * 1024;

/** Appends each chunk at the exact revision after the one before, so that an append of another process in between stops the rest. */
export async function appendInChunks(events: EventStore, stream: string, all: readonly NewEvent[], head: Revision): Promise<Revision> {
  let revision = head;
  for (const chunk of chunksOf(all)) revision = (await events.append(stream, chunk, revision)).revision;
  return revision;
}

export function* chunksOf(all: readonly NewEvent[]): Generator<NewEvent[]> {
  let chunk: NewEvent[] = [];
  let bytes = 0;
  for (const event of all) {
    const size = Buffer.byteLength(event.json) + Buffer.byteLength(JSON.stringify(event.metadata));
    if (chunk.length > 0 && (chunk.length >= maxEvents || bytes + size > maxBytes)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(event);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
