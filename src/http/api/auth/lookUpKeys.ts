import type { Pool } from "pg";

export interface KeyUse {
  readonly organisationId: string;
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly catalogueVersion: number;
  readonly now: Date;
  /** The number of requests in the key's current minute, including those of this look-up. */
  readonly used: number;
  readonly secondsLeft: number;
}

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

/** Looks up the owners of any number of keys, and counts their requests, in one query. The SQL function is in the migrations. */
export async function lookUpKeys(pool: Pool, requests: ReadonlyMap<string, number>): Promise<Map<string, KeyUse>> {
  const { rows } = await pool.query<Row>("select * from look_up_keys($1, $2)", [[...requests.keys()], [...requests.values()]]);
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
