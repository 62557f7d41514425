// Which rows of an import can be corrected. A rejected row is open if it is neither claimed by a correction nor dismissed, superseded or
// withdrawn with its import. An accepted activity can be corrected if it is not reversed and no correction has replaced it or is about to.
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { RefusedRow } from "../../events/correctionEvents.js";
import { isRowAccepted } from "../../events/importLayout.js";
import type { Stores } from "../../ports/database.js";
import type { EventStore } from "../../ports/eventStore.js";
import { rejectedRowsAfter, supersededRows } from "../../queries/lookUps/rejectedRows.js";
import { readImportRequest } from "../imports/importStream.js";
import { queuedImports } from "../imports/queue/places.js";
import { firstSentences, type ImportToCorrect } from "./correctableRows.js";
import { type CorrectionsState, claimOrDismissalOf } from "./correctionsDecider.js";
import { type LastRow, lastRowsOf, loadCorrections, refusedRows } from "./correctionsStream.js";

/** A row that cannot be corrected, and why. */
export interface ClosedRow {
  readonly row: number;
  readonly state: "submitted" | "corrected" | "dismissed" | "superseded" | "withdrawn";
  /** The import that corrects the row, or the import with the later version of its shipment. */
  readonly importId?: string | undefined;
  /** Who dismissed it. */
  readonly by?: Principal | undefined;
  readonly sentence: string;
}

/** Some of the rows cannot be corrected. The message says which, and why. */
export class RowsClosed extends Rejection {
  constructor(readonly rows: readonly ClosedRow[]) {
    super("conflict", firstSentences(rows.map(({ sentence }) => sentence)));
  }
}

/**
 * Throws RowsClosed unless the streams show every row as open. If two corrections of one row pass this check at the same moment, the row is
 * refused to the second one when a worker claims its rows. `accepted`: those of the rows that are accepted activities.
 */
export async function expectOpen(
  deps: Stores,
  original: ImportToCorrect,
  rows: readonly number[],
  accepted: readonly number[] = [],
): Promise<void> {
  const findClosed = await loadClosedRows(deps, original, { knownRows: rows, accepted });
  const closedRows = await findClosed(rows);
  if (closedRows.length > 0) throw new RowsClosed(closedRows);
}

/** Why this accepted activity cannot be corrected now; undefined if it can. */
export async function whyNotCorrectable(deps: Stores, original: ImportToCorrect, row: number): Promise<ClosedRow | undefined> {
  const findClosed = await loadClosedRows(deps, original, { knownRows: [row], accepted: [row] });
  return (await findClosed([row]))[0];
}

/** Reads the streams now. The returned function finds closed rows among any rows of the import, or only among `knownRows` if given. */
async function loadClosedRows(
  deps: Stores,
  { request, position }: ImportToCorrect,
  { knownRows, accepted = [] }: { readonly knownRows?: readonly number[]; readonly accepted?: readonly number[] } = {},
): Promise<(rows: readonly number[]) => Promise<ClosedRow[]>> {
  const { pool, eventStore } = deps;
  const { organisationId, importId, kind } = request;
  const { state } = await loadCorrections(eventStore, importId);
  const lastRows = await lastRowsOf(eventStore, state, knownRows ?? [...state.rows.keys()]);
  const released = new Set([...state.rows.keys()].filter((row) => !lastRows.has(row)));
  const refusals = await refusedRows(eventStore, request);
  const queued = await queuedCorrections(organisationId, importId, deps);
  const activityStates = new Map<number, Omit<ClosedRow, "row"> | undefined>();
  for (const row of accepted)
    activityStates.set(row, await closedActivity(eventStore, row, { state, lastRow: lastRows.get(row), queuedImport: queued.get(row) }));
  const whyClosed = (row: number, supersededBy: string | undefined): Omit<ClosedRow, "row"> | undefined => {
    if (activityStates.has(row)) return activityStates.get(row);
    const decision = claimOrDismissalOf(row, state, released);
    const [ownRefusal, queuedImport] = [refusals.get(row), queued.get(row)];
    if (decision?.why === "claimed")
      return { state: "submitted", importId: decision.importId, sentence: `Row ${row} is corrected by import ${decision.importId}` };
    if (decision) return { state: "dismissed", by: decision.by, sentence: `Row ${row} is dismissed` };
    if (ownRefusal)
      return {
        state: closedStateOf[ownRefusal.why],
        importId: ownRefusal.importId,
        sentence: `Row ${row} repeats row ${ownRefusal.row} of import ${request.corrects?.importId}, which ${refusalText(ownRefusal)}`,
      };
    if (queuedImport !== undefined)
      return { state: "submitted", importId: queuedImport, sentence: `Row ${row} is submitted: import ${queuedImport} is to correct it` };
    if (supersededBy !== undefined)
      return {
        state: "superseded",
        importId: supersededBy,
        sentence: `Row ${row} is superseded: ${supersededBy === importId ? `a later element of import ${supersededBy} wrote its shipment` : `the later import ${supersededBy} wrote its shipment`}`,
      };
    return state.reversed.wholePosition === undefined
      ? undefined
      : { state: "withdrawn", sentence: `Row ${row} is withdrawn: its import is reversed` };
  };
  return async (rows) => {
    const superseded = kind === "shipments" ? await supersededRows(organisationId, position, rows, pool) : new Map<number, string>();
    return rows.flatMap((row) => {
      const why = whyClosed(row, superseded.get(row));
      return why ? [{ row, ...why }] : [];
    });
  };
}

/** Why an accepted activity cannot be corrected; undefined if it can. `queuedImport`: the import in the queue that is to correct it. */
async function closedActivity(
  eventStore: EventStore,
  row: number,
  { state, lastRow, queuedImport }: { state: CorrectionsState; lastRow: LastRow | undefined; queuedImport: string | undefined },
): Promise<Omit<ClosedRow, "row"> | undefined> {
  if (state.reversed.positionOf(row) !== undefined) return { state: "withdrawn", sentence: `Row ${row} is reversed` };
  const underWay = lastRow?.status === "underWay" ? lastRow.importId : queuedImport;
  if (underWay !== undefined)
    return {
      state: "submitted",
      importId: underWay,
      sentence: `Row ${row} is being corrected by import ${underWay}: wait until it has ended, or cancel it`,
    };
  if (!lastRow) return undefined;
  const by = `row ${lastRow.row} of import ${lastRow.importId}`;
  const sentence = (await isRowAccepted(eventStore, lastRow.importId, lastRow.row))
    ? `Row ${row} is replaced by ${by}: correct that row`
    : `Row ${row} is corrected by ${by}, which was rejected: correct or dismiss that row`;
  return { state: "corrected", importId: lastRow.importId, sentence };
}

const closedStateOf = {
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

const maxQueuedRead = 1_000;
const maxConcurrentLoads = 20;

/** By row: the queued import that is to correct it. Read from the queue, since the projected table of row states may be behind. */
export async function queuedCorrections(
  organisationId: string,
  importId: string,
  { pool, eventStore }: Stores,
): Promise<Map<number, string>> {
  const importIds = await queuedImports(organisationId, maxQueuedRead, pool);
  const queued = new Map<number, string>();
  for (let from = 0; from < importIds.length; from += maxConcurrentLoads) {
    const page = importIds.slice(from, from + maxConcurrentLoads);
    for (const request of await Promise.all(page.map((each) => readImportRequest(eventStore, each)))) {
      if (request?.corrects?.importId !== importId) continue;
      for (const row of request.corrects.rows) if (!queued.has(row)) queued.set(row, request.importId);
    }
  }
  return queued;
}

const rowsPerPage = 5_000;

/** Every rejected row of an import with its state, null for an open row. Yields pages of `rowsPerPage`, in row order. */
export async function* rejectedRowStates(deps: Stores, original: ImportToCorrect) {
  const findClosed = await loadClosedRows(deps, original);
  for (let afterRow = 0; ; ) {
    const rows = await rejectedRowsAfter(original.position, afterRow, rowsPerPage, deps.pool);
    const last = rows.at(-1);
    if (!last) return;
    afterRow = last.row;
    const closed = await findClosed(rows.map(({ row }) => row));
    const states = new Map(closed.map(({ row, state }) => [row, state]));
    yield rows.map((each) => ({ ...each, state: states.get(each.row) ?? null }));
  }
}
