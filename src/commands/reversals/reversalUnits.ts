// Which rows of an import are to be reversed: all, some activities by their rows, or some shipments by their ids.

import { Rejection } from "../../domain/rejection.js";
import type { ImportKind } from "../../events/importEvents.js";
import { acceptedRowsAt, firstRowRevision } from "../../events/importLayout.js";
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

/** A completed import that the tables know. */
export interface ReversibleImport {
  readonly importId: string;
  readonly organisationId: string;
  readonly kind: ImportKind;
  readonly position: bigint;
  /** The activities or shipments that it wrote. */
  readonly written: number;
}

export type ReversalSelection = { readonly all: true } | { readonly rows: readonly number[] } | { readonly shipmentIds: readonly string[] };

/** What is to be reversed. Without `units` it is the whole import. */
export interface ReversalUnits extends Pick<ReversalTarget, "rows" | "shipmentIds"> {
  readonly units?: readonly ReversalUnit[];
}

export async function reversalUnitsOf(deps: Stores, found: ReversibleImport, what: ReversalSelection): Promise<ReversalUnits> {
  if ("all" in what) return {};
  if ("rows" in what) {
    if (found.kind !== "activities") throw new Rejection("invalid", "Shipments are reversed whole: name them by shipmentIds");
    const rows = await acceptedActivities(found.position, what.rows, deps.pool);
    const known = new Set(rows);
    refuse(
      [...new Set(what.rows)].filter((row) => !known.has(row)),
      (row) => `Row ${row} is not an accepted row of this import`,
    );
    return activityUnits(rows);
  }
  if (found.kind !== "shipments") throw new Rejection("invalid", "Activities are reversed by their rows");
  const shipments = await writtenShipments(found.organisationId, found.position, [...new Set(what.shipmentIds)], deps.pool);
  const known = new Set(shipments.map(({ shipmentId }) => shipmentId));
  refuse(
    [...new Set(what.shipmentIds)].filter((id) => !known.has(id)),
    (id) => `Shipment ${id} was not written by this import`,
  );
  return shipmentsOf(deps, found, shipments);
}

function refuse<Name>(unknown: readonly Name[], sentence: (name: Name) => string): void {
  if (unknown.length > 0) throw new Rejection("unprocessable", firstSentences(unknown.map(sentence)));
}

export const activityUnits = (rows: readonly number[]): ReversalUnits => ({
  units: rows.map((row) => ({ number: row, rows: [row] })),
  rows,
});

const readsAtOnce = 20;

/** The rows of the shipments' lines are read from the import's stream. */
async function shipmentsOf(
  { eventStore }: Stores,
  { importId }: ReversibleImport,
  shipments: readonly WrittenShipment[],
): Promise<ReversalUnits> {
  const units: ReversalUnit[] = [];
  const unitOf = async ({ shipment, revisions }: WrittenShipment): Promise<ReversalUnit> => {
    const lines = await acceptedRowsAt(eventStore, importId, revisions);
    return { number: shipment, rows: lines.map(({ row }) => row) };
  };
  for (let from = 0; from < shipments.length; from += readsAtOnce)
    units.push(...(await Promise.all(shipments.slice(from, from + readsAtOnce).map(unitOf))));
  return { units, rows: units.flatMap(({ rows }) => rows), shipmentIds: shipments.map(({ shipmentId }) => shipmentId) };
}

/** The shipments of a correction that have one of these rows. Its rows are counted from 1, as those of every JSON push. */
export async function shipmentUnitsWithRows(deps: Stores, found: ReversibleImport, rows: readonly number[]): Promise<ReversalUnits> {
  const revisions = rows.map((row) => Number(firstRowRevision) + row - 1);
  return shipmentsOf(deps, found, await shipmentsWithLines(found.position, revisions, deps.pool));
}
