// The decider of an organisation's API keys, on the organisation's stream. After a rotation the replaced secret stays valid for a while.
import { displayPrefix, hashApiKey, isApiKey, liveKeyPrefix } from "../../domain/apiKey.js";
import { checkKeepHours } from "../../domain/keyRotation.js";
import { parseScopes } from "../../domain/keyScopes.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { EventOn } from "../../events/registry.js";
import { noOrganisation, type OrganisationExistence, organisationAggregate } from "./organisationStream.js";

interface NewSecret {
  readonly sha256: string;
  readonly prefix: string;
}

export type KeyAction =
  | (NewSecret & {
      readonly type: "create";
      readonly keyId: string;
      readonly name: string;
      readonly scopes?: readonly string[] | undefined;
      readonly expiresAt?: Date | undefined;
    })
  /** `keyRef` is a displayed prefix, the whole key, or a key id. `replaces`: the prefix of the secret that the person saw. */
  | (NewSecret & { readonly type: "rotate"; readonly keyRef: string; readonly replaces?: string | undefined; readonly keepHours: number })
  | { readonly type: "revoke"; readonly keyRef: string };

export type KeyCommand = KeyAction & { readonly organisationId: string; readonly by: Principal; readonly now: Date };

interface Secret extends NewSecret {
  /** When a replaced secret expires. */
  readonly endsAt?: string;
}

export interface ApiKeyState {
  readonly keyId: string;
  readonly name: string;
  readonly revoked: boolean;
  readonly expiresAt: string | undefined;
  readonly newestSecret: Secret;
  /** The previous secret. The next rotation ends it immediately, so that a key never has three valid secrets. */
  readonly replacedSecret?: Secret;
}

export interface KeysState extends OrganisationExistence {
  readonly keys: Map<string, ApiKeyState>;
}

export const keysAggregate = organisationAggregate<Omit<KeysState, keyof OrganisationExistence>>(() => ({ keys: new Map() }), {
  ApiKeyCreated({ keys }, { data: { keyId, name, prefix, sha256, expiresAt } }) {
    keys.set(keyId, { keyId, name, expiresAt, revoked: false, newestSecret: { prefix, sha256 } });
  },
  ApiKeyRotated({ keys }, { data: { keyId, prefix, sha256, keepUntil } }) {
    const key = keys.get(keyId);
    if (key) keys.set(keyId, { ...key, newestSecret: { prefix, sha256 }, replacedSecret: { ...key.newestSecret, endsAt: keepUntil } });
  },
  ApiKeyRevoked({ keys }, { data: { keyId } }) {
    const key = keys.get(keyId);
    if (key) keys.set(keyId, { ...key, revoked: true });
  },
});

const maxNameLength = 200;
const hourMs = 3_600_000;

export function decide(command: KeyCommand, { organisationExists, keys }: KeysState): EventOn<"organisation">[] {
  const { organisationId, by, now } = command;
  const stamp = { by, at: now.toISOString() };
  switch (command.type) {
    case "create": {
      const { keyId, name, sha256, prefix, expiresAt } = command;
      if (!organisationExists) throw noOrganisation(organisationId);
      if (name === "" || name.length > maxNameLength)
        throw new Rejection("invalid", `A key needs a name of at most ${maxNameLength} characters`);
      const scopes = parseScopes(command.scopes);
      if (keys.has(keyId)) return [];
      if (expiresAt && expiresAt <= now) throw new Rejection("invalid", "A key cannot end in the past; give a later time");
      const limits = { scopes: scopes && [...scopes], expiresAt: expiresAt?.toISOString() };
      return [{ type: "ApiKeyCreated", data: { keyId, name, sha256, prefix, ...limits, ...stamp } }];
    }
    case "rotate": {
      const { sha256, prefix, keepHours } = command;
      checkKeepHours(keepHours);
      const key = findKey(command.keyRef, keys, now);
      if (key.newestSecret.sha256 === sha256) return [];
      expectRotatable(key, now);
      expectNewest(key, command);
      const keepUntil = replacedSecretEnd(key, keepHours, now);
      return [{ type: "ApiKeyRotated", data: { keyId: key.keyId, sha256, prefix, keepUntil, ...stamp } }];
    }
    case "revoke": {
      const { keyId, revoked } = findKey(command.keyRef, keys, now);
      return revoked ? [] : [{ type: "ApiKeyRevoked", data: { keyId, ...stamp } }];
    }
  }
}

function expectRotatable(key: ApiKeyState, now: Date): void {
  if (key.revoked) throw new Rejection("conflict", `The key ${key.name} is revoked and cannot be rotated; create a new one`);
  if (hasEnded(key, now))
    throw new Rejection("conflict", `The key ${key.name} ended at ${key.expiresAt} and cannot be rotated; create a new one`);
}

/** Rejects a rotation that is sent twice: the second one would end the secret that is still deployed everywhere. */
function expectNewest(key: ApiKeyState, { keyRef, replaces }: { keyRef: string; replaces?: string | undefined }): void {
  const { newestSecret, replacedSecret, keyId, name } = key;
  const namesReplacedSecret = replacedSecret !== undefined && keyRef !== keyId && !isSecret(keyRef, newestSecret);
  if (!namesReplacedSecret && (replaces === undefined || replaces === newestSecret.prefix)) return;
  throw new Rejection("conflict", `The key ${name} has been rotated already; to rotate it again, give the newer ${newestSecret.prefix}`);
}

/** When the replaced secret expires: after `keepHours`, or earlier if its key expires earlier. */
function replacedSecretEnd({ expiresAt }: ApiKeyState, keepHours: number, now: Date): string {
  const chosen = now.getTime() + keepHours * hourMs;
  return new Date(expiresAt === undefined ? chosen : Math.min(chosen, Date.parse(expiresAt))).toISOString();
}

const hasEnded = ({ expiresAt }: ApiKeyState, now: Date): boolean => expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime();

export function findKey(keyRef: string, keys: KeysState["keys"], now: Date): ApiKeyState {
  if (liveKeyPrefix.startsWith(keyRef))
    throw new Rejection("invalid", `${keyRef || "An empty prefix"} does not tell one key from another; keys list shows what does`);
  const matchingKeys = [...keys.values()].filter((key) => isNamedBy(keyRef, key, now));
  // If several keys match, the caller means the key that can still be used.
  const usable = matchingKeys.filter((key) => !key.revoked && !hasEnded(key, now));
  const candidates = usable.length > 0 ? usable : matchingKeys;
  const [key] = candidates;
  if (!key)
    throw new Rejection("notFound", `No key of this organisation begins with ${displayPrefix(keyRef)}; keys list shows those there are`);
  if (usable.length > 1) {
    const ids = candidates.map(({ keyId, name }) => `${keyId} (${name})`).join(", ");
    throw new Rejection("conflict", `${candidates.length} keys begin with ${displayPrefix(keyRef)}; give one of these ids instead: ${ids}`);
  }
  return key;
}

function isNamedBy(keyRef: string, { keyId, newestSecret, replacedSecret }: ApiKeyState, now: Date): boolean {
  if (keyId === keyRef || isSecret(keyRef, newestSecret)) return true;
  const isStillValid = replacedSecret?.endsAt !== undefined && Date.parse(replacedSecret.endsAt) > now.getTime();
  return isStillValid && isSecret(keyRef, replacedSecret);
}

const isSecret = (keyRef: string, { sha256, prefix }: Secret): boolean =>
  isApiKey(keyRef) ? sha256 === hashApiKey(keyRef) : prefix.startsWith(keyRef);
