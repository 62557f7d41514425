// Takes accepted rows of a completed import back: all of them, or some activities or shipments. The stream `reversals-<importId>` says what was
// reversed before, and `corrections-<importId>` whether somebody has claimed rows meanwhile. What else changes is read from the tables for the
// answer alone: the projections derive it from the event log.

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
  readonly what: ReversalSelection;
  readonly reason: string;
  readonly includeCorrections: boolean;
  /** Nothing is recorded. */
  readonly preview: boolean;
  readonly by: Principal;
  readonly requestId?: string | undefined;
  /** By the database's clock. Asked when a reversal is decided, so once for each import that is reversed. */
  now(): Date | Promise<Date>;
}

/** All figures count activities or shipments, except those of rejected rows, which count rows. */
export interface ReversalOutcome {
  /** Null in a preview, and where nothing was left to reverse. */
  readonly reversalId: string | null;
  readonly importId: string;
  readonly reversed: number;
  readonly alreadyReversed: number;
  readonly superseded: number;
  /** Rejected rows of other imports that are open again. */
  readonly reopened: number;
  /** Open rejected rows of this import that were taken off the list. */
  readonly withdrawn: number;
  /** What shows or counts again in place of what was reversed. */
  readonly restored: number;
  /** The imports that corrected rows of this one, with the numbers of those rows. */
  readonly corrections: readonly { readonly importId: string; readonly rows: readonly number[] }[];
}

export async function reverseRows(deps: Stores, request: ReversalRequest): Promise<ReversalOutcome> {
  const found = await completedImport(deps, request);
  const chosen = await reversalUnitsOf(deps, found, request.what);
  for (const { found: other, chosen: own } of request.includeCorrections ? await correctionsOf(deps, found, chosen, request) : [])
    await expectNoneUnderWay(deps, other, own.rows, await loadCorrections(deps.eventStore, other.importId));
  const result = await reverseChosen(deps, found, chosen, request);
  return request.includeCorrections ? withCorrections(deps, found, result, chosen, request) : result.outcome;
}

/** The projections whose tables a reversal changes, and the least shape of each that it can work with. */
const shapes = { reversals: 1, rejections: 1, activities: 1, versions: 1, shipments: 2 };

/** The import has completed, and the tables know it. */
async function completedImport({ pool, eventStore }: Stores, scope: ImportScope): Promise<ReversibleImport> {
  const { importId, state, position } = await loadVisibleImport(eventStore, scope);
  if (state.status === "failed" || state.status === "cancelled")
    throw new Rejection("conflict", `The import is ${state.status}: it has written nothing that could be reversed`);
  if (state.status !== "completed")
    throw new Rejection("conflict", `The import is ${state.status}: its rows can be reversed once it has completed. To stop it, cancel it`);
  const { request } = state;
  const written = await waitUntilProjected(
    async () => ((await areLedgersReady(shapes, pool)) ? countWritten(importId, pool) : undefined),
    "The ledgers do not have all of the import yet, try again shortly",
  );
  return { importId, organisationId: request.organisationId, kind: request.kind, position, written };
}

/**
 * A correction under way would meet rows that are gone, or leave rows behind that nobody sees. Corrections that have claimed rows and are not
 * in the queue have ended. The answer names them, so the tables have to know it. Returns when the last of them, or the import itself, ended.
 */
async function expectNoneUnderWay(
  deps: Stores,
  { organisationId, importId }: ReversibleImport,
  rows: readonly number[] | undefined,
  { state }: LoadedCorrections,
): Promise<Date> {
  const queued = await queuedCorrections(organisationId, importId, deps);
  const chosen = rows && new Set(rows);
  const underWay = [...queued].filter(([row]) => !chosen || chosen.has(row));
  const [first] = underWay;
  if (!first)
    return waitUntilProjected(() => lastEnd([importId, ...state.claims.keys()], deps.pool), "The ledgers are behind, try again shortly");
  const of = underWay.length === 1 ? `row ${first[0]}` : `${underWay.length} rows`;
  throw new Rejection("conflict", `Import ${first[1]} is about to correct ${of} of this import: wait until it has ended, or cancel it`);
}

type ReversalInput = Pick<ReversalRequest, "reason" | "preview" | "includeCorrections" | "by" | "requestId" | "now"> & {
  readonly includedIn?: RowsReversed["includedIn"];
  /** What the same call reverses before this. */
  readonly before?: readonly ReversalTarget[];
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
  /** The reversal that took the rows back, or the one that had done so before. */
  readonly reversalId: string | undefined;
}

const withoutConflictMs = 10_000;
const shownMs = 500;

/** If somebody claims or reverses rows of the import between the look at its corrections and the decision, it starts again. */
async function reverseChosen(deps: Stores, found: ReversibleImport, chosen: ReversalUnits, input: ReversalInput): Promise<ReversalResult> {
  const result = await retryConflicts(() => tryToReverse(deps, found, chosen, input), withoutConflictMs);
  const { reversalId } = result.outcome;
  // The caller's next look at the import then shows the reversal. If the projector is busy, or the database does not answer, nobody waits for it.
  if (reversalId) await lookUntilFound(shownMs, () => isShownReversed(reversalId, deps.pool)).catch(() => undefined);
  return result;
}

async function tryToReverse(deps: Stores, found: ReversibleImport, chosen: ReversalUnits, input: ReversalInput): Promise<ReversalResult> {
  const { importId, organisationId, kind, written } = found;
  const { reason, by, includedIn } = input;
  const claims = await loadCorrections(deps.eventStore, importId);
  const notBefore = await expectNoneUnderWay(deps, found, chosen.rows, claims);
  const consequences = await consequencesOf(targetOf(found, chosen), input.before ?? [], deps.pool);
  const corrections = await correctingRows(importId, chosen.rows, deps.pool);
  const opensRows = input.includeCorrections && corrections.length > 0;
  const { state: before } = await loadState(deps.eventStore, reversalsAggregate, importId);
  const what: ReverseRows["what"] = chosen.units
    ? { all: false, of: kind, units: chosen.units }
    : { all: true, written, withdraws: consequences.open > 0 || opensRows };
  const reversalId = v7();
  const times = { now: await input.now(), notBefore };
  const [event] = decide(
    { type: "reverseRows", importId, reversalId, what, reason, by, ...times, ...(includedIn && { includedIn }) },
    before,
  );
  if (event && !input.preview)
    await decideReversal(deps.eventStore, { ...event.data, organisationId, correlationId: input.requestId ?? importId }, claims);
  const reversed = event?.data.count ?? 0;
  const { superseded, restored, reopened, open } = event ? consequences : { superseded: 0, restored: 0, reopened: 0, open: 0 };
  const outcome = {
    reversalId: event && !input.preview ? reversalId : null,
    importId,
    reversed,
    alreadyReversed: chosen.units ? chosen.units.length - reversed : before.count,
    superseded,
    reopened,
    withdrawn: open,
    restored,
    corrections: corrections.map((each) => ({ importId: each.importId, rows: each.rows })),
  };
  return { outcome, reversalId: event ? reversalId : before.last?.reversalId };
}

interface ChosenCorrection {
  readonly found: ReversibleImport;
  readonly chosen: ReversalUnits;
  /** The rows of the import named in the request that it corrects. */
  readonly rows: readonly number[];
}

/** The rows of other imports that correct what was chosen. */
async function correctionsOf(
  deps: Stores,
  { importId, organisationId }: ReversibleImport,
  { rows: chosenRows }: ReversalUnits,
  { kind }: ReversalRequest,
): Promise<ChosenCorrection[]> {
  const corrections: ChosenCorrection[] = [];
  for (const { importId: correctionId, ownRows, rows } of await correctingRows(importId, chosenRows, deps.pool)) {
    const found = await completedImport(deps, { organisationId, importId: correctionId, kind });
    const chosen = found.kind === "activities" ? activityUnits(ownRows) : await shipmentUnitsWithRows(deps, found, ownRows);
    corrections.push({ found, chosen, rows });
  }
  return corrections;
}

/** Each correction has its own stream, and what is reversed already stays as it is. The answer names those that are reversed. */
async function withCorrections(
  deps: Stores,
  found: ReversibleImport,
  { outcome, reversalId }: ReversalResult,
  first: ReversalUnits,
  request: ReversalRequest,
): Promise<ReversalOutcome> {
  let reopened = outcome.reopened;
  const before = [targetOf(found, first)];
  const corrections: ReversalOutcome["corrections"][number][] = [];
  for (const correction of await correctionsOf(deps, found, first, request)) {
    const input = { ...request, before, ...(reversalId && { includedIn: { importId: found.importId, reversalId } }) };
    reopened += (await reverseChosen(deps, correction.found, correction.chosen, input)).outcome.reopened;
    before.push(targetOf(correction.found, correction.chosen));
    corrections.push({ importId: correction.found.importId, rows: correction.rows });
  }
  return { ...outcome, reopened, corrections };
}
