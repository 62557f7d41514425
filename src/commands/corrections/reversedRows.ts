import { isWithin } from "../../domain/ranges.js";
import { decodeOn } from "../../events/codec.js";
import type { RowsReversed } from "../../events/reversalEvents.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore, Revision } from "../../ports/eventStore.js";

/** Which rows of an import are reversed, and since when: every process decides by the order of the log. */
export interface ReversedRows {
  /** Commit position at which the import was reversed as a whole. */
  readonly all: bigint | undefined;
  /** Commit position at which this row was reversed, by its number or with the whole import. */
  since(row: number): bigint | undefined;
}

export interface ReversalAt extends Pick<RowsReversed, "rows"> {
  readonly position: bigint;
}

/** `reversals`: in the order of the log. */
export function reversedRows(reversals: readonly ReversalAt[]): ReversedRows {
  return {
    all: reversals.find(({ rows }) => rows === "all")?.position,
    since: (row) => reversals.find(({ rows }) => rows === "all" || isWithin(rows, row))?.position,
  };
}

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
