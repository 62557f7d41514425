import type { Pool } from "pg";
import { hashApiKey, isApiKey } from "../../../domain/apiKey.js";
import { hasScope, type NeededScope, scopeRefusal } from "../../../domain/keyScopes.js";
import { Rejection } from "../../../domain/rejection.js";
import { answerInTime } from "../../server/answerInTime.js";
import { Problem } from "../../server/problem.js";
import type { RecheckAccess } from "../../server/readBody.js";
import { coalesceLookUps, type KeyUse, lookUpKeys } from "./lookUpKeys.js";

/** How long a request waits for a database that does not answer. */
const lookUpTimeoutMs = 3_000;

export type Authenticate = ReturnType<typeof createAuthenticate>;

/** More keys than an operator has. When the set of admitted keys is full, it is emptied. */
const maxAdmittedKeys = 10_000;

export function createAuthenticate(pool: Pool, limitPerMinute: number) {
  const inTime = <T>(work: Promise<T>) => answerInTime(work, lookUpTimeoutMs, "look-up of an API key");
  const lookUp = coalesceLookUps((requests) => inTime(lookUpKeys(pool, requests)));
  const admittedHashes = new Set<string>();
  /** Rejects with 401, with 429 when the key's minute is used up, or with 503 when the database is unavailable. */
  const admit = async (sha256: string) => {
    try {
      const keyUse = await inTime(lookUp(sha256)); // includes the wait for an earlier look-up
      if (keyUse === undefined) throw unknownKey();
      const admission = admissionOf(keyUse, limitPerMinute);
      if (admittedHashes.size >= maxAdmittedKeys) admittedHashes.clear();
      admittedHashes.add(sha256);
      /** Looks the key up again, and throws 401 if it has been revoked or has expired. Does not count as a request. */
      const recheckAccess: RecheckAccess = async () => {
        if ((await inTime(lookUp(sha256, 0))) === undefined) throw unknownKey();
      };
      return { ...admission, recheckAccess };
    } catch (error) {
      admittedHashes.delete(sha256);
      throw error;
    }
  };
  return (key: string | undefined) => {
    if (key === undefined || key === "") throw unauthorised("Send your API key in the header x-api-key");
    // The checksum in the key shows most wrong keys without a query.
    if (!isApiKey(key)) throw unknownKey();
    const sha256 = hashApiKey(key);
    /** `isLikelyAdmitted`: the last request with this key was admitted, so this one probably will be as well. */
    return { isLikelyAdmitted: admittedHashes.has(sha256), admission: admit(sha256) };
  };
}

/** The caller and the headers of the answer. Throws 429 if the key's minute is used up. */
function admissionOf({ used, secondsLeft, keyId, scopes, now, ...identity }: KeyUse, limit: number) {
  const lookedUpAt = performance.now();
  const caller = {
    ...identity,
    by: { kind: "key", id: keyId } as const,
    now: () => new Date(now.getTime() + performance.now() - lookedUpAt),
  };
  const headers = {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(Math.max(0, limit - used)),
    "ratelimit-reset": String(secondsLeft),
  };
  /** Throws 403 if the key does not have the scope. */
  const expectScope = (needed: NeededScope) => {
    if (!hasScope(scopes, needed)) throw new Rejection("forbidden", scopeRefusal(scopes));
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
