import type { Pool } from "pg";
import { Rejection } from "../../domain/rejection.js";
import { type CompletedImport, type CorrectionDeps, someOf, whyNotOpen } from "./expectOpen.js";

export interface RejectedRowState {
  readonly row: number;
  /** The shipmentId of a shipment's row, the reference of an activity's. */
  readonly handle: string | null;
  /** Why it is not open, in words. */
  readonly why: string | null;
}

const rowsAtOnce = 5_000;

/** Every rejected row of an import with what has become of it, in row order and some thousands at a time. */
export async function* rejectedRowStates(deps: CorrectionDeps, found: CompletedImport): AsyncGenerator<RejectedRowState[]> {
  const ask = await whyNotOpen(deps, found);
  for (let after = 0; ; ) {
    const { rows } = await deps.pool.query<{ row: number; handle: string | null }>(
      `select "row", handle from rejections where import_position = $1 and "row" > $2 order by "row" limit ${rowsAtOnce}`,
      [found.position, after],
    );
    const last = rows.at(-1);
    if (!last) return;
    after = last.row;
    const whys = await ask(rows.map(({ row }) => row));
    yield rows.map(({ row, handle }) => ({ row, handle, why: whys.get(row) ?? null }));
  }
}

/** The columns that the rejected rows were sent with. Rows of a file all have the same; a JSON push is small enough to look at each. */
export async function submittedColumns({ pool }: CorrectionDeps, { request, position }: CompletedImport): Promise<string[]> {
  const looked = request.source === "file" ? 'order by "row" limit 1' : "";
  const { rows } = await pool.query<{ name: string }>(
    `select distinct json_object_keys(data) as name from (select data from rejections where import_position = $1 ${looked}) as some_rows`,
    [position],
  );
  return rows.map(({ name }) => name);
}

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
