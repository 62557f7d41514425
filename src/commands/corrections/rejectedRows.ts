import type { Pool } from "pg";
import { Rejection } from "../../domain/rejection.js";
import { type RejectedRowName, rejectedLinesOf, rejectedRowsAfter, rejectedRowsAmong } from "../../queries/lookUps/rejectedRows.js";
import { type CompletedImport, type CorrectionDeps, someOf, whyNotOpen } from "./expectOpen.js";

export interface RejectedRowState extends RejectedRowName {
  /** Why it is not open, in words. */
  readonly why: string | null;
}

const rowsAtOnce = 5_000;

/** Every rejected row of an import with what has become of it, in row order and some thousands at a time. */
export async function* rejectedRowStates(deps: CorrectionDeps, found: CompletedImport): AsyncGenerator<RejectedRowState[]> {
  const whysOf = await whyNotOpen(deps, found);
  for (let after = 0; ; ) {
    const rows = await rejectedRowsAfter(deps.pool, found.position, after, rowsAtOnce);
    const last = rows.at(-1);
    if (!last) return;
    after = last.row;
    const whys = await whysOf(rows.map(({ row }) => row));
    yield rows.map(({ row, handle }) => ({ row, handle, why: whys.get(row) ?? null }));
  }
}

/** Refuses numbers that are not rejected rows of the import, and a part of a shipment: its rejected lines are corrected or dismissed together. */
export async function expectWholeShipments(pool: Pool, { request, position }: CompletedImport, rows: readonly number[]): Promise<void> {
  const wanted = new Set(rows);
  const found = await rejectedRowsAmong(pool, position, rows);
  const known = new Set(found.map(({ row }) => row));
  const unknown = rows.filter((row) => !known.has(row));
  if (unknown.length > 0) throw new Rejection("conflict", someOf(unknown.map((row) => `Row ${row} is not a rejected row of this import.`)));
  if (request.kind !== "shipments") return;
  const shipmentIds = [...new Set(found.flatMap(({ handle }) => handle || []))];
  const missing = new Map<string, number[]>();
  for (const { row, handle } of await rejectedLinesOf(pool, position, shipmentIds))
    if (!wanted.has(row)) missing.set(handle, [...(missing.get(handle) ?? []), row]);
  if (missing.size === 0) return;
  const sentences = [...missing].map(([handle, left]) => `Shipment ${handle} has more rejected lines: row ${someNumbers(left)}.`);
  throw new Rejection("invalid", `The lines of a shipment are corrected together. ${someOf(sentences)}`);
}

const shownNumbers = 50;

const someNumbers = (numbers: readonly number[]): string => {
  const more = numbers.length - shownNumbers;
  return `${numbers.slice(0, shownNumbers).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
};
