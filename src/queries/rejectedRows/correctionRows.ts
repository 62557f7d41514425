// The rejected rows that people work on: those of all completed imports in one state, the latest import first, with the lines of a shipment
// together. A page reads a bounded number of rows, so it may be short or empty and still have a next page.
import type { Pool } from "pg";
import type { RecordedReason } from "../../domain/rows/faults.js";
import type { ImportKind } from "../../events/importEvents.js";
import { reasonSql } from "../../projections/tables/rejectionGroups.js";
import { type PageRequest, type RowPage, readCursor, writeCursor } from "../rowPage.js";
import type { GroupState } from "./rejectionGroups.js";
import { stateSqlOf } from "./rowStates.js";

export interface CorrectionRow extends RecordedReason {
  readonly importId: string;
  /** The import's reference. */
  readonly reference: string;
  readonly row: number;
  /** The first of the rows that are corrected together: this one and the other lines of its shipment. */
  readonly firstRow: number;
  /** The element of a JSON push of shipments that the row comes from; null for a file. */
  readonly element: number | null;
  /** The key of the rejection group in which the row is counted. */
  readonly reasonKey: string;
  /** The row's values; null if they are too large to be sent again. */
  readonly values: Readonly<Record<string, string>> | null;
}

export interface RowFilter {
  readonly kind: ImportKind;
  readonly state: GroupState;
  readonly importId?: string | undefined;
  readonly reasonKey?: string | undefined;
}

/** The most of each for one page: rows looked at, imports, bytes of values, and lines of one shipment. */
const pageLimits = { lookedAt: 2_000, imports: 20, bytes: 2 * 1024 * 1024, lines: 500 } as const;
const maxRowBytes = 128 * 1024;

interface ImportRef {
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
  let quota: Record<"rows" | "lookedAt" | "bytes", number> = { rows: limit, lookedAt: pageLimits.lookedAt, bytes: pageLimits.bytes };
  const pageUpTo = (position: string, row: number): RowPage<CorrectionRow> => ({
    items,
    nextCursor: writeCursor(secret, scope, [position, String(row)]),
  });
  for (const importRef of found.slice(0, pageLimits.imports)) {
    let after = importRef.position === fromPosition ? Number(fromRow) : 0;
    for (;;) {
      if (quota.rows <= 0 || quota.lookedAt <= 0 || quota.bytes <= 0) return pageUpTo(importRef.position, after);
      const batch = await rowsOfImport(
        organisationId,
        filter,
        importRef,
        { after, count: quota.rows, maxLookedAt: Math.min(quota.lookedAt, Math.max(200, quota.rows * 2)), bytes: quota.bytes },
        pool,
      );
      items.push(...batch.rows);
      quota = { rows: quota.rows - batch.leads, lookedAt: quota.lookedAt - batch.lookedAt, bytes: quota.bytes - batch.bytes };
      if (batch.upTo === undefined) break;
      after = batch.upTo;
    }
  }
  const next = found[pageLimits.imports];
  return next ? pageUpTo(next.position, 0) : { items, nextCursor: null };
}

async function importsWithRows(
  organisationId: string,
  { kind, state, importId, reasonKey }: RowFilter,
  from: string | undefined,
  pool: Pool,
): Promise<ImportRef[]> {
  const { rows } = await pool.query<ImportRef>(
    `select g."importId", g.position::text as position, i.source_details as reference
       from (select distinct import_id as "importId", import_position as position from rejection_groups
              where organisation_id = $1 and kind = $2 and ${state} > 0 and ($3::uuid is null or import_id = $3)
                and ($4::text is null or reason_key = $4) and ($5::bigint is null or import_position <= $5)
              order by import_position desc limit ${pageLimits.imports + 1}) as g
       join imports i on i.import_id = g."importId" order by g.position desc`,
    [organisationId, kind, importId ?? null, reasonKey ?? null, from ?? null],
  );
  return rows;
}

interface RowRange {
  readonly after: number;
  readonly count: number;
  readonly maxLookedAt: number;
  readonly bytes: number;
}

interface Lead {
  readonly row: number;
  readonly handle: string | null;
  readonly element: number | null;
}

async function rowsOfImport(organisationId: string, filter: RowFilter, importRef: ImportRef, range: RowRange, pool: Pool) {
  const { leads, lookedAt, upTo } = await leadsOfImport(organisationId, filter, importRef, range, pool);
  const lines = await linesOf(filter.kind, importRef, leads, pool);
  let [bytes, keptLeads] = [0, 0];
  for (const { row } of leads) {
    const size = (lines.get(row) ?? []).reduce((sum, line) => sum + line.bytes, 0);
    if (keptLeads > 0 && bytes + size > range.bytes) break;
    [bytes, keptLeads] = [bytes + size, keptLeads + 1];
  }
  const shown = leads.slice(0, keptLeads).flatMap(({ row }) => (lines.get(row) ?? []).map((line) => ({ ...line, firstRow: row })));
  const values = await valuesOf(importRef, shown, pool);
  const rows = shown.map(({ bytes: _, ...line }) => ({
    importId: importRef.importId,
    reference: importRef.reference,
    ...line,
    values: values.get(line.row) ?? null,
  }));
  return { rows, leads: keptLeads, lookedAt, bytes, upTo: keptLeads < leads.length ? leads[keptLeads - 1]?.row : upTo };
}

/** The first row of each shipment that passes the filter, or every activity that does. `$2::text <> ''` only gives $2 a type. */
async function leadsOfImport(organisationId: string, filter: RowFilter, { importId, position }: ImportRef, range: RowRange, pool: Pool) {
  const { kind, state, reasonKey } = filter;
  const hasReasonSql = (row: string) => (reasonKey === undefined ? "true" : `md5(${reasonSql(row)}) = $6`);
  const isLeadSql =
    kind === "activities"
      ? "true"
      : `case when r.element is null
              then not exists (select from rejections e where e.import_position = r.import_position and md5(e.handle) = md5(r.handle)
                                  and e.handle = r.handle and e.handle <> '' and e."row" < r."row" and ${hasReasonSql("e")})
              else not exists (select from rejections e where e.import_position = r.import_position and e.element = r.element
                                  and e."row" < r."row" and ${hasReasonSql("e")}) end`;
  const result = await pool.query<Lead & { fits: boolean; state: string | null }>(
    `select r."row", r.handle, r.element, ${hasReasonSql("r")} as fits, case when ${hasReasonSql("r")} and ${isLeadSql} then ${stateSqlOf(kind, { importId: "$1", organisationId: "$2" })} end as state
       from (select * from rejections where import_position = $3 and "row" > $4 order by "row" limit $5) as r where $2::text <> '' order by r."row"`,
    [importId, organisationId, position, range.after, range.maxLookedAt, ...(reasonKey === undefined ? [] : [reasonKey])],
  );
  const matching = result.rows.filter((row) => row.state === state);
  const leads = matching.slice(0, range.count);
  const lastLookedAt = result.rows.length < range.maxLookedAt ? undefined : result.rows.at(-1)?.row;
  return { leads, lookedAt: result.rows.length, upTo: leads.length < matching.length ? leads.at(-1)?.row : lastLookedAt };
}

interface Line extends RecordedReason {
  readonly row: number;
  readonly element: number | null;
  readonly reasonKey: string;
  readonly bytes: number;
}

/** By first row, the rejected lines of its shipment or element of a push, in row order: at most one more than a correction may have. */
async function linesOf(kind: ImportKind, { position }: ImportRef, leads: readonly Lead[], pool: Pool): Promise<Map<number, Line[]>> {
  if (leads.length === 0) return new Map();
  const elements = leads.filter(({ element }) => element !== null);
  const shipments = kind === "shipments" ? leads.filter(({ handle, element }) => handle && element === null) : [];
  const alone = leads.filter((lead) => !shipments.includes(lead) && !elements.includes(lead));
  const lineColumns = `r."row", r.element, r.error, r.lead, r.faults, md5(${reasonSql("r")}) as "reasonKey", octet_length(r.data::text) + octet_length(r.error) as bytes`;
  const found = await pool.query<Line & { first: number }>(
    `select wanted.first, ${lineColumns}
       from unnest($2::integer[], $3::text[]) as wanted (first, handle)
       join lateral (select * from rejections r where r.import_position = $1 and md5(r.handle) = md5(wanted.handle) and r.handle = wanted.handle
                      order by r."row" limit ${pageLimits.lines + 1}) as r on true
      union all
     select wanted.first, ${lineColumns}
       from unnest($5::integer[], $6::integer[]) as wanted (first, element)
       join lateral (select * from rejections r where r.import_position = $1 and r.element = wanted.element
                      order by r."row" limit ${pageLimits.lines + 1}) as r on true
      union all
     select r."row", ${lineColumns} from rejections r where r.import_position = $1 and r."row" = any($4::integer[])
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

async function valuesOf({ position }: ImportRef, lines: readonly Line[], pool: Pool): Promise<Map<number, Record<string, string> | null>> {
  if (lines.length === 0) return new Map();
  const found = await pool.query<{ row: number; values: Record<string, string> | null }>(
    `select "row", case when octet_length(data::text) <= ${maxRowBytes} then data end as values from rejections
      where import_position = $1 and "row" = any($2::integer[])`,
    [position, lines.map(({ row }) => row)],
  );
  return new Map(found.rows.map(({ row, values }) => [row, values]));
}
