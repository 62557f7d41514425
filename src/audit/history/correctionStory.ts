// Who took, dismissed and reopened the rejected rows of one import, in the order of their stream.
import { decodeOn, type RecordedOn } from "../../events/codec.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore } from "../../ports/eventStore.js";
import type { AsOf } from "./importHistory.js";

export type CorrectionStep = RecordedOn<"corrections">;

/** Empty as of a revision: that is a revision of the import's stream, and says nothing about the stream of its corrections. */
export async function correctionStory(
  importId: string,
  { eventStore, asOf, signal }: { readonly eventStore: EventStore; readonly asOf?: AsOf | undefined; readonly signal: AbortSignal },
): Promise<CorrectionStep[]> {
  const steps: CorrectionStep[] = [];
  if (asOf && "revision" in asOf) return steps;
  for await (const stored of eventStore.read(streamOf.corrections(importId), { signal })) {
    if (asOf && stored.recordedAt > asOf.time) break;
    const event = decodeOn("corrections", stored);
    if (event) steps.push(event);
  }
  return steps;
}
