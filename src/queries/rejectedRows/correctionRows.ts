// The rejected rows that people work on: those of all completed imports in one state, the latest import first, the lines of a shipment
// together. One page looks at a bounded number of rows, so it may be short, or empty, and have another one after it.
import type { Pool } from "pg";
import type { RecordedReason } from "../../domain/rows/faults.js";
import type { ImportKind } from "../../events/importEvents.js";
import { reasonSql } from "../../projections/tables/rejectionGroups.js";
import { type PageRequest, type RowPage, readCursor, writeCursor } from "../rowPage.js";
import type { GroupState } from "./rejectionGroups.js";
import { stateSqlOf } from "./rowStates.js";

export interface CorrectionRow extends RecordedReason {
  readonly importId: string;
  /** The import's name. */
  readonly reference: string;
  readonly row: number;
  /** The first of the rows that are corrected together with this one: the other lines of its shipment. */
  readonly firstRow: number;
  /** The element of a JSON push of shipments that it goes back to; null in a file. */
  readonly element: number | null;
  /** Of the group that it counts with. */
  readonly reasonKey: string;
  /** Null where they are too large to be sent again. */
  readonly values: Readonly<Record<string, string>> | null;
}

export interface RowFilter {
  readonly kind: ImportKind;
  readonly state: GroupState;
  readonly importId?: string | undefined;
  readonly reasonKey?: string | undefined;
}

/** For one page: rows that are looked at, imports, and bytes of values. */
const most = { lookedAt: 2_000, imports: 20, bytes: 2 * 1024 * 1024, lines: 500 } as const;
const rowBytes = 128 * 1024;

interface ImportAt {
  readonly importId: string;
  readonly reference: string;
  readonly position: string;
}

export async function listCorrectionRows(
  organisationId: string,
  filter: RowFilter,
  { limit, cursor, secret }: PageRequest,
  pool: Pool,
): Promise<RowPage<CorrectionRow>> {
  const scope = ["correction rows", organisationId, filter.kind, filter.state, filter.importId ?? "", filter.reasonKey ?? ""];
  const [fromPosition, fromRow] = cursor === undefined ? [] : readCursor(secret, scope, cursor);
  const found = await importsWithRows(organisationId, filter, fromPosition, pool);
  const items: CorrectionRow[] = [];
  let left: Record<"rows" | "lookedAt" | "bytes", number> = { rows: limit, lookedAt: most.lookedAt, bytes: most.bytes };
  const goOn = (position: string, row: number): RowPage<CorrectionRow> => ({
    items,
    nextCursor: writeCursor(secret, scope, [position, String(row)]),
  });
  for (const at of found.slice(0, most.imports)) {
    let after = at.position === fromPosition ? Number(fromRow) : 0;
    for (;;) {
      if (left.rows <= 0 || left.lookedAt <= 0 || left.bytes <= 0) return goOn(at.position, after);
      const read = await rowsOfImport(
        organisationId,
        filter,
        at,
        { after, count: left.rows, lookAt: Math.min(left.lookedAt, Math.max(200, left.rows * 2)), bytes: left.bytes },
        pool,
      );
      items.push(...read.rows);
      left = { rows: left.rows - read.leads, lookedAt: left.lookedAt - read.lookedAt, bytes: left.bytes - read.bytes };
      if (read.upTo === undefined) break;
      after = read.upTo;
    }
  }
  const next = found[most.imports];
  return next ? goOn(next.position, 0) : { items, nextCursor: null };
}

async function importsWithRows(
  organisationId: string,
  { kind, state, importId, reasonKey }: RowFilter,
  from: string | undefined,
  pool: Pool,
): Promise<ImportAt[]> {
  const { rows } = await pool.query<ImportAt>(
    `select g."importId", g.position::text as position, i.source_details as reference
       from (select distinct import_id as "importId", import_position as position from rejection_groups
              where organisation_id = $1 and kind = $2 and ${state} > 0 and ($3::uuid is null or import_id = $3)
                and ($4::text is null or reason_key = $4) and ($5::bigint is null or import_position <= $5)
              order by import_position desc limit ${most.imports + 1}) as g
       join imports i on i.import_id = g."importId" order by g.position desc`,
    [organisationId, kind, importId ?? null, reasonKey ?? null, from ?? null],
  );
  return rows;
}

interface RowRange {
  readonly after: number;
  readonly count: number;
  readonly lookAt: number;
  readonly bytes: number;
}

interface Lead {
  readonly row: number;
  readonly handle: string | null;
  readonly element: number | null;
}

async function rowsOfImport(organisationId: string, filter: RowFilter, at: ImportAt, look: RowRange, pool: Pool) {
  const { leads, lookedAt, upTo } = await leadsOfImport(organisationId, filter, at, look, pool);
  const lines = await linesOf(filter.kind, at, leads, pool);
  let [bytes, kept] = [0, 0];
  for (const { row } of leads) {
    const size = (lines.get(row) ?? []).reduce((sum, line) => sum + line.bytes, 0);
    if (kept > 0 && bytes + size > look.bytes) break;
    [bytes, kept] = [bytes + size, kept + 1];
  }
  const shown = leads.slice(0, kept).flatMap(({ row }) => (lines.get(row) ?? []).map((line) => ({ ...line, firstRow: row })));
  const values = await valuesOf(at, shown, pool);
  const rows = shown.map(({ bytes: _, ...line }) => ({
    importId: at.importId,
    reference: at.reference,
    ...line,
    values: values.get(line.row) ?? null,
  }));
  return { rows, leads: kept, lookedAt, bytes, upTo: kept < leads.length ? leads[kept - 1]?.row : upTo };
}

/** The first row of each shipment that the filter fits, and of activities every row. */
async function leadsOfImport(organisationId: string, filter: RowFilter, { importId, position }: ImportAt, look: RowRange, pool: Pool) {
  const { kind, state, reasonKey } = filter;
  const reasonOf = (row: string) => (reasonKey === undefined ? "true" : `md5(${reasonSql(row)}) = $6`);
  const isLead =
    kind === "activities"
      ? "true"
      : `case when r.element is null
              then not exists (select from rejections e where e.import_position = r.import_position and md5(e.handle) = md5(r.handle)
                                  and e.handle = r.handle and e.handle <> '' and e."row" < r."row" and ${reasonOf("e")})
              else not exists (select from rejections e where e.import_position = r.import_position and e.element = r.element
                                  and e."row" < r."row" and ${reasonOf("e")}) end`;
  const looked = await pool.query<Lead & { fits: boolean; state: string | null }>(
    `select r."row", r.handle, r.element, ${reasonOf("r")} as fits, case when ${reasonOf("r")} and ${isLead} then ${stateSqlOf(kind, { importId: "$1", organisationId: "$2" })} end as state
       from (select * from rejections where import_position = $3 and "row" > $4 order by "row" limit $5) as r where $2::text <> '' order by r."row"`,
    [importId, organisationId, position, look.after, look.lookAt, ...(reasonKey === undefined ? [] : [reasonKey])],
  );
  const all = looked.rows.filter((row) => row.state === state);
  const leads = all.slice(0, look.count);
  const whole = looked.rows.length < look.lookAt ? undefined : looked.rows.at(-1)?.row;
  return { leads, lookedAt: looked.rows.length, upTo: leads.length < all.length ? leads.at(-1)?.row : whole };
}

interface Line extends RecordedReason {
  readonly row: number;
  readonly element: number | null;
  readonly reasonKey: string;
  readonly bytes: number;
}

/** By the first row: all rejected lines of its shipment, or of its element of a push, in row order, at most one more than can be corrected at once. */
async function linesOf(kind: ImportKind, { position }: ImportAt, leads: readonly Lead[], pool: Pool): Promise<Map<number, Line[]>> {
  if (leads.length === 0) return new Map();
  const elements = leads.filter(({ element }) => element !== null);
  const shipments = kind === "shipments" ? leads.filter(({ handle, element }) => handle && element === null) : [];
  const alone = leads.filter((lead) => !shipments.includes(lead) && !elements.includes(lead));
  const line = `r."row", r.element, r.error, r.lead, r.faults, md5(${reasonSql("r")}) as "reasonKey", octet_length(r.data::text) + octet_length(r.error) as bytes`;
  const found = await pool.query<Line & { first: number }>(
    `select wanted.first, ${line}
       from unnest($2::integer[], $3::text[]) as wanted (first, handle)
       join lateral (select * from rejections r where r.import_position = $1 and md5(r.handle) = md5(wanted.handle) and r.handle = wanted.handle
                      order by r."row" limit ${most.lines + 1}) as r on true
      union all
     select wanted.first, ${line}
       from unnest($5::integer[], $6::integer[]) as wanted (first, element)
       join lateral (select * from rejections r where r.import_position = $1 and r.element = wanted.element
                      order by r."row" limit ${most.lines + 1}) as r on true
      union all
     select r."row", ${line} from rejections r where r.import_position = $1 and r."row" = any($4::integer[])
      order by 1, 2`,
    [
      position,
      shipments.map(({ row }) => row),
      shipments.map(({ handle }) => handle),
      alone.map(({ row }) => row),
      elements.map(({ row }) => row),
      elements.map(({ element }) => element),
    ],
  );
  const lines = new Map<number, Line[]>();
  for (const { first, ...line } of found.rows) lines.set(first, [...(lines.get(first) ?? []), line]);
  return lines;
}

async function valuesOf({ position }: ImportAt, lines: readonly Line[], pool: Pool): Promise<Map<number, Record<string, string> | null>> {
  if (lines.length === 0) return new Map();
  const found = await pool.query<{ row: number; values: Record<string, string> | null }>(
    `select "row", case when octet_length(data::text) <= ${rowBytes} then data end as values from rejections
      where import_position = $1 and "row" = any($2::integer[])`,
    [position, lines.map(({ row }) => row)],
  );
  return new Map(found.rows.map(({ row, values }) => [row, values]));
}
