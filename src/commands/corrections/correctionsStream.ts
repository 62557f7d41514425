import { randomUUID } from "node:crypto";
import type { EventContext } from "../../events/codec.js";
import type { RefusedRow } from "../../events/correctionEvents.js";
import type { ImportRequested } from "../../events/importEvents.js";
import type { EventOn } from "../../events/registry.js";
import type { EventStore } from "../../ports/eventStore.js";
import { handle, load } from "../handle.js";
import { loadImport } from "../imports/importStream.js";
import { type CorrectionCommand, type CorrectionsState, correctionsAggregate, decide, type Standing } from "./correctionsDecider.js";
import { loadReversed, type ReversedRows } from "./reversedRows.js";

/** The reversals are read first: every claim that stands before one of them in the log is then found too. */
export async function loadCorrections(eventStore: EventStore, importId: string): Promise<CorrectionsState> {
  const reversed = await loadReversed(eventStore, importId);
  return (await load(eventStore, correctionsAggregate(reversed), importId)).state;
}

/** Where a claimed row has come to: the last row that its corrections lead to. */
export interface Holder {
  readonly importId: string;
  readonly row: number;
  /** Its import has not ended, it is dismissed there, or it is a recorded row, accepted or rejected. */
  readonly as: "underWay" | "dismissed" | "recorded";
}

/**
 * By row: who holds it. Claimed rows that are not in it are released: the correction failed or was cancelled, or its own row is reversed
 * and nothing holds that one. An accepted row that is not reversed is also released where its correction was rejected and dismissed: it goes
 * on counting. The streams are read, since what they say of this is final. `isFurther`: the rows are themselves those of a correction.
 */
export async function holdersOf(
  eventStore: EventStore,
  state: CorrectionsState,
  rows: readonly number[],
  { isFurther = false } = {},
): Promise<Map<number, Holder>> {
  const holders = new Map<number, Holder>();
  for (const [importId, claimed] of claimedBy(state, rows)) {
    const { state: correction } = await loadImport(eventStore, importId);
    if (correction.status === "failed" || correction.status === "cancelled") continue;
    if (correction.status !== "completed") {
      for (const [row, number] of claimed) holders.set(row, { importId, row: number, as: "underWay" });
      continue;
    }
    const accepted = new Set(correction.request.corrects?.accepted);
    const reversed = await loadReversed(eventStore, importId);
    const looked = claimed.filter(([row, number]) => isFurther || accepted.has(row) || reversed.since(number) !== undefined);
    const own = looked.length === 0 ? undefined : (await load(eventStore, correctionsAggregate(reversed), importId)).state;
    const next = own
      ? await holdersOf(
          eventStore,
          own,
          looked.map(([, number]) => number),
          { isFurther: true },
        )
      : undefined;
    for (const [row, number] of claimed) {
      const last = lastRow(importId, number, { reversed, standing: own?.rows.get(number), next: next?.get(number) });
      const goesOnCounting = accepted.has(row) && state.reversed.since(row) === undefined;
      if (last && !(last.as === "dismissed" && goesOnCounting)) holders.set(row, last);
    }
  }
  return holders;
}

/** By claiming import: the rows, each with its number there. */
function claimedBy(state: CorrectionsState, rows: readonly number[]): Map<string, [row: number, number: number][]> {
  const claims = new Map<string, [number, number][]>();
  for (const row of rows) {
    const standing = state.rows.get(row);
    if (standing?.why !== "claimed") continue;
    const claimed = claims.get(standing.importId) ?? [];
    claimed.push([row, standing.row]);
    claims.set(standing.importId, claimed);
  }
  return claims;
}

interface OwnRow {
  readonly reversed: ReversedRows;
  readonly standing: Standing | undefined;
  readonly next: Holder | undefined;
}

function lastRow(importId: string, row: number, { reversed, standing, next }: OwnRow): Holder | undefined {
  if (next) return next;
  if (standing?.why === "dismissed") return { importId, row, as: "dismissed" };
  return reversed.since(row) === undefined ? { importId, row, as: "recorded" } : undefined;
}

/** Those of the rows whose claim holds no more. */
async function releasedRows(eventStore: EventStore, state: CorrectionsState, rows: readonly number[]): Promise<Set<number>> {
  const holders = await holdersOf(eventStore, state, rows);
  return new Set(rows.filter((row) => !holders.has(row)));
}

/** The rows that a correction was refused, by the correction's own row numbers. They are not offered again in its list of rejected rows. */
export async function refusedRows(eventStore: EventStore, { importId, corrects }: ImportRequested): Promise<Map<number, RefusedRow>> {
  if (!corrects) return new Map();
  const { claims } = await loadCorrections(eventStore, corrects.importId);
  return new Map((claims.get(importId)?.refused ?? []).map((refused) => [refused.correctionRow, refused]));
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
  await decideCorrections(eventStore, importId, rows, context, async (state, released) => {
    const superseded = state.claims.has(correction) ? new Map<number, string>() : await wanted.superseded();
    return decide({ type: "claimRows", importId, correction, rows, superseded, released, by, now }, state);
  });
  // A reversal may have come before the claim in the log and after it was looked for.
  return (await loadCorrections(eventStore, importId)).claims.get(correction)?.refused ?? [];
}

/** Decides on rows of an import, and appends to the stream of its corrections. */
export async function decideCorrections(
  eventStore: EventStore,
  importId: string,
  rows: readonly number[],
  context: EventContext,
  decided: (state: CorrectionsState, released: ReadonlySet<number>) => EventOn<"corrections">[] | Promise<EventOn<"corrections">[]>,
): Promise<void> {
  const aggregate = correctionsAggregate(await loadReversed(eventStore, importId));
  await handle({ events: eventStore, newId: randomUUID }, aggregate, importId, context, async (state) =>
    decided(state, await releasedRows(eventStore, state, rows)),
  );
}
