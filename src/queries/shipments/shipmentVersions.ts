// The versions a shipment had: which they are from the tables, what each holds from the streams of the imports. Costs the same however long
// the event log is. `audit shipment` tells the same from the events alone.
import type { Pool } from "pg";
import type { Principal } from "../../domain/principal.js";
import { acceptedRowsAt, requestedEvent } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import { finds } from "../../ports/database.js";
import type { EventStore } from "../../ports/eventStore.js";

/** A version, and where its lines stand. */
export interface PlacedVersion {
  /** In the order of the pushes, from 1. */
  readonly number: number;
  readonly importId: string;
  /** Its number in the import. */
  readonly shipment: number;
  readonly revisions: readonly number[];
  /** The import of a later push that was there first: the ledger never showed this version. */
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

export interface ShipmentVersion extends PlacedVersion {
  readonly by: Principal;
  readonly sourceDetails: string;
  readonly fileName: string;
  readonly pushedAt: string;
  readonly rows: readonly number[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly items: readonly unknown[];
}

export interface VersionsRange {
  readonly shipmentId: string;
  /** Versions that were written later, and reversals that were made later, are left out. */
  readonly asOf: Date | undefined;
  /** The number of the newest version wanted; undefined for the newest there is. */
  readonly upTo: number | undefined;
  readonly count: number;
}

export interface VersionsPage {
  /** How many there are in all. */
  readonly all: number;
  /** Oldest first. */
  readonly versions: readonly PlacedVersion[];
  /** The version in the ledger: of those that are not reversed, the one that was pushed last. It need not be on the page. */
  readonly shown: PlacedVersion | null;
}

/** Undefined while the projection of versions, new after an upgrade, is still being filled from the event log. */
export async function listVersions(
  organisationId: string,
  { shipmentId, asOf, upTo, count }: VersionsRange,
  pool: Pool,
): Promise<VersionsPage | undefined> {
  const { rows } = await pool.query<VersionsPage & { isFilled: boolean }>(query, [
    organisationId,
    shipmentId,
    asOf ?? null,
    upTo ?? null,
    count,
  ]);
  const [found] = rows;
  return found?.isFilled ? { all: found.all, versions: found.versions, shown: found.shown } : undefined;
}

/** Whether the shipment was ever in the ledger: it keeps its page when all of it is reversed. */
export const hasVersions = async (organisationId: string, shipmentId: string, pool: Pool): Promise<boolean> =>
  !shipmentId.includes("\0") && finds(pool, versionSql, [organisationId, shipmentId]);

const versionSql = `
  select from shipment_versions join shipment_imports using (import_position)
   where shipment_versions.organisation_id = $1 and shipment_id = $2 limit 1`;

/** Whether the ledger has the version of a later push at a place in the event log. */
const isThereAt = (place: string): string =>
  `later.number > own.number and later.completed_position <= ${place} and (later.reversed_position is null or later.reversed_position > ${place})`;

/**
 * Shipments of one import with the same id are reversed together. A version comes into the ledger when it completes, or when a later push is
 * reversed. It never did if a later push was there each time, as long as it was not itself reversed.
 */
const query = `
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
               select from (select own.completed_position as place
                            union all select later.reversed_position from written as later where later.number > own.number) as places
                where place >= own.completed_position and (own.reversed_position is null or place < own.reversed_position)
                  and not exists (select from written as later where ${isThereAt("place")}))
               then (select later.import_id from written as later where ${isThereAt("own.completed_position")} order by later.number limit 1) end,
             'reversed', case when reversal_id is not null then
               json_build_object('reversalId', reversal_id, 'reason', reason, 'actor', reversed_by,
                                 'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end) as version
      from written as own, counted where number > newest - $5 and number <= newest or number = shown)
  select coalesce((select commit from checkpoints where projection = 'versions')
                  >= (select commit from checkpoints where projection = 'shipments'), false) as "isFilled",
         (select "all" from counted) as "all",
         (select coalesce(json_agg(version order by number), '[]') from described where is_on_page) as versions,
         (select version from described where is_shown) as shown`;

export async function readVersion(placed: PlacedVersion, eventStore: EventStore, signal: AbortSignal): Promise<ShipmentVersion> {
  const stream = streamOf.import(placed.importId);
  const [requested, lines] = await Promise.all([
    requestedEvent(eventStore, placed.importId),
    acceptedRowsAt(eventStore, placed.importId, placed.revisions, signal),
  ]);
  if (!requested) throw new Error(`${stream} does not begin with ImportRequested`);
  const { by, sourceDetails, file, at } = requested.data;
  const own = lines.filter(({ row, shipment = row }) => shipment === placed.shipment);
  const { item: _, ...fields } = own[0]?.values ?? {};
  return {
    ...placed,
    by,
    sourceDetails,
    fileName: file.name,
    pushedAt: at,
    fields,
    rows: own.map(({ row }) => row),
    items: own.map(({ values }) => values["item"]),
  };
}
