import type { Pool } from "pg";

type LookUp = (requests: ReadonlyMap<string, number>) => Promise<Map<string, KeyUse>>;

interface WaitingRequest {
  readonly sha256: string;
  readonly counts: 0 | 1;
  readonly resolve: (use: KeyUse | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Two, so that a slow query does not delay all later requests. The second starts only if the first is slow: fewer queries are cheaper. */
const maxLookUpsAtOnce = 2;
const slowLookUpMs = 10;
const maxRequestsPerLookUp = 1000;

/**
 * Requests that arrive while a look-up runs share the next one, so that each request's query is sent after the request has arrived.
 * `counts` is 0 to look a key up again for a request that was counted before.
 */
export function coalesceLookUps(lookUp: LookUp): (sha256: string, counts?: 0 | 1) => Promise<KeyUse | undefined> {
  let waiting: WaitingRequest[] = [];
  let running = 0;
  let lastSent = 0;
  let nextSend: NodeJS.Timeout | undefined;

  const send = async (batch: readonly WaitingRequest[]): Promise<void> => {
    try {
      const requests = new Map<string, number>();
      for (const { sha256, counts } of batch) requests.set(sha256, (requests.get(sha256) ?? 0) + counts);
      resolveEach(batch, requests, await lookUp(requests));
    } catch (error) {
      for (const request of batch) request.reject(error);
    }
  };

  const maySend = (): boolean => running === 0 || (running < maxLookUpsAtOnce && performance.now() - lastSent >= slowLookUpMs);

  const sendWaiting = (): void => {
    clearTimeout(nextSend);
    while (waiting.length > 0 && maySend()) {
      const batch = waiting.slice(0, maxRequestsPerLookUp);
      waiting = waiting.slice(maxRequestsPerLookUp);
      running++;
      lastSent = performance.now();
      void send(batch).finally(() => {
        running--;
        sendWaiting();
      });
    }
    if (waiting.length > 0 && running < maxLookUpsAtOnce) nextSend = setTimeout(sendWaiting, slowLookUpMs);
  };

  return (sha256, counts = 1) =>
    new Promise((resolve, reject) => {
      waiting.push({ sha256, counts, resolve, reject });
      // Sends at the end of the tick, so that requests read from many sockets in the same tick share a query.
      if (waiting.length === 1) setImmediate(sendWaiting);
    });
}

/** Gives each request its own count: if a key was used 5 times with the 2 requests of this batch, the first one gets 4 and the second 5. */
function resolveEach(batch: readonly WaitingRequest[], requests: ReadonlyMap<string, number>, uses: ReadonlyMap<string, KeyUse>): void {
  const resolvedCounts = new Map<string, number>();
  for (const { sha256, counts, resolve } of batch) {
    const use = uses.get(sha256);
    const nth = (resolvedCounts.get(sha256) ?? 0) + counts;
    resolvedCounts.set(sha256, nth);
    resolve(use === undefined ? undefined : { ...use, used: use.used - (requests.get(sha256) ?? 0) + nth });
  }
}

export interface KeyUse {
  readonly organisationId: string;
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly catalogueVersion: number;
  /** Null for a key that may do everything. */
  readonly scopes: readonly string[] | null;
  readonly now: Date;
  /** The number of requests in the key's current minute, including those of this look-up. */
  readonly used: number;
  /** Until the key's current minute ends. */
  readonly secondsLeft: number;
}

/**
 * Each process creates the function when it starts. The function handles keys one by one, in a fixed order so that two look-ups never
 * deadlock. Most look-ups have one key; for those the loop takes two thirds of the time of a set-based statement. Without the generic plan
 * a call would take three times as long. During an upgrade the previous version calls it too: a change that it cannot use needs a new name.
 */
export const lookUpSecretsFunction = `CREATE OR REPLACE FUNCTION look_up_secrets_json(hashes text[], counts integer[]) RETURNS json
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  known record;
  counted record;
  answers json[] := '{}';
BEGIN
  FOR known IN
    SELECT k.sha256, k.key_id, k.prefix, k.scopes, k.organisation_id, o.catalogue_version, asked.requests
    FROM unnest(hashes, counts) AS asked (sha256, requests)
    JOIN api_keys k ON k.sha256 = asked.sha256 AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now()) AND (k.valid_until IS NULL OR k.valid_until > now())
    JOIN organisations o ON o.id = k.organisation_id
    ORDER BY k.key_id, k.sha256
  LOOP
    INSERT INTO rate_windows AS w (key_id, window_start, used) VALUES (known.key_id, now(), known.requests)
    ON CONFLICT (key_id) DO UPDATE SET
      used = CASE WHEN w.window_start <= now() - interval '1 minute' THEN excluded.used ELSE w.used + excluded.used END,
      window_start = CASE WHEN w.window_start <= now() - interval '1 minute' THEN excluded.window_start ELSE w.window_start END
    RETURNING w.used, least(60, greatest(1, ceil(extract(epoch FROM w.window_start + interval '1 minute' - now()))))::int AS seconds_left INTO counted;
    IF NOT EXISTS (
      SELECT FROM key_uses u WHERE u.key_id = known.key_id AND u.sha256 = known.sha256 AND u.last_used_at > now() - interval '1 minute'
    ) THEN
      INSERT INTO key_uses (key_id, sha256, last_used_at) VALUES (known.key_id, known.sha256, now())
      ON CONFLICT (key_id, sha256) DO UPDATE SET last_used_at = excluded.last_used_at;
    END IF;
    answers := answers || json_build_object('sha256', known.sha256, 'organisationId', known.organisation_id, 'keyId', known.key_id,
      'keyPrefix', known.prefix, 'catalogueVersion', known.catalogue_version, 'scopes', known.scopes, 'used', counted.used,
      'secondsLeft', counted.seconds_left);
  END LOOP;
  RETURN json_build_object('now', floor(extract(epoch FROM now()) * 1000)::bigint, 'keys', array_to_json(answers));
END
$$`;

/** What `look_up_secrets_json` answers. */
interface SecretsAnswer {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly keys: readonly (Omit<KeyUse, "now"> & { readonly sha256: string })[];
}

/** Looks up the owners of any number of keys, and counts their requests, in one query. */
export async function lookUpKeys(pool: Pool, requests: ReadonlyMap<string, number>): Promise<Map<string, KeyUse>> {
  const values = [[...requests.keys()], [...requests.values()]];
  const { rows } = await pool.query<{ found: SecretsAnswer }>("/* prepared */ select look_up_secrets_json($1, $2) as found", values);
  const { now, keys } = rows[0]?.found ?? { now: 0, keys: [] };
  return new Map(keys.map(({ sha256, ...use }) => [sha256, { ...use, now: new Date(now) }]));
}
