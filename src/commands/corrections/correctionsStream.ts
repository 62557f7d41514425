import { randomUUID } from "node:crypto";
import type { EventContext } from "../../events/codec.js";
import type { RefusedRow } from "../../events/correctionEvents.js";
import type { ImportRequested } from "../../events/importEvents.js";
import type { EventStore } from "../../ports/eventStore.js";
import { handle, load } from "../handle.js";
import { loadImport } from "../imports/importStream.js";
import { type CorrectionCommand, type CorrectionsState, correctionsAggregate, decide } from "./correctionsDecider.js";

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
  const { state } = await load(eventStore, correctionsAggregate, corrects.importId);
  const claim = state.claims.get(importId);
  return new Map((claim?.refused ?? []).map((refused) => [refused.correctionRow, refused]));
}

interface RowsToClaim extends Pick<CorrectionCommand, "importId" | "rows" | "by" | "now"> {
  /** The import that corrects them. */
  readonly correction: string;
  /** By superseded row: the import that wrote its shipment. Called only if the correction has not claimed rows yet. */
  superseded(): Promise<ReadonlyMap<number, string>>;
}

/** Claims the rows for this correction, and returns the rows that were refused. Claiming again changes nothing and returns the same. */
export async function claimRows(eventStore: EventStore, wanted: RowsToClaim, context: EventContext): Promise<readonly RefusedRow[]> {
  const { importId, correction, rows, by, now } = wanted;
  let refused: readonly RefusedRow[] = [];
  await handle({ events: eventStore, newId: randomUUID }, correctionsAggregate, importId, context, async (state) => {
    const earlier = state.claims.get(correction);
    const superseded = earlier ? new Map<number, string>() : await wanted.superseded();
    const ended = await endedClaimants(eventStore, state, rows);
    const decided = decide({ type: "claimRows", importId, correction, rows, superseded, ended, by, now }, state);
    refused = earlier?.refused ?? decided.flatMap((event) => (event.type === "RowsClaimed" ? event.data.refused : []));
    return decided;
  });
  return refused;
}
