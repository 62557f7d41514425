// Takes accepted rows of a completed import back: all of them, or some activities or shipments. The stream `reversals-<importId>` has the
// earlier reversals, and `corrections-<importId>` the claims on rows. The tables are read for the figures of the answer only: the
// projections derive every consequence from the event log.
import { v7 } from "uuid";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { RowsReversed } from "../../events/correctionEvents.js";
import type { Stores } from "../../ports/database.js";
import {
  areLedgersReady,
  consequencesOf,
  correctingRows,
  countWritten,
  isShownReversed,
  lastEnd,
  type ReversalTarget,
} from "../../queries/lookUps/reversals.js";
import { waitUntilProjected } from "../../queries/lookUps/waitUntilProjected.js";
import { lookUntilFound } from "../../timeLimit.js";
import { decideReversal, type LoadedCorrections, loadCorrections } from "../corrections/correctionsStream.js";
import { queuedCorrections } from "../corrections/openRows.js";
import { loadState, retryConflicts } from "../handle.js";
import { type ImportScope, loadVisibleImport } from "../imports/importStream.js";
import { decide, type ReverseRows, reversalsAggregate } from "./reversalsDecider.js";
import {
  activityUnits,
  type ReversalSelection,
  type ReversalUnits,
  type ReversibleImport,
  reversalUnitsOf,
  shipmentUnitsWithRows,
} from "./reversalUnits.js";

export interface ReversalRequest extends ImportScope {
  readonly selection: ReversalSelection;
  readonly reason: string;
  readonly includeCorrections: boolean;
  /** Whether to compute the outcome and record nothing. */
  readonly preview: boolean;
  readonly by: Principal;
  readonly requestId?: string | undefined;
  /** The database's clock. Called once for each import that is reversed, when its reversal is decided. */
  now(): Date | Promise<Date>;
}

/** All figures count activities or shipments, except those of rejected rows, which count rows. */
export interface ReversalOutcome {
  /** Null in a preview, and where nothing was left to reverse. */
  readonly reversalId: string | null;
  readonly importId: string;
  readonly reversed: number;
  readonly alreadyReversed: number;
  /** Reversed versions of shipments that a later push had replaced. */
  readonly superseded: number;
  /** Rejected rows of other imports that are open again. */
  readonly reopened: number;
  /** Open rejected rows of this import that were taken off the list. */
  readonly withdrawn: number;
  /** Earlier activities or shipments that count again in place of the reversed ones. */
  readonly restored: number;
  /** The imports that corrected rows of this one, with the numbers of those rows. */
  readonly corrections: readonly { readonly importId: string; readonly rows: readonly number[] }[];
}

export async function reverseRows(deps: Stores, request: ReversalRequest): Promise<ReversalOutcome> {
  const reversible = await loadReversibleImport(deps, request);
  const units = await reversalUnitsOf(deps, reversible, request.selection);
  const corrections = request.includeCorrections ? await correctionsOf(deps, reversible, units, request) : [];
  for (const { reversible: other, units: own } of corrections)
    await expectNoRunningCorrection(deps, other, own.rows, await loadCorrections(deps.eventStore, other.importId));
  const result = await reverseUnits(deps, reversible, units, request);
  return request.includeCorrections ? reverseCorrections(deps, reversible, result, units, request) : result.outcome;
}

/** The projections whose tables a reversal changes, and the oldest shape of each table that a reversal can work with. */
const minShapes = { reversals: 1, rejections: 1, activities: 1, versions: 1, shipments: 2 };

/** Throws a conflict for an import that has not completed. Waits until the tables have all of its rows. */
async function loadReversibleImport({ pool, eventStore }: Stores, scope: ImportScope): Promise<ReversibleImport> {
  const { importId, state, position } = await loadVisibleImport(eventStore, scope);
  if (state.status === "failed" || state.status === "cancelled")
    throw new Rejection("conflict", `The import is ${state.status}: it has written nothing that could be reversed`);
  if (state.status !== "completed")
    throw new Rejection("conflict", `The import is ${state.status}: its rows can be reversed once it has completed. To stop it, cancel it`);
  const { request } = state;
  const writtenCount = await waitUntilProjected(
    async () => ((await areLedgersReady(minShapes, pool)) ? countWritten(importId, pool) : undefined),
    "The ledgers do not have all of the import yet, try again shortly",
  );
  return { importId, organisationId: request.organisationId, kind: request.kind, position, writtenCount };
}

/**
 * Throws a conflict if a queued import is to correct one of the rows, since it would correct rows that are gone. Corrections that have
 * claimed rows and are not in the queue have ended. Returns the latest time at which one of them, or the import itself, ended.
 */
async function expectNoRunningCorrection(
  deps: Stores,
  { organisationId, importId }: ReversibleImport,
  rows: readonly number[] | undefined,
  { state }: LoadedCorrections,
): Promise<Date> {
  const queued = await queuedCorrections(organisationId, importId, deps);
  const chosenRows = rows && new Set(rows);
  const underWay = [...queued].filter(([row]) => !chosenRows || chosenRows.has(row));
  const [first] = underWay;
  if (!first)
    return waitUntilProjected(() => lastEnd([importId, ...state.claims.keys()], deps.pool), "The ledgers are behind, try again shortly");
  const label = underWay.length === 1 ? `row ${first[0]}` : `${underWay.length} rows`;
  throw new Rejection("conflict", `Import ${first[1]} is about to correct ${label} of this import: wait until it has ended, or cancel it`);
}

type ReversalInput = Pick<ReversalRequest, "reason" | "preview" | "includeCorrections" | "by" | "requestId" | "now"> & {
  readonly includedIn?: RowsReversed["includedIn"];
  /** What the same request has already reversed. */
  readonly earlierTargets?: readonly ReversalTarget[];
};

const targetOf = ({ organisationId, importId, position }: ReversibleImport, { rows, shipmentIds }: ReversalUnits): ReversalTarget => ({
  organisationId,
  importId,
  position,
  rows,
  shipmentIds,
});

interface ReversalResult {
  readonly outcome: ReversalOutcome;
  /** This reversal's id, or the last earlier one's if nothing was left to reverse. */
  readonly reversalId: string | undefined;
}

const maxReversalConflictMs = 10_000;
const maxShownWaitMs = 500;

/** Starts again if somebody claims or reverses rows of the import after the check of its corrections and before the decision. */
async function reverseUnits(deps: Stores, reversible: ReversibleImport, units: ReversalUnits, input: ReversalInput) {
  const result = await retryConflicts(() => tryToReverse(deps, reversible, units, input), maxReversalConflictMs);
  const { reversalId } = result.outcome;
  // Waits briefly, so that the caller's next read shows the reversal. It is no error if the projector is busy or the database does not
  // answer.
  if (reversalId) await lookUntilFound(maxShownWaitMs, () => isShownReversed(reversalId, deps.pool)).catch(() => undefined);
  return result;
}

async function tryToReverse(deps: Stores, reversible: ReversibleImport, units: ReversalUnits, input: ReversalInput) {
  const { importId, organisationId, kind, writtenCount } = reversible;
  const { reason, by, includedIn } = input;
  const claims = await loadCorrections(deps.eventStore, importId);
  const notBefore = await expectNoRunningCorrection(deps, reversible, units.rows, claims);
  const consequences = await consequencesOf(targetOf(reversible, units), input.earlierTargets ?? [], deps.pool);
  const corrections = await correctingRows(importId, units.rows, deps.pool);
  const opensRows = input.includeCorrections && corrections.length > 0;
  const { state: stateBefore } = await loadState(deps.eventStore, reversalsAggregate, importId);
  const extent: ReverseRows["extent"] = units.list
    ? { all: false, kind, units: units.list }
    : { all: true, writtenCount, withdrawsRows: consequences.open > 0 || opensRows };
  const reversalId = v7();
  const times = { now: await input.now(), notBefore };
  const [event] = decide(
    { type: "reverseRows", importId, reversalId, extent, reason, by, ...times, ...(includedIn && { includedIn }) },
    stateBefore,
  );
  if (event && !input.preview)
    await decideReversal(deps.eventStore, { ...event.data, organisationId, correlationId: input.requestId ?? importId }, claims);
  const reversed = event?.data.count ?? 0;
  const { superseded, restored, reopened, open } = event ? consequences : { superseded: 0, restored: 0, reopened: 0, open: 0 };
  const outcome = {
    reversalId: event && !input.preview ? reversalId : null,
    importId,
    reversed,
    alreadyReversed: units.list ? units.list.length - reversed : stateBefore.reversedCount,
    superseded,
    reopened,
    withdrawn: open,
    restored,
    corrections: corrections.map((each) => ({ importId: each.importId, rows: each.rows })),
  };
  return { outcome, reversalId: event ? reversalId : stateBefore.lastReversal?.reversalId };
}

interface ChosenCorrection {
  readonly reversible: ReversibleImport;
  readonly units: ReversalUnits;
  /** Which rows of the request's import this correction corrects. */
  readonly rows: readonly number[];
}

/** The rows of other imports that correct the chosen rows. */
async function correctionsOf(
  deps: Stores,
  { importId, organisationId }: ReversibleImport,
  { rows: chosenRows }: ReversalUnits,
  { kind }: ReversalRequest,
): Promise<ChosenCorrection[]> {
  const corrections: ChosenCorrection[] = [];
  for (const { importId: correctionId, ownRows, rows } of await correctingRows(importId, chosenRows, deps.pool)) {
    const reversible = await loadReversibleImport(deps, { organisationId, importId: correctionId, kind });
    const units = reversible.kind === "activities" ? activityUnits(ownRows) : await shipmentUnitsWithRows(deps, reversible, ownRows);
    corrections.push({ reversible, units, rows });
  }
  return corrections;
}

/** Reverses the corrections of the chosen rows, each on its own stream. The answer names them, and counts the rows that they reopen. */
async function reverseCorrections(
  deps: Stores,
  reversible: ReversibleImport,
  { outcome, reversalId }: ReversalResult,
  units: ReversalUnits,
  request: ReversalRequest,
): Promise<ReversalOutcome> {
  let reopened = outcome.reopened;
  const earlierTargets = [targetOf(reversible, units)];
  const corrections: ReversalOutcome["corrections"][number][] = [];
  for (const correction of await correctionsOf(deps, reversible, units, request)) {
    const input = { ...request, earlierTargets, ...(reversalId && { includedIn: { importId: reversible.importId, reversalId } }) };
    reopened += (await reverseUnits(deps, correction.reversible, correction.units, input)).outcome.reopened;
    earlierTargets.push(targetOf(correction.reversible, correction.units));
    corrections.push({ importId: correction.reversible.importId, rows: correction.rows });
  }
  return { ...outcome, reopened, corrections };
}
