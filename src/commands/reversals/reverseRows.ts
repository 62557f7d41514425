// Takes accepted rows of a completed import back: all of them, or some activities or shipments. `reversals-<importId>` decides what was
// reversed already. What else follows is looked up in the tables for the answer; the projections work it out from the log.
import { setTimeout } from "node:timers/promises";
import type { Pool } from "pg";
import { v7 } from "uuid";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { ImportKind } from "../../events/importEvents.js";
import type { RowsReversed } from "../../events/reversalEvents.js";
import { StoreUnavailable } from "../../portErrors.js";
import {
  areLedgersReady,
  areShownEnded,
  consequencesOf,
  correctingRows,
  isShownReversed,
  type Meant,
  writtenImport,
} from "../../queries/lookUps/reversals.js";
import { loadCorrections } from "../corrections/correctionsStream.js";
import { queuedCorrections } from "../corrections/openRows.js";
import { handle, load } from "../handle.js";
import { expectVisible, loadImport } from "../imports/importStream.js";
import {
  activitiesOf,
  type Chosen,
  chosenOf,
  type ReversalDeps,
  type ReversibleImport,
  type Selection,
  shipmentsWithRows,
} from "./chosenRows.js";
import { decide, type ReverseRows, reversalsAggregate } from "./reversalsDecider.js";

export interface ReversalRequest {
  /** Undefined for the command line, which may reverse any organisation's import. */
  readonly organisationId: string | undefined;
  readonly importId: string;
  readonly kind?: ImportKind | undefined;
  readonly what: Selection;
  readonly reason: string;
  readonly includeCorrections: boolean;
  /** Nothing is recorded. */
  readonly preview: boolean;
  readonly by: Principal;
  readonly requestId?: string | undefined;
  readonly now: Date;
}

/** Activities, or shipments, and for the rejected ones rows. */
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

export async function reverseRows(deps: ReversalDeps, request: ReversalRequest): Promise<ReversalOutcome> {
  const found = await completedImport(deps, request);
  const chosen = await chosenOf(deps, found, request.what);
  await expectNoneUnderWay(deps, found, chosen.rows);
  const made = await reverseChosen(deps, found, chosen, request);
  return request.includeCorrections ? withCorrections(deps, found, made, chosen, request) : made.outcome;
}

/** Tables that a reversal changes, and the least shape that has what it needs. */
const shapes = { reversals: 1, rejections: 1, activities: 1, versions: 1, shipments: 2 };
const projectedMs = 5_000;
const lookMs = 50;

/** The import has completed, and the tables know it. They may be a moment behind the stream. */
async function completedImport(
  { pool, eventStore }: ReversalDeps,
  { organisationId, importId, kind }: ReversalRequest,
): Promise<ReversibleImport> {
  const { state: loaded, position = 0n } = await loadImport(eventStore, importId);
  const state = expectVisible(loaded, { organisationId, kind });
  if (state.status === "failed" || state.status === "cancelled")
    throw new Rejection("conflict", `The import is ${state.status}: it has written nothing that could be reversed.`);
  if (state.status !== "completed")
    throw new Rejection(
      "conflict",
      `The import is ${state.status}: its rows can be reversed once it has completed. To stop it, cancel it.`,
    );
  const { request } = state;
  for (const deadline = performance.now() + projectedMs; performance.now() < deadline; await setTimeout(lookMs)) {
    const written = (await areLedgersReady(pool, shapes)) ? await writtenImport(pool, importId) : undefined;
    if (written) return { importId, organisationId: request.organisationId, kind: request.kind, position, ...written };
  }
  throw new StoreUnavailable("database", "The ledgers do not have all of the import yet, try again shortly");
}

/** A correction under way would meet rows that are gone, or leave rows behind that nobody sees. */
async function expectNoneUnderWay(
  deps: ReversalDeps,
  { organisationId, importId }: ReversibleImport,
  rows: readonly number[] | undefined,
): Promise<void> {
  const queued = await queuedCorrections(deps, organisationId, importId);
  const meant = rows && new Set(rows);
  const underWay = [...queued].filter(([row]) => !meant || meant.has(row));
  const [first] = underWay;
  if (!first) return expectShown(deps, importId);
  const of = underWay.length === 1 ? `row ${first[0]}` : `${underWay.length} rows`;
  throw new Rejection("conflict", `Import ${first[1]} is about to correct ${of} of this import: wait until it has ended, or cancel it.`);
}

/** Corrections that are not in the queue have ended. The answer names them, so the tables have to know it. */
async function expectShown({ pool, eventStore }: ReversalDeps, importId: string): Promise<void> {
  const claimants = [...(await loadCorrections(eventStore, importId)).claims.keys()];
  for (const deadline = performance.now() + projectedMs; !(await areShownEnded(pool, claimants)); await setTimeout(lookMs)) {
    if (performance.now() > deadline) throw new StoreUnavailable("database", "The ledgers are behind, try again shortly");
  }
}

type Making = Pick<ReversalRequest, "reason" | "preview" | "includeCorrections" | "by" | "requestId" | "now"> & {
  readonly includedIn?: RowsReversed["includedIn"];
  /** What the same call reverses before this. */
  readonly before?: readonly Meant[];
};

const meantBy = ({ organisationId, importId, position }: ReversibleImport, { rows, shipmentIds }: Chosen): Meant => ({
  ...{ organisationId, importId, position, rows, shipmentIds },
});

interface Made {
  readonly outcome: ReversalOutcome;
  /** The reversal that took the rows back, or the one that had done so before. */
  readonly reversalId: string | undefined;
}

async function reverseChosen(deps: ReversalDeps, found: ReversibleImport, chosen: Chosen, making: Making): Promise<Made> {
  const { importId, organisationId, kind, written } = found;
  const { reason, by, requestId, now, includedIn } = making;
  const consequences = await consequencesOf(deps.pool, meantBy(found, chosen), making.before ?? []);
  const corrections = await correctingRows(deps.pool, importId, chosen.rows);
  const opensRows = making.includeCorrections && corrections.length > 0;
  const reversalId = v7();
  const what: ReverseRows["what"] = chosen.units
    ? { all: false, of: kind, units: chosen.units }
    : { all: true, written, withdraws: consequences.open > 0 || opensRows };
  const command = { type: "reverseRows", importId, reversalId, what, reason, by, now, ...(includedIn && { includedIn }) } as const;
  const context = { organisation: organisationId, by, correlationId: requestId ?? importId };
  const { before, decided } = making.preview
    ? await load(deps.eventStore, reversalsAggregate, importId).then(({ state }) => ({ before: state, decided: decide(command, state) }))
    : await handle({ events: deps.eventStore, newId: v7 }, reversalsAggregate, importId, context, (state) => decide(command, state));
  const [event] = decided;
  if (event && !making.preview) await shownSoon(deps.pool, reversalId);
  const reversed = event?.data.count ?? 0;
  const { superseded, restored, reopened, open } = event ? consequences : { superseded: 0, restored: 0, reopened: 0, open: 0 };
  const outcome = {
    reversalId: event && !making.preview ? reversalId : null,
    importId,
    reversed,
    alreadyReversed: chosen.units ? chosen.units.length - reversed : before.count,
    superseded,
    reopened,
    withdrawn: open,
    restored,
    corrections: corrections.map((each) => ({ importId: each.importId, rows: each.rows })),
  };
  return { outcome, reversalId: event ? reversalId : before.last };
}

const shownMs = 500;

/** The caller's next look at the import then shows the reversal. If the projector is busy, the answer does not wait for it. */
async function shownSoon(pool: Pool, reversalId: string): Promise<void> {
  const end = performance.now() + shownMs;
  const isShown = () => isShownReversed(pool, reversalId).catch(() => true); // the reversal is recorded, whatever the database says
  while (performance.now() < end && !(await isShown())) await setTimeout(lookMs);
}

/** Reverses the rows of other imports that correct what was chosen. Each has its own stream, and what is reversed already stays as it is. */
async function withCorrections(
  deps: ReversalDeps,
  found: ReversibleImport,
  { outcome, reversalId }: Made,
  first: Chosen,
  request: ReversalRequest,
): Promise<ReversalOutcome> {
  const { pool } = deps;
  let reopened = outcome.reopened;
  const before = [meantBy(found, first)];
  for (const correcting of await correctingRows(pool, found.importId, first.rows)) {
    const correction = await completedImport(deps, { ...request, organisationId: found.organisationId, importId: correcting.importId });
    const chosen =
      correction.kind === "activities" ? activitiesOf(correcting.ownRows) : await shipmentsWithRows(deps, correction, correcting.ownRows);
    const making = { ...request, before, ...(reversalId && { includedIn: { importId: found.importId, reversalId } }) };
    reopened += (await reverseChosen(deps, correction, chosen, making)).outcome.reopened;
    before.push(meantBy(correction, chosen));
  }
  return { ...outcome, reopened };
}
