import { type ReversalAt, type ReversedRows, reversedRows } from "../../domain/claims.js";
import { decodeOn } from "../../events/codec.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore, Revision } from "../../ports/eventStore.js";

export const loadReversed = async (eventStore: EventStore, importId: string): Promise<ReversedRows> =>
  reversedRows(await loadReversals(eventStore, importId));

interface RecordedReversal extends ReversalAt {
  readonly reversalId: string;
  readonly revision: Revision;
}

/** In the order of the log. */
export async function loadReversals(eventStore: EventStore, importId: string): Promise<RecordedReversal[]> {
  const reversals: RecordedReversal[] = [];
  for await (const stored of eventStore.read(streamOf.reversals(importId))) {
    const event = decodeOn("reversals", stored);
    if (event) reversals.push({ ...event.data, position: stored.position.commit, revision: stored.revision });
  }
  return reversals;
}
