import type { Pool } from "pg";

type LookUp = (requests: ReadonlyMap<string, number>) => Promise<Map<string, KeyUse>>;

interface WaitingRequest {
  readonly sha256: string;
  readonly counts: 0 | 1;
  readonly resolve: (use: KeyUse | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Two, so that one slow query does not delay all later requests. While queries are fast there is one, so that more requests share it. */
const maxLookUpsAtOnce = 2;
const slowMs = 10;
const maxRequestsPerLookUp = 1000;

/**
 * Requests that arrive while a look-up runs share the next one, so each request's query is sent after the request arrived. `counts`: 0 where a
 * request that was counted already is looked up again.
 */
export function coalesceLookUps(lookUp: LookUp): (sha256: string, counts?: 0 | 1) => Promise<KeyUse | undefined> {
  let waiting: WaitingRequest[] = [];
  let running = 0;
  let lastSent = 0;
  let nextPump: NodeJS.Timeout | undefined;

  const send = async (batch: readonly WaitingRequest[]): Promise<void> => {
    try {
      const requests = new Map<string, number>();
      for (const { sha256, counts } of batch) requests.set(sha256, (requests.get(sha256) ?? 0) + counts);
      handOut(batch, requests, await lookUp(requests));
    } catch (error) {
      for (const request of batch) request.reject(error);
    }
  };

  const mayGo = (): boolean => running === 0 || (running < maxLookUpsAtOnce && performance.now() - lastSent >= slowMs);

  const pump = (): void => {
    clearTimeout(nextPump);
    while (waiting.length > 0 && mayGo()) {
      const batch = waiting.slice(0, maxRequestsPerLookUp);
      waiting = waiting.slice(maxRequestsPerLookUp);
      running++;
      lastSent = performance.now();
      void send(batch).finally(() => {
        running--;
        pump();
      });
    }
    if (waiting.length > 0 && running < maxLookUpsAtOnce) nextPump = setTimeout(pump, slowMs);
  };

  return (sha256, counts = 1) =>
    new Promise((resolve, reject) => {
      waiting.push({ sha256, counts, resolve, reject });
      // At the end of the tick, so that requests read from many sockets in the same tick share a query.
      if (waiting.length === 1) setImmediate(pump);
    });
}

/** If a key was looked up for n requests and its count is now `used`, they get the numbers used-n+1 to used, in order of arrival. */
function handOut(batch: readonly WaitingRequest[], requests: ReadonlyMap<string, number>, found: ReadonlyMap<string, KeyUse>): void {
  const handedOut = new Map<string, number>();
  for (const { sha256, counts, resolve } of batch) {
    const use = found.get(sha256);
    const nth = (handedOut.get(sha256) ?? 0) + counts;
    handedOut.set(sha256, nth);
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
  readonly secondsLeft: number;
}

/** What `look_up_secrets_json` of the migrations answers. */
interface SecretsAnswer {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly keys: readonly (Omit<KeyUse, "now"> & { readonly sha256: string })[];
}

/** Looks up the owners of any number of keys, and counts their requests, in one query. */
export async function lookUpKeys(pool: Pool, requests: ReadonlyMap<string, number>): Promise<Map<string, KeyUse>> {
  const asked = [[...requests.keys()], [...requests.values()]];
  const { rows } = await pool.query<{ found: SecretsAnswer }>("/* prepared */ select look_up_secrets_json($1, $2) as found", asked);
  const { now, keys } = rows[0]?.found ?? { now: 0, keys: [] };
  return new Map(keys.map(({ sha256, ...use }) => [sha256, { ...use, now: new Date(now) }]));
}
