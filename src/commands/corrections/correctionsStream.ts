// Loads what was decided on the rows of an import: its claims and dismissals, and its reversals. Appends further decisions.

import { type ReversedRows, reversedRows } from "../../domain/claims.js";
import { groupedBy } from "../../domain/groupedBy.js";
import { decodeOn, type EventContext, encode } from "../../events/codec.js";
import type { RefusedRow, ReversalDecided } from "../../events/correctionEvents.js";
import type { ImportRequested } from "../../events/importEvents.js";
import type { EventOn } from "../../events/registry.js";
import { streamOf } from "../../events/streams.js";
import { type EventStore, eventsOf, noStream, type Revision } from "../../ports/eventStore.js";
import { appendDecision, loadState, retryConflicts } from "../handle.js";
import { loadImport } from "../imports/importStream.js";
import { type CorrectionCommand, type CorrectionsState, correctionsAggregate, decide } from "./correctionsDecider.js";

/** A decision that is appended after exactly `head`, the stream's last revision, has seen every claim and every reversal. */
export type LoadedCorrections = Awaited<ReturnType<typeof loadCorrections>>;

/** A reversal that was decided and is not recorded yet is recorded first: nobody decides on rows that are about to be reversed. */
export async function loadCorrections(eventStore: EventStore, importId: string) {
  return retryConflicts(async () => {
    for (;;) {
      // The reversals are read first: every claim that stands before one of them in the event log is then found too.
      const reversals = await loadReversals(eventStore, importId);
      const loaded = await loadState(eventStore, correctionsAggregate(reversedRows(reversals)), importId);
      const recorded = new Set(reversals.map(({ reversalId }) => reversalId));
      const [left] = loaded.state.decided.filter(({ reversalId }) => !recorded.has(reversalId));
      if (!left) return loaded;
      await recordReversal(eventStore, left, reversals.at(-1)?.revision ?? noStream);
    }
  });
}

/** The event's id is the reversal's: two processes that record it at the same moment record it once. */
async function recordReversal(eventStore: EventStore, { organisationId, correlationId, ...data }: ReversalDecided, head: Revision) {
  const context = { organisation: organisationId, by: data.by, correlationId };
  await eventStore.append(streamOf.reversals(data.importId), [encode("RowsReversed", data, context, data.reversalId)], head);
}

/** Reverses the rows, unless somebody has decided on rows of the import since the corrections were loaded: that throws WrongVersion. */
export async function decideReversal(eventStore: EventStore, reversal: ReversalDecided, { head }: LoadedCorrections): Promise<void> {
  const { organisationId, importId, correlationId, by } = reversal;
  const context = { organisation: organisationId, by, correlationId };
  const decided = [{ type: "ReversalDecided" as const, data: reversal }];
  await appendDecision(eventStore, "corrections", importId, { decided, context, head });
  await loadCorrections(eventStore, importId);
}

/** The last row that the corrections of a claimed row lead to. */
export interface LastRow {
  readonly importId: string;
  readonly row: number;
  /** `underWay`: its import has not ended. `dismissed`: it was rejected and then dismissed. `recorded`: it was accepted or rejected. */
  readonly as: "underWay" | "dismissed" | "recorded";
}

/**
 * By claimed row: the last row of its corrections. A claimed row that is not in the result is released. That is so when its correction failed or
 * was cancelled, and when the row that corrects it is reversed and has no correction of its own. An accepted row that counts is also released
 * when its correction was rejected and dismissed. Read from the streams, which have the last word. `isFurther`: the rows are themselves corrections.
 */
export async function lastRowsOf(
  eventStore: EventStore,
  state: CorrectionsState,
  rows: readonly number[],
  { isFurther = false } = {},
): Promise<Map<number, LastRow>> {
  const holders = new Map<number, LastRow>();
  for (const [importId, claimed] of claimedBy(state, rows)) {
    const { state: correction } = await loadImport(eventStore, importId);
    if (correction.status === "failed" || correction.status === "cancelled") continue;
    if (correction.status !== "completed") {
      for (const { row, number } of claimed) holders.set(row, { importId, row: number, as: "underWay" });
      continue;
    }
    const accepted = new Set(correction.request.corrects?.accepted);
    const reversed = await loadReversed(eventStore, importId);
    const looked = claimed.filter(({ row, number }) => isFurther || accepted.has(row) || reversed.since(number) !== undefined);
    const own = looked.length === 0 ? undefined : (await loadState(eventStore, correctionsAggregate(reversed), importId)).state;
    const numbers = looked.map(({ number }) => number);
    const next = own ? await lastRowsOf(eventStore, own, numbers, { isFurther: true }) : undefined;
    for (const { row, number } of claimed) {
      const isDismissed = own?.rows.get(number)?.why === "dismissed";
      const isLast = isDismissed || reversed.since(number) === undefined;
      const last = next?.get(number) ?? (isLast ? { importId, row: number, as: isDismissed ? "dismissed" : "recorded" } : undefined);
      const goesOnCounting = accepted.has(row) && state.reversed.since(row) === undefined;
      if (last && !(last.as === "dismissed" && goesOnCounting)) holders.set(row, last);
    }
  }
  return holders;
}

/** By claiming import: the rows, each with its number in that import. */
function claimedBy(state: CorrectionsState, rows: readonly number[]) {
  const claims = rows.flatMap((row) => {
    const decision = state.rows.get(row);
    return decision?.why === "claimed" ? [{ importId: decision.importId, row, number: decision.row }] : [];
  });
  return groupedBy(claims, ({ importId }) => importId);
}

/** The rows that a correction was refused, by the correction's own row numbers. They are not offered again in its list of rejected rows. */
export async function refusedRows(eventStore: EventStore, { importId, corrects }: ImportRequested): Promise<Map<number, RefusedRow>> {
  if (!corrects) return new Map();
  const { state } = await loadCorrections(eventStore, corrects.importId);
  return new Map((state.claims.get(importId)?.refused ?? []).map((refused) => [refused.correctionRow, refused]));
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
  // In an event log of an earlier version a reversal may stand before the claim that did not see it.
  return (await loadCorrections(eventStore, importId)).state.claims.get(correction)?.refused ?? [];
}

/** Decides on rows of an import, and appends to the stream of its corrections. `released`: those of the rows whose claim is released. */
export async function decideCorrections(
  eventStore: EventStore,
  importId: string,
  rows: readonly number[],
  context: EventContext,
  decided: (state: CorrectionsState, released: ReadonlySet<number>) => EventOn<"corrections">[] | Promise<EventOn<"corrections">[]>,
): Promise<void> {
  await retryConflicts(async () => {
    const { state, head } = await loadCorrections(eventStore, importId);
    const holders = await lastRowsOf(eventStore, state, rows);
    const events = await decided(state, new Set(rows.filter((row) => !holders.has(row))));
    await appendDecision(eventStore, "corrections", importId, { decided: events, context, head });
  });
}

export const loadReversed = async (eventStore: EventStore, importId: string): Promise<ReversedRows> =>
  reversedRows(await loadReversals(eventStore, importId));

/** In the order of the event log. */
async function loadReversals(eventStore: EventStore, importId: string) {
  const events = (await eventsOf(eventStore, streamOf.reversals(importId))).flatMap((stored) => decodeOn("reversals", stored) ?? []);
  return events.map(({ data, position, revision }) => ({ ...data, position: position.commit, revision }));
}
