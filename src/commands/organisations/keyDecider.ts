// The decider of an organisation's API keys, which are on the organisation's stream. A key has a secret, and for a while after a rotation
// the one before it too.
import { displayPrefix, hashApiKey, isApiKey, liveKeyPrefix } from "../../domain/apiKey.js";
import { expectKeepHours } from "../../domain/keyRotation.js";
import { chosenScopes } from "../../domain/keyScopes.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { EventOn } from "../../events/registry.js";
import { noOrganisation, type OrganisationExistence, organisationAggregate } from "./organisationStream.js";

interface NewKeySecret {
  readonly sha256: string;
  readonly prefix: string;
}

export type KeyAction =
  | (NewKeySecret & {
      readonly type: "create";
      readonly keyId: string;
      readonly name: string;
      readonly scopes?: readonly string[] | undefined;
      readonly expiresAt?: Date | undefined;
    })
  /** `given` is a displayed prefix, the whole key, or a key id. `replaces`: the prefix of the secret that the person saw. */
  | (NewKeySecret & { readonly type: "rotate"; readonly given: string; readonly replaces?: string | undefined; readonly keepHours: number })
  | { readonly type: "revoke"; readonly given: string };

export type KeyCommand = KeyAction & { readonly organisationId: string; readonly by: Principal; readonly now: Date };

interface Secret extends NewKeySecret {
  /** When a replaced secret ends. */
  readonly until?: string;
}

export interface ApiKeyState {
  readonly keyId: string;
  readonly name: string;
  readonly revoked: boolean;
  readonly expiresAt: string | undefined;
  readonly newest: Secret;
  /** The one before it. There is no third one: a rotation ends it. */
  readonly replaced?: Secret;
}

export interface KeysState extends OrganisationExistence {
  readonly keys: Map<string, ApiKeyState>;
}

export const keysAggregate = organisationAggregate<Omit<KeysState, keyof OrganisationExistence>>(() => ({ keys: new Map() }), {
  ApiKeyCreated({ keys }, { data: { keyId, name, prefix, sha256, expiresAt } }) {
    keys.set(keyId, { keyId, name, expiresAt, revoked: false, newest: { prefix, sha256 } });
  },
  ApiKeyRotated({ keys }, { data: { keyId, prefix, sha256, keepUntil } }) {
    const key = keys.get(keyId);
    if (key) keys.set(keyId, { ...key, newest: { prefix, sha256 }, replaced: { ...key.newest, until: keepUntil } });
  },
  ApiKeyRevoked({ keys }, { data: { keyId } }) {
    const key = keys.get(keyId);
    if (key) keys.set(keyId, { ...key, revoked: true });
  },
});

const longestName = 200;
const hourMs = 3_600_000;

export function decide(command: KeyCommand, { organisationExists, keys }: KeysState): EventOn<"organisation">[] {
  const { organisationId, by, now } = command;
  const caused = { by, at: now.toISOString() };
  switch (command.type) {
    case "create": {
      const { keyId, name, sha256, prefix, expiresAt } = command;
      if (!organisationExists) throw noOrganisation(organisationId);
      if (name === "" || name.length > longestName)
        throw new Rejection("invalid", `A key needs a name of at most ${longestName} characters`);
      const scopes = chosenScopes(command.scopes);
      if (keys.has(keyId)) return [];
      if (expiresAt && expiresAt <= now) throw new Rejection("invalid", "A key cannot end in the past; give a later time");
      const limits = { scopes: scopes && [...scopes], expiresAt: expiresAt?.toISOString() };
      return [{ type: "ApiKeyCreated", data: { keyId, name, sha256, prefix, ...limits, ...caused } }];
    }
    case "rotate": {
      const { sha256, prefix, keepHours } = command;
      expectKeepHours(keepHours);
      const key = findKey(command.given, keys, now);
      if (key.newest.sha256 === sha256) return [];
      expectRotatable(key, now);
      expectNewest(key, command);
      return [{ type: "ApiKeyRotated", data: { keyId: key.keyId, sha256, prefix, keepUntil: keptUntil(key, keepHours, now), ...caused } }];
    }
    case "revoke": {
      const { keyId, revoked } = findKey(command.given, keys, now);
      return revoked ? [] : [{ type: "ApiKeyRevoked", data: { keyId, ...caused } }];
    }
  }
}

function expectRotatable(key: ApiKeyState, now: Date): void {
  if (key.revoked) throw new Rejection("conflict", `The key ${key.name} is revoked and cannot be rotated; create a new one`);
  if (hasEnded(key, now))
    throw new Rejection("conflict", `The key ${key.name} ended at ${key.expiresAt} and cannot be rotated; create a new one`);
}

/** Whoever sends a rotation twice would end the secret that is still deployed everywhere, so the second one is refused. */
function expectNewest({ newest, replaced, keyId, name }: ApiKeyState, command: { given: string; replaces?: string | undefined }): void {
  const { given, replaces } = command;
  const meansReplaced = replaced !== undefined && given !== keyId && !isSecret(given, newest);
  if (!meansReplaced && (replaces === undefined || replaces === newest.prefix)) return;
  throw new Rejection("conflict", `The key ${name} has been rotated already; to rotate it again, give the newer ${newest.prefix}`);
}

/** No secret outlives its key, so people are not told a later time. */
function keptUntil({ expiresAt }: ApiKeyState, keepHours: number, now: Date): string {
  const chosen = now.getTime() + keepHours * hourMs;
  return new Date(expiresAt === undefined ? chosen : Math.min(chosen, Date.parse(expiresAt))).toISOString();
}

const hasEnded = ({ expiresAt }: ApiKeyState, now: Date): boolean => expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime();

export function findKey(given: string, keys: KeysState["keys"], now: Date): ApiKeyState {
  if (liveKeyPrefix.startsWith(given))
    throw new Rejection("invalid", `${given || "An empty prefix"} does not tell one key from another; keys list shows what does`);
  const fitting = [...keys.values()].filter((key) => isNamedBy(given, key, now));
  // If several keys begin like this, the one that can still be used is meant.
  const usable = fitting.filter((key) => !key.revoked && !hasEnded(key, now));
  const candidates = usable.length > 0 ? usable : fitting;
  const [key] = candidates;
  if (!key)
    throw new Rejection("notFound", `No key of this organisation begins with ${displayPrefix(given)}; keys list shows those there are`);
  if (usable.length > 1) {
    const ids = candidates.map(({ keyId, name }) => `${keyId} (${name})`).join(", ");
    throw new Rejection("conflict", `${candidates.length} keys begin with ${displayPrefix(given)}; give one of these ids instead: ${ids}`);
  }
  return key;
}

function isNamedBy(given: string, { keyId, newest, replaced }: ApiKeyState, now: Date): boolean {
  if (keyId === given || isSecret(given, newest)) return true;
  const goesOn = replaced?.until !== undefined && Date.parse(replaced.until) > now.getTime();
  return goesOn && isSecret(given, replaced);
}

const isSecret = (given: string, { sha256, prefix }: Secret): boolean =>
  isApiKey(given) ? sha256 === hashApiKey(given) : prefix.startsWith(given);
