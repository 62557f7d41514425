import { decodeOn } from "../../events/codec.js";
import type { RefusedRow } from "../../events/correctionEvents.js";
import type { ImportRequested } from "../../events/importEvents.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore } from "../../ports/eventStore.js";
import type { Aggregate } from "../handle.js";
import { loadImport } from "../imports/importStream.js";
import { type CorrectionsState, evolve, untouched } from "./correctionsDecider.js";

export const correctionsOf = (importId: string): Aggregate<"corrections", CorrectionsState> => ({
  kind: "corrections",
  id: importId,
  initial: untouched,
  evolve,
});

export async function loadCorrections(eventStore: EventStore, importId: string): Promise<CorrectionsState> {
  let state = untouched();
  for await (const stored of eventStore.read(streamOf.corrections(importId))) {
    const event = decodeOn("corrections", stored);
    if (event) state = evolve(state, event);
  }
  return state;
}

/** The imports that have claimed one of these rows and failed or were cancelled. Their own streams are read, since an ending there is final. */
export async function endedClaimants(eventStore: EventStore, state: CorrectionsState, rows: readonly number[]): Promise<Set<string>> {
  const claimants = new Set(
    rows.flatMap((row) => {
      const standing = state.rows.get(row);
      return standing?.why === "claimed" ? [standing.importId] : [];
    }),
  );
  const ended = new Set<string>();
  for (const importId of claimants) {
    const { status } = (await loadImport(eventStore, importId)).state;
    if (status === "failed" || status === "cancelled") ended.add(importId);
  }
  return ended;
}

/** The rows that a correction was refused, by the correction's own row numbers. They are not offered again in its list of rejected rows. */
export async function refusedRows(eventStore: EventStore, { importId, corrects }: ImportRequested): Promise<Map<number, RefusedRow>> {
  if (!corrects) return new Map();
  const claim = (await loadCorrections(eventStore, corrects.importId)).claims.get(importId);
  return new Map((claim?.refused ?? []).map((refused) => [refused.correctionRow, refused]));
}
