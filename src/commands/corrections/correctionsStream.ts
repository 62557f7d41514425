// Loads the claims, dismissals and reversals of an import's rows, and appends further decisions on them.
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

/** `head` is the stream's last revision. A decision that is appended at exactly this revision has seen every claim and every reversal. */
export type LoadedCorrections = Awaited<ReturnType<typeof loadCorrections>>;

/** Loads, and first records reversals that are only decided, so that nobody decides on rows that are about to be reversed. */
export async function loadCorrections(eventStore: EventStore, importId: string) {
  return retryConflicts(async () => {
    for (;;) {
      // Reversals are read before claims, so every claim that precedes one of them in the event log is read too.
      const reversals = await loadReversals(eventStore, importId);
      const loaded = await loadState(eventStore, correctionsAggregate(reversedRows(reversals)), importId);
      const recorded = new Set(reversals.map(({ reversalId }) => reversalId));
      const [unrecorded] = loaded.state.decidedReversals.filter(({ reversalId }) => !recorded.has(reversalId));
      if (!unrecorded) return loaded;
      await recordReversal(eventStore, unrecorded, reversals.at(-1)?.revision ?? noStream);
    }
  });
}

/** The event's id is the reversal's id, so two processes that record it at the same moment record it once. */
async function recordReversal(eventStore: EventStore, { organisationId, correlationId, ...data }: ReversalDecided, head: Revision) {
  const context = { organisation: organisationId, by: data.by, correlationId };
  await eventStore.append(streamOf.reversals(data.importId), [encode("RowsReversed", data, context, data.reversalId)], head);
}

/** Decides and records the reversal. Throws WrongVersion if the import's corrections have changed since they were loaded. */
export async function decideReversal(eventStore: EventStore, reversal: ReversalDecided, { head }: LoadedCorrections): Promise<void> {
  const { organisationId, importId, correlationId, by } = reversal;
  const context = { organisation: organisationId, by, correlationId };
  const newEvents = [{ type: "ReversalDecided" as const, data: reversal }];
  await appendDecision(eventStore, "corrections", importId, { newEvents, context, head });
  await loadCorrections(eventStore, importId);
}

/** The last row that the corrections of a claimed row lead to. */
export interface LastRow {
  readonly importId: string;
  readonly row: number;
  /** `underWay`: its import has not ended. `dismissed`: it was rejected, then dismissed. `recorded`: it was accepted or rejected. */
  readonly status: "underWay" | "dismissed" | "recorded";
}

/**
 * By claimed row: the last row of its corrections, from the streams. A claimed row that the map does not have is released: its correction
 * failed or was cancelled, or the row that corrects it is reversed and has no correction of its own. An accepted row that still counts is
 * also released when its correction was rejected and then dismissed. `isNested`: the rows themselves correct other rows.
 */
export async function lastRowsOf(
  eventStore: EventStore,
  state: CorrectionsState,
  rows: readonly number[],
  { isNested = false } = {},
): Promise<Map<number, LastRow>> {
  const lastRows = new Map<number, LastRow>();
  for (const [importId, claimed] of claimedRowsByImport(state, rows)) {
    const { state: correction } = await loadImport(eventStore, importId);
    if (correction.status === "failed" || correction.status === "cancelled") continue;
    if (correction.status !== "completed") {
      for (const { row, correctionRow } of claimed) lastRows.set(row, { importId, row: correctionRow, status: "underWay" });
      continue;
    }
    const accepted = new Set(correction.request.corrects?.accepted);
    const reversed = await loadReversed(eventStore, importId);
    const followed = claimed.filter((each) => isNested || accepted.has(each.row) || reversed.positionOf(each.correctionRow) !== undefined);
    const followedRows = followed.map(({ correctionRow }) => correctionRow);
    const ownState = followedRows.length === 0 ? undefined : (await loadState(eventStore, correctionsAggregate(reversed), importId)).state;
    const nextRows = ownState ? await lastRowsOf(eventStore, ownState, followedRows, { isNested: true }) : undefined;
    for (const { row, correctionRow } of claimed) {
      const isDismissed = ownState?.rows.get(correctionRow)?.why === "dismissed";
      const isLast = isDismissed || reversed.positionOf(correctionRow) === undefined;
      const last =
        nextRows?.get(correctionRow) ??
        (isLast ? { importId, row: correctionRow, status: isDismissed ? "dismissed" : "recorded" } : undefined);
      const stillCounts = accepted.has(row) && state.reversed.positionOf(row) === undefined;
      if (last && !(last.status === "dismissed" && stillCounts)) lastRows.set(row, last);
    }
  }
  return lastRows;
}

/** By claiming import: the claimed rows, each with the number of the row that corrects it. */
function claimedRowsByImport(state: CorrectionsState, rows: readonly number[]) {
  const claims = rows.flatMap((row) => {
    const decision = state.rows.get(row);
    return decision?.why === "claimed" ? [{ importId: decision.importId, row, correctionRow: decision.row }] : [];
  });
  return groupedBy(claims, ({ importId }) => importId);
}

/** By the correction's own row number: the claim that it was refused. Such a rejected row is not open. */
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

/** Claims the rows for this correction and returns the refused ones. Idempotent: claiming again returns the same rows. */
export async function claimRows(eventStore: EventStore, claim: RowsToClaim, context: EventContext): Promise<readonly RefusedRow[]> {
  const { importId, correction, rows, by, now } = claim;
  await decideCorrections(eventStore, importId, rows, context, async (state, released) => {
    const superseded = state.claims.has(correction) ? new Map<number, string>() : await claim.superseded();
    return decide({ type: "claimRows", importId, correction, rows, superseded, released, by, now }, state);
  });
  // Loaded again: an event log of an earlier version may have a reversal before a claim that did not see it.
  return (await loadCorrections(eventStore, importId)).state.claims.get(correction)?.refused ?? [];
}

/** Appends a decision on an import's rows to the stream of its corrections. `released`: those of the rows whose claim is released. */
export async function decideCorrections(
  eventStore: EventStore,
  importId: string,
  rows: readonly number[],
  context: EventContext,
  decideEvents: (state: CorrectionsState, released: ReadonlySet<number>) => EventOn<"corrections">[] | Promise<EventOn<"corrections">[]>,
): Promise<void> {
  await retryConflicts(async () => {
    const { state, head } = await loadCorrections(eventStore, importId);
    const lastRows = await lastRowsOf(eventStore, state, rows);
    const events = await decideEvents(state, new Set(rows.filter((row) => !lastRows.has(row))));
    await appendDecision(eventStore, "corrections", importId, { newEvents: events, context, head });
  });
}

export const loadReversed = async (eventStore: EventStore, importId: string): Promise<ReversedRows> =>
  reversedRows(await loadReversals(eventStore, importId));

/** In the order of the event log. */
async function loadReversals(eventStore: EventStore, importId: string) {
  const events = (await eventsOf(eventStore, streamOf.reversals(importId))).flatMap((stored) => decodeOn("reversals", stored) ?? []);
  return events.map(({ data, position, revision }) => ({ ...data, position: position.commit, revision }));
}
