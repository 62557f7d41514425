import { type CompletedImport, type CorrectionDeps, whyNotOpen } from "./expectOpen.js";

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
