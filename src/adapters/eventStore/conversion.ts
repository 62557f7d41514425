// Between the client's events and ours.
import type { ResolvedEvent } from "@eventstore/db-client";
import type { EventMetadata, Position, StoredEvent } from "../../ports.js";

const encodedMetadata = new WeakMap<EventMetadata, Uint8Array>();
const noMetadata = { organisation: "", actor: "", $correlationId: "", v: 0 } satisfies EventMetadata;

/** The rows of one import share their metadata object, so it is turned into bytes once and not once per row. */
export function metadataBytes(metadata: EventMetadata): Uint8Array {
  const known = encodedMetadata.get(metadata);
  if (known) return known;
  const bytes = new TextEncoder().encode(JSON.stringify(metadata));
  encodedMetadata.set(metadata, bytes);
  return bytes;
}

/** Undefined for what is not an event of an application: links to nothing and the server's own events. */
export function toStoredEvent(resolved: ResolvedEvent): StoredEvent | undefined {
  const event = resolved.event;
  if (!event || event.type.startsWith("$") || event.streamId.startsWith("$")) return undefined;
  return {
    stream: event.streamId,
    revision: event.revision,
    position: positionOf(resolved) ?? { commit: 0n, prepare: 0n },
    id: event.id,
    type: event.type,
    data: event.data,
    metadata: (event.metadata as EventMetadata | undefined) ?? noMetadata,
    recordedAt: event.created,
  };
}

export function positionOf(resolved: ResolvedEvent): Position | undefined {
  const record = resolved.link ?? resolved.event;
  if (record?.position) return record.position;
  const commit = resolved.commitPosition;
  return commit === undefined ? undefined : { commit, prepare: commit };
}

export function isAfter(position: Position, other: Position | undefined): boolean {
  if (other === undefined) return true;
  return position.commit === other.commit ? position.prepare > other.prepare : position.commit > other.commit;
}
