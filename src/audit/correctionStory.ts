// Who took, dismissed and reopened the rejected rows of one import, in the order of their stream.
import { decodeOn, type RecordedOn } from "../events/codec.js";
import { streamOf } from "../events/streams.js";
import type { EventStore } from "../ports.js";
import type { AsOf } from "./importHistory.js";

export type CorrectionStep = RecordedOn<"corrections">;

/** As of a revision of the import's own stream nothing is told: the two streams have no revision in common. */
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
