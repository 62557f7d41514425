import type { Pool } from "pg";
import { hashApiKey, isApiKey } from "../../../domain/apiKey.js";
import { hasScope, type NeededScope, outOfScope } from "../../../domain/keyScopes.js";
import { Rejection } from "../../../domain/rejection.js";
import { answerInTime } from "../../server/answerInTime.js";
import { Problem } from "../../server/problem.js";
import type { RecheckAccess } from "../../server/readBody.js";
import { coalesceLookUps, type KeyUse, lookUpKeys } from "./lookUpKeys.js";

/** How long a request waits for a database that does not answer. */
const lookUpTimeoutMs = 3_000;

export type Authenticate = ReturnType<typeof createAuthenticate>;

/** Far more keys than an operator has; the set is emptied when it is full. */
const mostAdmitted = 10_000;

export function createAuthenticate(pool: Pool, limitPerMinute: number) {
  const known = <T>(work: Promise<T>) => answerInTime(work, lookUpTimeoutMs, "look-up of an API key");
  const lookUp = coalesceLookUps((requests) => known(lookUpKeys(pool, requests)));
  const admitted = new Set<string>();
  /** Rejects with 401, 429 when the key's minute is used up, or 503 when the database is unavailable. */
  const admission = async (sha256: string) => {
    try {
      const use = await known(lookUp(sha256)); // includes the wait for the look-up before it
      if (use === undefined) throw unknownKey();
      const found = admit(use, limitPerMinute);
      if (admitted.size >= mostAdmitted) admitted.clear();
      admitted.add(sha256);
      /** Throws 401 if the key has been revoked, or has ended, since. Does not count as a request. */
      const recheckAccess: RecheckAccess = async () => {
        if ((await known(lookUp(sha256, 0))) === undefined) throw unknownKey();
      };
      return { ...found, recheckAccess };
    } catch (error) {
      admitted.delete(sha256);
      throw error;
    }
  };
  return (key: string | undefined) => {
    if (key === undefined || key === "") throw unauthorised("Send your API key in the header x-api-key");
    // The checksum in the key shows most wrong keys without a query.
    if (!isApiKey(key)) throw unknownKey();
    const sha256 = hashApiKey(key);
    /** `isLikely`: the last request with this key was admitted, so this one most probably is. */
    return { isLikely: admitted.has(sha256), admission: admission(sha256) };
  };
}

function admit(use: KeyUse, limit: number) {
  const { used, secondsLeft, keyId, scopes, now, ...known } = use;
  const lookedUpAt = performance.now();
  const caller = {
    ...known,
    by: { kind: "key", id: keyId } as const,
    now: () => new Date(now.getTime() + performance.now() - lookedUpAt),
  };
  const headers = {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(Math.max(0, limit - used)),
    "ratelimit-reset": String(secondsLeft),
  };
  /** Throws 403 if the key may not do this. */
  const expectScope = (needed: NeededScope) => {
    if (!hasScope(scopes, needed)) throw new Rejection("forbidden", outOfScope(scopes));
  };
  if (used <= limit) return { caller, headers, expectScope };
  const message = `The limit of ${limit} requests per minute is used up, try again in ${secondsLeft} seconds`;
  throw new Problem("rateLimited", message, {
    headers: { ...headers, "retry-after": String(secondsLeft) },
    body: { message, limit, retryAfterSeconds: secondsLeft },
  });
}

const unauthorised = (message: string) => new Problem("unauthorised", message, { body: { message } });
const unknownKey = () => unauthorised("The API key is not valid. Check that it is complete and has not been revoked");
