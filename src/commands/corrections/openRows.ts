// Which rows of an import can be corrected. A rejected row is open if it is neither claimed by a correction, nor dismissed, superseded or
// withdrawn with its import. An accepted activity must not be reversed, and no correction may have taken its place or be about to.

import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { RefusedRow } from "../../events/correctionEvents.js";
import { isAccepted } from "../../events/importLayout.js";
import type { Stores } from "../../ports/database.js";
import type { EventStore } from "../../ports/eventStore.js";
import { rejectedRowsAfter, supersededRows } from "../../queries/lookUps/rejectedRows.js";
import { firstRequest } from "../imports/importStream.js";
import { queuedImports } from "../imports/queue/places.js";
import { firstSentences, type ImportToCorrect } from "./correctableRows.js";
import { type CorrectionsState, claimOrDismissalOf } from "./correctionsDecider.js";
import { type LastRow, lastRowsOf, loadCorrections, refusedRows } from "./correctionsStream.js";

/** A row that is closed, which means not open, and what has become of it. */
export interface ClosedRow {
  readonly row: number;
  readonly state: "submitted" | "corrected" | "dismissed" | "superseded" | "withdrawn";
  /** The import that corrects it, or that has written its shipment since. */
  readonly importId?: string | undefined;
  /** Who dismissed it. */
  readonly by?: Principal | undefined;
  readonly sentence: string;
}

/** Some of the rows are closed: says which, and why. */
export class RowsClosed extends Rejection {
  constructor(readonly rows: readonly ClosedRow[]) {
    super("conflict", firstSentences(rows.map(({ sentence }) => sentence)));
  }
}

/**
 * Refuses rows that the streams do not show as open now. If two corrections of one row pass this check at the same moment, the importer's
 * claim refuses the second. `accepted`: those of the rows that are accepted activities.
 */
export async function expectOpen(
  deps: Stores,
  found: ImportToCorrect,
  rows: readonly number[],
  accepted: readonly number[] = [],
): Promise<void> {
  const closedOf = await closedRows(deps, found, { of: rows, accepted });
  const closed = await closedOf(rows);
  if (closed.length > 0) throw new RowsClosed(closed);
}

/** Why this accepted activity cannot be corrected now; undefined where it can. */
export async function whyNotCorrectable(deps: Stores, found: ImportToCorrect, row: number): Promise<ClosedRow | undefined> {
  const closedOf = await closedRows(deps, found, { of: [row], accepted: [row] });
  return (await closedOf([row]))[0];
}

/** Reads the streams once, and then answers for any of the import's rows. `of`: all rows that the caller will ask about, if it knows them. */
async function closedRows(
  deps: Stores,
  { request, position }: ImportToCorrect,
  { of, accepted = [] }: { readonly of?: readonly number[]; readonly accepted?: readonly number[] } = {},
): Promise<(rows: readonly number[]) => Promise<ClosedRow[]>> {
  const { pool, eventStore } = deps;
  const { organisationId, importId, kind } = request;
  const { state } = await loadCorrections(eventStore, importId);
  const holders = await lastRowsOf(eventStore, state, of ?? [...state.rows.keys()]);
  const released = new Set([...state.rows.keys()].filter((row) => !holders.has(row)));
  const refused = await refusedRows(eventStore, request);
  const queued = await queuedCorrections(organisationId, importId, deps);
  const uncorrectable = new Map<number, Omit<ClosedRow, "row"> | undefined>();
  for (const row of accepted)
    uncorrectable.set(row, await closedActivity(eventStore, row, { state, holder: holders.get(row), waiting: queued.get(row) }));
  const closed = (row: number, later: string | undefined): Omit<ClosedRow, "row"> | undefined => {
    if (uncorrectable.has(row)) return uncorrectable.get(row);
    const decision = claimOrDismissalOf(row, state, released);
    const [own, waiting] = [refused.get(row), queued.get(row)];
    if (decision?.why === "claimed")
      return { state: "submitted", importId: decision.importId, sentence: `Row ${row} is corrected by import ${decision.importId}` };
    if (decision) return { state: "dismissed", by: decision.by, sentence: `Row ${row} is dismissed` };
    if (own)
      return {
        state: stateOf[own.why],
        importId: own.importId,
        sentence: `Row ${row} repeats row ${own.row} of import ${request.corrects?.importId}, which ${refusalText(own)}`,
      };
    if (waiting !== undefined)
      return { state: "submitted", importId: waiting, sentence: `Row ${row} is submitted: import ${waiting} is to correct it` };
    if (later !== undefined)
      return {
        state: "superseded",
        importId: later,
        sentence: `Row ${row} is superseded: ${later === importId ? `a later element of import ${later} has written its shipment` : `import ${later} has written its shipment since`}`,
      };
    return state.reversed.all === undefined
      ? undefined
      : { state: "withdrawn", sentence: `Row ${row} is withdrawn: its import is reversed` };
  };
  return async (rows) => {
    const superseded = kind === "shipments" ? await supersededRows(organisationId, position, rows, pool) : new Map<number, string>();
    return rows.flatMap((row) => {
      const why = closed(row, superseded.get(row));
      return why ? [{ row, ...why }] : [];
    });
  };
}

/** Why an accepted activity cannot be corrected; undefined where it can. `waiting`: the import in the queue that is to correct it. */
async function closedActivity(
  eventStore: EventStore,
  row: number,
  { state, holder, waiting }: { state: CorrectionsState; holder: LastRow | undefined; waiting: string | undefined },
): Promise<Omit<ClosedRow, "row"> | undefined> {
  if (state.reversed.since(row) !== undefined) return { state: "withdrawn", sentence: `Row ${row} is reversed` };
  const underWay = holder?.as === "underWay" ? holder.importId : waiting;
  if (underWay !== undefined)
    return {
      state: "submitted",
      importId: underWay,
      sentence: `Row ${row} is being corrected by import ${underWay}: wait until it has ended, or cancel it`,
    };
  if (!holder) return undefined;
  const by = `row ${holder.row} of import ${holder.importId}`;
  const sentence = (await isAccepted(eventStore, holder.importId, holder.row))
    ? `Row ${row} is replaced by ${by}: correct that row`
    : `Row ${row} is corrected by ${by}, which was rejected: correct or dismiss that row`;
  return { state: "corrected", importId: holder.importId, sentence };
}

const stateOf = {
  claimed: "submitted",
  dismissed: "dismissed",
  superseded: "superseded",
  reversed: "withdrawn",
  withdrawn: "withdrawn",
} as const satisfies Record<RefusedRow["why"], ClosedRow["state"]>;

const refusalText = ({ why, importId }: RefusedRow): string =>
  ({
    claimed: `import ${importId} has corrected`,
    dismissed: "is dismissed",
    superseded: `import ${importId} has superseded`,
    reversed: "is reversed",
    withdrawn: "is reversed with its import",
  })[why];

const mostQueued = 1_000;
const atOnce = 20;

/** By row: the import in the organisation's queue that is to correct it. The table of states may not have it yet. */
export async function queuedCorrections(
  organisationId: string,
  importId: string,
  { pool, eventStore }: Stores,
): Promise<Map<number, string>> {
  const importIds = await queuedImports(organisationId, mostQueued, pool);
  const queued = new Map<number, string>();
  for (let from = 0; from < importIds.length; from += atOnce) {
    const some = importIds.slice(from, from + atOnce);
    for (const request of await Promise.all(some.map((each) => firstRequest(eventStore, each)))) {
      if (request?.corrects?.importId !== importId) continue;
      for (const row of request.corrects.rows) if (!queued.has(row)) queued.set(row, request.importId);
    }
  }
  return queued;
}

const rowsAtOnce = 5_000;

/** Every rejected row of an import with what has become of it, null where it is open, in row order and some thousands at a time. */
export async function* rejectedRowStates(deps: Stores, found: ImportToCorrect) {
  const closedOf = await closedRows(deps, found);
  for (let after = 0; ; ) {
    const rows = await rejectedRowsAfter(found.position, after, rowsAtOnce, deps.pool);
    const last = rows.at(-1);
    if (!last) return;
    after = last.row;
    const closed = await closedOf(rows.map(({ row }) => row));
    const states = new Map(closed.map(({ row, state }) => [row, state]));
    yield rows.map((each) => ({ ...each, state: states.get(each.row) ?? null }));
  }
}
