// Small things that appends and reads share.
import type { EventMetadata, Position } from "../../ports.js";

const encodedMetadata = new WeakMap<EventMetadata, Uint8Array>();

/** The rows of one import share their metadata object, so it is turned into bytes once and not once per row. */
export function metadataBytes(metadata: EventMetadata): Uint8Array {
  const known = encodedMetadata.get(metadata);
  if (known) return known;
  const bytes = new TextEncoder().encode(JSON.stringify(metadata));
  encodedMetadata.set(metadata, bytes);
  return bytes;
}

export function isAfter(position: Position, other: Position | undefined): boolean {
  if (other === undefined) return true;
  return position.commit === other.commit ? position.prepare > other.prepare : position.commit > other.commit;
}
