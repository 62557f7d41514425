import type { RowOutcome } from "../commands/importDecider.js";
import type { FileRow } from "../ports.js";

/** Half as many cost a fifth of the speed: each is a call, a transaction and a wait. */
const mostEvents = 1_000;
/** The event store takes a mebibyte at once. */
const mostBytes = 900 * 1024;
/** An id, a type, the metadata, and the names of the fields. */
const overhead = 700;
const worthMeasuring = 1_700;

export interface Chunk {
  /** Ordinal, from 0, of the first row in it. */
  readonly first: number;
  readonly outcomes: RowOutcome[];
  bytes: number;
}

export function emptyChunk(first: number): Chunk {
  return { first, outcomes: [], bytes: 0 };
}

/** False when the outcome no longer fits, and has to begin the next chunk. */
export function addTo(chunk: Chunk, outcome: RowOutcome, row: FileRow): boolean {
  const bytes = mostBytesOf(outcome, row);
  if (chunk.outcomes.length > 0 && chunk.bytes + bytes > mostBytes) return false;
  chunk.outcomes.push(outcome);
  chunk.bytes += bytes;
  return true;
}

export function isFull(chunk: Chunk): boolean {
  return chunk.outcomes.length >= mostEvents;
}

/** A bound from the cells' lengths (a character takes at most six bytes as JSON) is enough for all but long rows. */
function mostBytesOf(outcome: RowOutcome, { cells }: FileRow): number {
  let characters = outcome.type === "RowRejected" ? outcome.data.error.length : 0;
  for (const cell of cells) characters += typeof cell === "string" ? cell.length : cell.text.length;
  const bound = overhead + characters * 6;
  return bound <= worthMeasuring ? bound : overhead + Buffer.byteLength(JSON.stringify(outcome.data));
}
