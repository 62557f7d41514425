import type { Pool } from "pg";
import { Rejection } from "../../domain/rejection.js";
import { type CompletedImport, someOf } from "./expectOpen.js";

/** Refuses numbers that are not rejected rows of the import, and a part of a shipment: its rejected lines are corrected or dismissed together. */
export async function expectWholeShipments(pool: Pool, { request, position }: CompletedImport, rows: readonly number[]): Promise<void> {
  const wanted = new Set(rows);
  const found = await pool.query<{ row: number; handle: string | null }>(
    `select "row", handle from rejections where import_position = $1 and "row" = any($2::integer[])`,
    [position, rows],
  );
  const known = new Set(found.rows.map(({ row }) => row));
  const unknown = rows.filter((row) => !known.has(row));
  if (unknown.length > 0) throw new Rejection("conflict", someOf(unknown.map((row) => `Row ${row} is not a rejected row of this import.`)));
  if (request.kind !== "shipments") return;
  const shipmentIds = [...new Set(found.rows.flatMap(({ handle }) => handle || []))];
  const lines = await pool.query<{ row: number; handle: string }>(
    `select r."row", r.handle from unnest($2::text[]) as asked (handle)
       join rejections r on r.import_position = $1 and md5(r.handle) = md5(asked.handle) and r.handle = asked.handle order by r."row"`,
    [position, shipmentIds],
  );
  const missing = new Map<string, number[]>();
  for (const { row, handle } of lines.rows) if (!wanted.has(row)) missing.set(handle, [...(missing.get(handle) ?? []), row]);
  if (missing.size === 0) return;
  const sentences = [...missing].map(([handle, left]) => `Shipment ${handle} has more rejected lines: row ${someNumbers(left)}.`);
  throw new Rejection("invalid", `The lines of a shipment are corrected together. ${someOf(sentences)}`);
}

const shownNumbers = 50;

const someNumbers = (numbers: readonly number[]): string => {
  const more = numbers.length - shownNumbers;
  return `${numbers.slice(0, shownNumbers).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
};
