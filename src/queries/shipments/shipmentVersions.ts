// The versions of a shipment: the tables tell which there are, the streams of the imports what each holds. The cost does not depend on the
// length of the event log. `audit shipment` derives the same from the events alone.
import type { Pool } from "pg";
import type { Principal } from "../../domain/principal.js";
import { readAcceptedRows, readRequestedEvent } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import { hasRow } from "../../ports/database.js";
import type { EventStore } from "../../ports/eventStore.js";

/** A version, and where its lines are recorded. */
export interface LocatedVersion {
  /** In the order of the pushes, from 1. */
  readonly number: number;
  readonly importId: string;
  /** The shipment's number in the import: the row of its first line. */
  readonly shipment: number;
  readonly revisions: readonly number[];
  /** The import whose later version kept this one out of the ledger, perhaps the same import. Null if the ledger had this one. */
  readonly supersededBy: string | null;
  readonly reversed: VersionReversal | null;
}

export interface VersionReversal {
  readonly reversalId: string;
  readonly at: string;
  readonly reason: string;
  /** `kind:id`. */
  readonly actor: string;
}

export interface ShipmentVersion extends LocatedVersion {
  readonly by: Principal;
  readonly sourceDetails: string;
  readonly fileName: string;
  readonly pushedAt: string;
  readonly rows: readonly number[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly items: readonly unknown[];
}

export interface VersionsRequest {
  readonly shipmentId: string;
  /** Leaves out versions and reversals after this time. */
  readonly asOf: Date | undefined;
  /** The number of the newest version wanted; undefined for the newest there is. */
  readonly upTo: number | undefined;
  readonly count: number;
}

export interface VersionsPage {
  /** The number of all versions. */
  readonly all: number;
  /** Oldest first. */
  readonly versions: readonly LocatedVersion[];
  /** The version in the ledger: of those that are not reversed, the one that was pushed last. It need not be on the page. */
  readonly shown: LocatedVersion | null;
}

/** Undefined while the projection `versions`, new after an upgrade, is still being filled from the event log. */
export async function listVersions(
  organisationId: string,
  { shipmentId, asOf, upTo, count }: VersionsRequest,
  pool: Pool,
): Promise<VersionsPage | undefined> {
  const { rows } = await pool.query<VersionsPage & { isFilled: boolean }>(versionsSql, [
    organisationId,
    shipmentId,
    asOf ?? null,
    upTo ?? null,
    count,
  ]);
  const [found] = rows;
  return found?.isFilled ? { all: found.all, versions: found.versions, shown: found.shown } : undefined;
}

/** Whether the shipment was ever in the ledger: it keeps its page even if all its versions are reversed. */
export const hasVersions = async (organisationId: string, shipmentId: string, pool: Pool): Promise<boolean> =>
  !shipmentId.includes("\0") && hasRow(pool, anyVersionSql, [organisationId, shipmentId]);

const anyVersionSql = `
  select from shipment_versions join shipment_imports using (import_position)
   where shipment_versions.organisation_id = $1 and shipment_id = $2 limit 1`;

/** SQL for whether, at a position in the event log, the ledger has `later`, a version with a higher number than `own`. */
const isInLedgerAtSql = (position: string): string =>
  `later.number > own.number and later.completed_position <= ${position} and (later.reversed_position is null or later.reversed_position > ${position})`;

/**
 * Shipments of one import with the same id are reversed together. A version can enter the ledger when its import completes, or when a later
 * push is reversed. It never entered if the ledger had a later version at each of these moments before its own reversal.
 */
const versionsSql = `
  with completed as (
    select import_position, shipment, revisions, import_id, completed_position,
           range_agg(int4range(shipment, shipment, '[]')) over (partition by import_position) as numbers
      from shipment_versions join shipment_imports using (import_position)
     where shipment_versions.organisation_id = $1 and shipment_id = $2 and ($3::timestamptz is null or completed_at <= $3)),
  written as materialized (
    select completed.*, reversed.*, row_number() over (order by import_position, shipment) as number
      from completed left join lateral (
             select position as reversed_position, reversal_id, at, reason, reversed_by from reversals r
              where r.import_position = completed.import_position and (is_all or shipments && numbers) and ($3::timestamptz is null or at <= $3)
              order by position limit 1) as reversed on true),
  counted as (
    select count(*)::int as "all", least($4::bigint, count(*)) as newest, max(number) filter (where reversed_position is null) as shown
      from written),
  described as (
    select number, number > newest - $5 and number <= newest as is_on_page, number = shown as is_shown,
           json_build_object('number', number, 'importId', import_id, 'shipment', shipment, 'revisions', revisions,
             'supersededBy', case when not exists (
               select from (select own.completed_position as log_position
                            union all select later.reversed_position from written as later where later.number > own.number) as log_positions
                where log_position >= own.completed_position and (own.reversed_position is null or log_position < own.reversed_position)
                  and not exists (select from written as later where ${isInLedgerAtSql("log_position")}))
               then (select later.import_id from written as later where ${isInLedgerAtSql("own.completed_position")} order by later.number limit 1) end,
             'reversed', case when reversal_id is not null then
               json_build_object('reversalId', reversal_id, 'reason', reason, 'actor', reversed_by,
                                 'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end) as version
      from written as own, counted where number > newest - $5 and number <= newest or number = shown)
  select coalesce((select commit from checkpoints where projection = 'versions')
                  >= (select commit from checkpoints where projection = 'shipments'), false) as "isFilled",
         (select "all" from counted) as "all",
         (select coalesce(json_agg(version order by number), '[]') from described where is_on_page) as versions,
         (select version from described where is_shown) as shown`;

export async function readVersion(located: LocatedVersion, eventStore: EventStore, signal: AbortSignal): Promise<ShipmentVersion> {
  const stream = streamOf.import(located.importId);
  const [requested, lines] = await Promise.all([
    readRequestedEvent(eventStore, located.importId),
    readAcceptedRows(eventStore, located.importId, located.revisions, signal),
  ]);
  if (!requested) throw new Error(`${stream} does not begin with ImportRequested`);
  const { by, sourceDetails, file, at } = requested.data;
  const versionLines = lines.filter(({ row, shipment = row }) => shipment === located.shipment);
  const { item: _, ...fields } = versionLines[0]?.values ?? {};
  return {
    ...located,
    by,
    sourceDetails,
    fileName: file.name,
    pushedAt: at,
    fields,
    rows: versionLines.map(({ row }) => row),
    items: versionLines.map(({ values }) => values["item"]),
  };
}
