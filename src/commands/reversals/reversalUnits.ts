// Resolves which rows of an import a caller wants reversed: all, some activities by their rows, or some shipments by their ids.
import { Rejection } from "../../domain/rejection.js";
import type { ImportKind } from "../../events/importEvents.js";
import { firstRowRevision, readAcceptedRows } from "../../events/importLayout.js";
import type { Stores } from "../../ports/database.js";
import {
  acceptedActivities,
  type ReversalTarget,
  shipmentsWithLines,
  type WrittenShipment,
  writtenShipments,
} from "../../queries/lookUps/reversals.js";
import { firstSentences } from "../corrections/correctableRows.js";
import type { ReversalUnit } from "./reversalsDecider.js";

/** A completed import whose rows the projector has written to the tables. */
export interface ReversibleImport {
  readonly importId: string;
  readonly organisationId: string;
  readonly kind: ImportKind;
  /** Commit position of ImportRequested. */
  readonly position: bigint;
  /** How many activities or shipments the import wrote. */
  readonly writtenCount: number;
}

export type ReversalSelection = { readonly all: true } | { readonly rows: readonly number[] } | { readonly shipmentIds: readonly string[] };

/** What to reverse. Without `list` the whole import is reversed. */
export interface ReversalUnits extends Pick<ReversalTarget, "rows" | "shipmentIds"> {
  readonly list?: readonly ReversalUnit[];
}

export async function reversalUnitsOf(deps: Stores, reversible: ReversibleImport, selection: ReversalSelection): Promise<ReversalUnits> {
  const { organisationId, kind, position } = reversible;
  if ("all" in selection) return {};
  if ("rows" in selection) {
    if (kind !== "activities") throw new Rejection("invalid", "Shipments are reversed whole: name them by shipmentIds");
    const rows = await acceptedActivities(position, selection.rows, deps.pool);
    const acceptedRows = new Set(rows);
    rejectUnknown(
      [...new Set(selection.rows)].filter((row) => !acceptedRows.has(row)),
      (row) => `Row ${row} is not an accepted row of this import`,
    );
    return activityUnits(rows);
  }
  if (kind !== "shipments") throw new Rejection("invalid", "Activities are reversed by their rows");
  const shipmentIds = [...new Set(selection.shipmentIds)];
  const shipments = await writtenShipments(organisationId, position, shipmentIds, deps.pool);
  const writtenIds = new Set(shipments.map(({ shipmentId }) => shipmentId));
  rejectUnknown(
    shipmentIds.filter((id) => !writtenIds.has(id)),
    (id) => `Shipment ${id} was not written by this import`,
  );
  return shipmentUnits(deps, reversible, shipments);
}

function rejectUnknown<Name>(unknown: readonly Name[], sentence: (name: Name) => string): void {
  if (unknown.length > 0) throw new Rejection("unprocessable", firstSentences(unknown.map(sentence)));
}

export const activityUnits = (rows: readonly number[]): ReversalUnits => ({
  list: rows.map((row) => ({ number: row, rows: [row] })),
  rows,
});

const maxConcurrentReads = 20;

/** Reads the rows of the shipments' lines from the import's stream. */
async function shipmentUnits(
  { eventStore }: Stores,
  { importId }: ReversibleImport,
  shipments: readonly WrittenShipment[],
): Promise<ReversalUnits> {
  const units: ReversalUnit[] = [];
  const unitOf = async ({ shipment, revisions }: WrittenShipment): Promise<ReversalUnit> => {
    const lines = await readAcceptedRows(eventStore, importId, revisions);
    return { number: shipment, rows: lines.map(({ row }) => row) };
  };
  for (let from = 0; from < shipments.length; from += maxConcurrentReads)
    units.push(...(await Promise.all(shipments.slice(from, from + maxConcurrentReads).map(unitOf))));
  return { list: units, rows: units.flatMap(({ rows }) => rows), shipmentIds: shipments.map(({ shipmentId }) => shipmentId) };
}

/** The shipments of a correction that have one of these rows. A correction is a JSON push, so its rows are counted from 1. */
export async function shipmentUnitsWithRows(deps: Stores, reversible: ReversibleImport, rows: readonly number[]) {
  const revisions = rows.map((row) => Number(firstRowRevision) + row - 1);
  return shipmentUnits(deps, reversible, await shipmentsWithLines(reversible.position, revisions, deps.pool));
}
