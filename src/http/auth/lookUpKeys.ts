import type { Pool } from "pg";

export interface KeyUse {
  readonly organisationId: string;
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly catalogueVersion: number;
  readonly now: Date;
  /** Requests counted in the key's current minute, those of this look-up included. */
  readonly used: number;
  readonly secondsLeft: number;
}

// Keys are never cached: a revoke holds from its commit on, at every process. Unknown and revoked keys count nowhere.
// The stored start is rounded to the millisecond and may lie ahead of now, hence the bound of 60 seconds.
// The row lock of the upsert hands every request its own number, whichever process asks; sorted, so that two look-ups cannot deadlock.
const statement = `
  with asked as (
    select * from unnest($1::text[], $2::int[]) as asked (sha256, requests)
  ), known as (
    select k.sha256, k.key_id, k.prefix, k.organisation_id, o.catalogue_version, asked.requests
    from asked
    join api_keys k on k.sha256 = asked.sha256 and k.revoked_at is null
    join organisations o on o.id = k.organisation_id
  ), counted as (
    insert into rate_windows as w (key_id, window_start, used)
    select key_id, now(), requests from known order by key_id
    on conflict (key_id) do update set
      used = case when w.window_start <= now() - interval '1 minute' then excluded.used else w.used + excluded.used end,
      window_start = case when w.window_start <= now() - interval '1 minute' then excluded.window_start else w.window_start end
    returning key_id, used, window_start
  )
  select known.sha256, known.key_id, known.prefix, known.organisation_id, known.catalogue_version, counted.used,
    now() as now,
    least(60, greatest(1, ceil(extract(epoch from counted.window_start + interval '1 minute' - now()))))::int as seconds_left
  from known join counted using (key_id)`;

interface Row {
  sha256: string;
  key_id: string;
  prefix: string;
  organisation_id: string;
  catalogue_version: number;
  used: number;
  now: Date;
  seconds_left: number;
}

/** One round trip for any number of keys: who they belong to, and how often each has been used this minute. */
export async function lookUpKeys(pool: Pool, requests: ReadonlyMap<string, number>): Promise<Map<string, KeyUse>> {
  // Named: planned once per connection and not with every look-up, which took longer than running it.
  const query = { name: "look up keys", text: statement, values: [[...requests.keys()], [...requests.values()]] };
  const { rows } = await pool.query<Row>(query);
  return new Map(rows.map((row) => [row.sha256, toKeyUse(row)]));
}

function toKeyUse(row: Row): KeyUse {
  return {
    organisationId: row.organisation_id,
    keyId: row.key_id,
    keyPrefix: row.prefix,
    catalogueVersion: row.catalogue_version,
    now: row.now,
    used: row.used,
    secondsLeft: row.seconds_left,
  };
}
