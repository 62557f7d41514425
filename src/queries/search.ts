// The portal's search: what has an id, a reference or a name that is, or begins with, what somebody typed.
import type { Pool } from "pg";
import { quoteIdOf, quotePlaceOf } from "../events/quoteEvents.js";
import { named } from "../namedSql.js";
import { referenceKey } from "../projections/tables/activities.js";
import { type imports, searchKey } from "../projections/tables/imports.js";

/** Of each kind. */
export const mostFound = 10;
/** Activities are sought in this many imports, the newest first: no index has the references of a whole organisation. */
export const importsSearched = 10_000;

export interface FoundImport extends Readonly<Pick<typeof imports.$inferSelect, "importId" | "fileName" | "kind" | "submittedAt">> {
  readonly reference: string;
}

export interface FoundShipment {
  readonly shipmentId: string;
  readonly customerId: string | null;
  readonly reference: string;
}

export interface FoundActivity {
  readonly importId: string;
  readonly row: number;
  readonly reference: string;
  readonly customerId: string | null;
  readonly chargeCode: string;
  readonly activityTimestamp: string;
}

/** Whole ids are found, and their beginnings from this many characters on: shorter ones are those of every organisation. */
const leastOfId = 4;

/** The ids that begin with a text, by the first and the last one. Matches nothing where no id begins so. */
function idRange(text: string): { readonly lowest: string | null; readonly highest: string | null } {
  const digits = text.toLowerCase().replaceAll("-", "");
  if (digits.length < leastOfId || !/^[0-9a-f]{1,32}$/.test(digits)) return { lowest: null, highest: null };
  return { lowest: digits.padEnd(32, "0"), highest: digits.padEnd(32, "f") };
}

const importColumns = `import_id as "importId", source_details as reference, file_name as "fileName", kind, submitted_at as "submittedAt", position`;
const typed = searchKey(":text::text");
const importsOfOrganisation = `select ${importColumns} from imports where organisation_id = :organisationId`;
/** The newest of the exact ones, and the last ones in the order of the alphabet of those that begin so: names often end with a day. */
const importsBy = (key: string, more = "") => `
  (${importsOfOrganisation} and ${key} = ${typed}${more} order by position desc limit :count) union all
  (${importsOfOrganisation} and starts_with(${key}, ${typed})${more} order by ${key} using ~>~ limit :count)`;

const importsSql = `
  select distinct on (rank, position) found.* from (
    select found.*, case when ${searchKey("reference")} = ${typed} or ${searchKey(`"fileName"`)} = ${typed} or "importId" = :lowest::uuid then 0 else 1 end as rank
      from (
        (${importsOfOrganisation} and import_id between :lowest::uuid and :highest::uuid limit :count) union all
        ${importsBy(searchKey("source_details"))} union all
        ${importsBy(searchKey("file_name"), " and source = 'file'")}) as found) as found
   order by rank, position desc limit :count`;

export const findImports = async (organisationId: string, text: string, pool: Pool): Promise<FoundImport[]> =>
  (await pool.query<FoundImport>(named(importsSql, { organisationId, text, count: mostFound, ...idRange(text) }))).rows;

/** Ids and references are compared letter by letter. What is typed in small letters is sought in capitals too. */
async function inEachSpelling<Found>(text: string, find: (spelling: string) => Promise<readonly Found[]>): Promise<Found[]> {
  const found = await Promise.all([...new Set([text, text.toUpperCase()])].map(find));
  return found.flat().slice(0, mostFound);
}

/** The id itself is the first of those that begin with it. */
const shipmentsSql = `
  select shipment_id as "shipmentId", fields ->> 'customerId' as "customerId", source_details as reference from shipments
   where organisation_id = $1 and starts_with(shipment_id, $2) order by shipment_id limit $3`;

export const findShipments = (organisationId: string, text: string, pool: Pool): Promise<FoundShipment[]> =>
  inEachSpelling(text, async (spelling) => (await pool.query<FoundShipment>(shipmentsSql, [organisationId, spelling, mostFound])).rows);

const activitiesSql = (matches: string) => `
  select i.import_id as "importId", a."row", a.reference, a.customer_id as "customerId", a.charge_code as "chargeCode",
         a.activity_timestamp as "activityTimestamp"
    from (select import_id, position from imports where organisation_id = $1 and kind = 'activities' and status = 'completed'
           order by position desc limit ${importsSearched}) as i
   cross join lateral
         (select * from activities where import_position = i.position and reference is not null and ${matches}
           order by ${referenceKey("reference")} using ~<~ limit $3) as a
   limit $3`;
const key = referenceKey("reference");
const isReferenceSql = activitiesSql(`${key} = ${referenceKey("$2::text")} and reference = $2`);
const beginsReferenceSql = activitiesSql(`starts_with(${key}, ${referenceKey("$2::text")}) and reference <> $2`);

/** Also those that do not count any more: their pages say why. */
export const findActivities = (organisationId: string, text: string, pool: Pool): Promise<FoundActivity[]> =>
  inEachSpelling(text, async (spelling) => {
    const exact = await pool.query<FoundActivity>(isReferenceSql, [organisationId, spelling, mostFound]);
    if (exact.rows.length === mostFound) return exact.rows;
    const others = await pool.query<FoundActivity>(beginsReferenceSql, [organisationId, spelling, mostFound]);
    return [...exact.rows, ...others.rows];
  });

const quotesSql = `
  select q.quotes_id as "quotesId", q.number, q.customer_id as "customerId", q.quoted_at as "quotedAt"
    from quote_requests r join quotes q on q.organisation_id = r.organisation_id and q.quoted_at = r.quoted_at and q.quotes_id = r.quotes_id
   where r.organisation_id = :organisationId and r.quotes_id between :lowest::uuid and :highest::uuid and q.number = coalesce(:number, q.number)
   order by q.quoted_at desc, q.quotes_id, q.number limit :count`;

/** By the id of one quote, or by that of its request. */
export async function findQuotes(organisationId: string, text: string, pool: Pool) {
  const { quotesId, number } = quotePlaceOf(text) ?? { quotesId: text, number: 0 };
  const values = { organisationId, count: mostFound, number: number || null, ...idRange(quotesId) };
  const { rows } = await pool.query<{ quotesId: string; number: number; customerId: string; quotedAt: Date }>(named(quotesSql, values));
  return rows.map(({ customerId, quotedAt, ...place }) => ({ quoteId: quoteIdOf(place), customerId, quotedAt }));
}
