import { randomUUID } from "node:crypto";
import type { Principal } from "../../domain/principal.js";
import type { EventContext } from "../../events/codec.js";
import type { RefusedRow } from "../../events/correctionEvents.js";
import type { EventStore } from "../../ports/eventStore.js";
import { handle } from "../handle.js";
import { decide } from "./correctionsDecider.js";
import { correctionsOf, endedClaimants } from "./correctionsStream.js";

export interface RowsToClaim {
  /** The import whose rows they are. */
  readonly importId: string;
  /** The import that corrects them. */
  readonly correction: string;
  readonly rows: readonly number[];
  /** By superseded row: the import that wrote its shipment. Called only if the correction has not claimed rows yet. */
  superseded(): Promise<ReadonlyMap<number, string>>;
  readonly by: Principal;
  readonly now: Date;
}

/** Claims the rows for this correction, and returns the rows that were refused. Claiming again changes nothing and returns the same. */
export async function claimRows(eventStore: EventStore, wanted: RowsToClaim, context: EventContext): Promise<readonly RefusedRow[]> {
  const { importId, correction, rows, by, now } = wanted;
  let refused: readonly RefusedRow[] = [];
  await handle({ events: eventStore, newId: randomUUID }, correctionsOf(importId), context, async (state) => {
    const earlier = state.claims.get(correction);
    const superseded = earlier ? new Map<number, string>() : await wanted.superseded();
    const ended = await endedClaimants(eventStore, state, rows);
    const decided = decide(importId, { type: "claimRows", correction, rows, superseded, by, now }, state, ended);
    refused = earlier?.refused ?? decided.flatMap((event) => (event.type === "RowsClaimed" ? event.data.refused : []));
    return decided;
  });
  return refused;
}
