// Makes the event of a reversal without the command that decides it.
import { randomUUID } from "node:crypto";
import { operatorPrincipal } from "../../src/domain/principal.js";
import { encode } from "../../src/events/codec.js";
import type { RowsReversed } from "../../src/events/correctionEvents.js";
import { streamOf } from "../../src/events/streams.js";
import type { EventStore } from "../../src/ports/eventStore.js";
import type { Told } from "./importStory.js";

export type ReversalStory = Partial<RowsReversed> & Pick<RowsReversed, "importId" | "count"> & { readonly organisationId?: string };

export function tellReversal({ organisationId = "acme", ...told }: ReversalStory): Told {
  const data: RowsReversed = {
    reversalId: randomUUID(),
    rows: "all",
    reason: "The same file was sent twice",
    by: operatorPrincipal,
    at: "2026-03-02T10:00:00.000Z",
    ...told,
  };
  const context = { organisation: organisationId, by: data.by, correlationId: "r2" };
  const event = encode("RowsReversed", data, context, randomUUID());
  return {
    importId: data.importId,
    stream: streamOf.reversals(data.importId),
    events: [{ ...event, metadata: { ...event.metadata, v: 1 } }], // the version before the event store's clock counts: a story has its own times
  };
}

/** Appends it after the reversals that the import has. */
export async function reverse(eventStore: EventStore, story: ReversalStory): Promise<void> {
  const { stream, events } = tellReversal(story);
  await eventStore.append(stream, events, (await eventStore.last(stream))?.revision ?? -1n);
}
