// The versions a shipment had: which they are from the tables, what each holds from the streams of the imports. Costs the same however long
// the log is. `audit shipment` tells the same from the log alone.
import type { Pool } from "pg";
import type { Principal } from "../../domain/principal.js";
import { decodeOn } from "../../events/codec.js";
import { requestedEvent } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore } from "../../ports/eventStore.js";

/** A version, and where its lines stand. */
export interface PlacedVersion {
  /** In the order of the pushes, from 1. */
  readonly number: number;
  readonly importId: string;
  /** Its number in the import. */
  readonly shipment: number;
  readonly revisions: readonly number[];
  /** The import of a later push that completed earlier: the ledger never showed this version. */
  readonly supersededBy: string | null;
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
  /** Versions that were written later are left out. */
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
}

/** Undefined while the projection of versions, new after an upgrade, is still being filled from the log. */
export async function listVersions(
  organisationId: string,
  { shipmentId, asOf, upTo, count }: VersionsRange,
  pool: Pool,
): Promise<VersionsPage | undefined> {
  const { rows } = await pool.query<{ gathered: boolean; all: number; versions: PlacedVersion[] | null }>(query, [
    organisationId,
    shipmentId,
    asOf ?? null,
    upTo ?? null,
    count,
  ]);
  const [found] = rows;
  return found?.gathered ? { all: found.all, versions: found.versions ?? [] } : undefined;
}

/** A later push that completed earlier was itself pushed before this version's import completed, so `supersededBy` compares few versions. */
const query = `
  with written as materialized (
    select import_position, shipment, revisions, import_id, completed_position, row_number() over (order by import_position, shipment) as number
      from shipment_versions join shipment_imports using (import_position)
     where shipment_versions.organisation_id = $1 and shipment_id = $2 and ($3::timestamptz is null or completed_at <= $3)),
  counted as (select count(*)::int as "all" from written),
  page as (
    select written.* from written, counted where number <= least(coalesce($4::bigint, "all"), "all")
     order by number desc limit $5)
  select coalesce((select commit from checkpoints where projection = 'versions')
                  >= (select commit from checkpoints where projection = 'shipments'), false) as gathered,
         (select "all" from counted) as "all",
         (select json_agg(json_build_object('number', number, 'importId', import_id, 'shipment', shipment, 'revisions', revisions, 'supersededBy',
                 (select later.import_id from written as later
                   where later.number > page.number and later.import_position < page.completed_position
                     and later.completed_position <= page.completed_position
                   order by later.number limit 1)) order by number) from page) as versions`;

export async function readVersion(placed: PlacedVersion, eventStore: EventStore, signal: AbortSignal): Promise<ShipmentVersion> {
  const stream = streamOf.import(placed.importId);
  const [requested, ...lines] = await Promise.all([
    requestedEvent(eventStore, placed.importId),
    ...rangesOf(placed.revisions).map((range) => readSome(eventStore, stream, range, signal)),
  ]);
  if (!requested) throw new Error(`${stream} does not begin with ImportRequested`);
  const { by, sourceDetails, file, at } = requested.data;
  const own = lines.flat().flatMap((event) => (event.type === "RowAccepted" && isOwn(event.data, placed) ? [event.data] : []));
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

const isOwn = ({ row, shipment = row }: { readonly row: number; readonly shipment?: number | undefined }, placed: PlacedVersion): boolean =>
  shipment === placed.shipment;

interface Range {
  readonly first: number;
  last: number;
}

/** Lines whose revisions differ by at most this much are read in one call. */
const near = 20;

function rangesOf(revisions: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (const revision of revisions) {
    const open = ranges.at(-1);
    if (open && revision - open.last <= near) open.last = revision;
    else ranges.push({ first: revision, last: revision });
  }
  return ranges;
}

async function readSome(eventStore: EventStore, stream: string, { first, last }: Range, signal: AbortSignal) {
  const found = [];
  for await (const stored of eventStore.read(stream, { from: BigInt(first), max: last - first + 1, signal })) {
    const event = decodeOn("import", stored);
    if (event) found.push(event);
  }
  return found;
}
