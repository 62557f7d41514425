import type { UnusualKind } from "../../domain/imports/unusual.js";
import { numbersIn } from "../../domain/ranges.js";
import type { Database } from "../../ports/database.js";
import type { imports } from "../../projections/tables/imports.js";
import { type PageRequest, type RowPage, readPage } from "../rowPage.js";

export interface UnusualRow {
  readonly row: number;
  readonly kinds: readonly UnusualKind[];
  /** A known code that resembles the row's new code. */
  readonly near?: string;
  /** The earlier activity that the row repeats. */
  readonly sameAs?: { readonly importId: string; readonly row: number };
}

type RecordedUnusual = NonNullable<(typeof imports.$inferSelect)["unusual"]>;

/** One page of the import's unusual rows, in row order. Only the first thousand rows of each kind are recorded. */
export async function listUnusualRows(
  organisationId: string,
  { importId, kind }: { readonly importId: string; readonly kind?: UnusualKind | undefined },
  page: PageRequest,
  pool: Database,
): Promise<RowPage<UnusualRow>> {
  const rows = await unusualRowsOf(organisationId, importId, pool);
  const listed = kind === undefined ? rows : rows.filter(({ kinds }) => kinds.includes(kind));
  const rowsAfter = async (after: readonly string[] | undefined, count: number) => {
    const from = after ? listed.findIndex(({ row }) => row > Number(after[0])) : 0;
    return from < 0 ? [] : listed.slice(from, from + count);
  };
  return readPage(page, ["unusual rows", organisationId, importId, kind ?? ""], rowsAfter, {
    cursorValues: ({ row }) => [String(row)],
    itemOf: (row) => row,
  });
}

/** The first thousand unusual rows of each kind, in row order. */
export async function unusualRowsOf(organisationId: string, importId: string, pool: Database): Promise<UnusualRow[]> {
  const { rows: found } = await pool.query<{ unusual: RecordedUnusual | null }>(
    "select unusual from imports where import_id = $1 and organisation_id = $2 and kind = 'activities'",
    [importId, organisationId],
  );
  const rows = new Map<number, { row: number; kinds: UnusualKind[]; near?: string; sameAs?: { importId: string; row: number } }>();
  for (const { kind, rows: ranges, near = [], sameAs = [] } of found[0]?.unusual?.kinds ?? []) {
    for (const row of numbersIn(ranges)) {
      const existing = rows.get(row);
      if (existing) existing.kinds.push(kind);
      else rows.set(row, { row, kinds: [kind] });
    }
    for (const { code, rows: own } of near) for (const row of numbersIn(own)) Object.assign(rows.get(row) ?? {}, { near: code });
    for (const each of sameAs)
      for (const [row, other] of each.rows) Object.assign(rows.get(row) ?? {}, { sameAs: { importId: each.importId, row: other } });
  }
  return [...rows.values()].sort((one, other) => one.row - other.row);
}
