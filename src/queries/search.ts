// The portal's search: finds what has an id, a reference or a name that equals or begins with the typed text.
import type { Pool } from "pg";
import { quoteIdOf, quotePlaceOf } from "../events/quoteEvents.js";
import { bindNames } from "../namedSql.js";
import { referenceKeySql } from "../projections/tables/activities.js";
import { type imports, searchKeySql } from "../projections/tables/imports.js";

/** The most results of each kind. */
export const maxFound = 10;
/** How many imports are searched for activities, the newest first: no index covers the references of a whole organisation. */
export const maxImportsSearched = 10_000;

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

/** Shorter beginnings of ids are not searched: every organisation has ids that match them. */
const minIdPrefixLength = 4;

/** The first and the last possible id that begin with the text. Both are null, which matches nothing, if no id can begin with it. */
function idRange(text: string): { readonly lowest: string | null; readonly highest: string | null } {
  const digits = text.toLowerCase().replaceAll("-", "");
  if (digits.length < minIdPrefixLength || !/^[0-9a-f]{1,32}$/.test(digits)) return { lowest: null, highest: null };
  return { lowest: digits.padEnd(32, "0"), highest: digits.padEnd(32, "f") };
}

const importColumns = `import_id as "importId", source_details as reference, file_name as "fileName", kind, submitted_at as "submittedAt", position`;
const typedKeySql = searchKeySql(":text::text");
const importsOfOrganisationSql = `select ${importColumns} from imports where organisation_id = :organisationId`;
/** SQL for the newest exact matches, and for the names that begin with the text, in descending order: names often end with a date. */
const importsByKeySql = (key: string, moreConditions = "") => `
  (${importsOfOrganisationSql} and ${key} = ${typedKeySql}${moreConditions} order by position desc limit :count) union all
  (${importsOfOrganisationSql} and starts_with(${key}, ${typedKeySql})${moreConditions} order by ${key} using ~>~ limit :count)`;

const importsSql = `
  select distinct on (rank, position) found.* from (
    select found.*, case when ${searchKeySql("reference")} = ${typedKeySql} or ${searchKeySql(`"fileName"`)} = ${typedKeySql} or "importId" = :lowest::uuid then 0 else 1 end as rank
      from (
        (${importsOfOrganisationSql} and import_id between :lowest::uuid and :highest::uuid limit :count) union all
        ${importsByKeySql(searchKeySql("source_details"))} union all
        ${importsByKeySql(searchKeySql("file_name"), " and source = 'file'")}) as found) as found
   order by rank, position desc limit :count`;

export const findImports = async (organisationId: string, text: string, pool: Pool): Promise<FoundImport[]> =>
  (await pool.query<FoundImport>(bindNames(importsSql, { organisationId, text, count: maxFound, ...idRange(text) }))).rows;

/** Ids and references are compared with regard to case, so the text is searched as it was typed and in capitals. */
async function inEachSpelling<Found>(text: string, find: (spelling: string) => Promise<readonly Found[]>): Promise<Found[]> {
  const found = await Promise.all([...new Set([text, text.toUpperCase()])].map(find));
  return found.flat().slice(0, maxFound);
}

/** In the order of ids: an exact match comes first. */
const shipmentsSql = `
  select shipment_id as "shipmentId", fields ->> 'customerId' as "customerId", source_details as reference from shipments
   where organisation_id = $1 and starts_with(shipment_id, $2) order by shipment_id limit $3`;

export const findShipments = (organisationId: string, text: string, pool: Pool): Promise<FoundShipment[]> =>
  inEachSpelling(text, async (spelling) => (await pool.query<FoundShipment>(shipmentsSql, [organisationId, spelling, maxFound])).rows);

const activitiesSql = (matches: string) => `
  select i.import_id as "importId", a."row", a.reference, a.customer_id as "customerId", a.charge_code as "chargeCode",
         a.activity_timestamp as "activityTimestamp"
    from (select import_id, position from imports where organisation_id = $1 and kind = 'activities' and status = 'completed'
           order by position desc limit ${maxImportsSearched}) as i
   cross join lateral
         (select * from activities where import_position = i.position and reference is not null and ${matches}
           order by ${referenceKeySql("reference")} using ~<~ limit $3) as a
   limit $3`;
const referenceSql = referenceKeySql("reference");
const exactReferenceSql = activitiesSql(`${referenceSql} = ${referenceKeySql("$2::text")} and reference = $2`);
const referencePrefixSql = activitiesSql(`starts_with(${referenceSql}, ${referenceKeySql("$2::text")}) and reference <> $2`);

/** Includes activities that no longer count: their pages say why. */
export const findActivities = (organisationId: string, text: string, pool: Pool): Promise<FoundActivity[]> =>
  inEachSpelling(text, async (spelling) => {
    const exact = await pool.query<FoundActivity>(exactReferenceSql, [organisationId, spelling, maxFound]);
    if (exact.rows.length === maxFound) return exact.rows;
    const others = await pool.query<FoundActivity>(referencePrefixSql, [organisationId, spelling, maxFound]);
    return [...exact.rows, ...others.rows];
  });

const quotesSql = `
  select q.quotes_id as "quotesId", q.number, q.customer_id as "customerId", q.quoted_at as "quotedAt"
    from quote_requests r join quotes q on q.organisation_id = r.organisation_id and q.quoted_at = r.quoted_at and q.quotes_id = r.quotes_id
   where r.organisation_id = :organisationId and r.quotes_id between :lowest::uuid and :highest::uuid and q.number = coalesce(:number, q.number)
   order by q.quoted_at desc, q.quotes_id, q.number limit :count`;

/** Finds quotes by the id of one quote or by that of a request. */
export async function findQuotes(organisationId: string, text: string, pool: Pool) {
  const { quotesId, number } = quotePlaceOf(text) ?? { quotesId: text, number: 0 };
  const values = { organisationId, count: maxFound, number: number || null, ...idRange(quotesId) };
  const { rows } = await pool.query<{ quotesId: string; number: number; customerId: string; quotedAt: Date }>(bindNames(quotesSql, values));
  return rows.map(({ customerId, quotedAt, ...place }) => ({ quoteId: quoteIdOf(place), customerId, quotedAt }));
}
