// Commands about an organisation's API keys. The command that makes a secret returns it once; only its hash is stored.
import { randomBytes, randomUUID } from "node:crypto";
import { displayPrefix, hashApiKey, makeApiKey } from "../../domain/apiKey.js";
import { defaultKeepHours } from "../../domain/keyRotation.js";
import { decide, findKey, type KeyAction, keysAggregate } from "./keyDecider.js";
import { changeOrganisation, type OrganisationDeps, type Origin } from "./organisationStream.js";

export interface NewKey {
  readonly organisationId: string;
  readonly name: string;
  /** All scopes if absent. */
  readonly scopes?: readonly string[] | undefined;
  /** The key never expires if absent. */
  readonly expiresAt?: Date | undefined;
}

/** Returns the whole `key`. It is not stored, so it can be shown only once. */
export async function createKey(deps: OrganisationDeps, newKey: NewKey, origin: Origin) {
  const { organisationId, name, scopes, expiresAt } = newKey;
  const keyId = randomUUID();
  const { key, ...secret } = newSecret();
  await changeKeys(organisationId, { type: "create", keyId, name: name.trim(), scopes, expiresAt, ...secret }, origin, deps);
  return { key, keyId, prefix: secret.prefix };
}

interface KeySelector {
  readonly organisationId: string;
  /** A displayed prefix, the whole key, or a key id. */
  readonly prefix: string;
}

/**
 * `replaces`: the prefix that the person saw, so that a form that is sent twice rotates once. Returns in `old` the replaced secret and when
 * it expires, and in `ended` the prefix of the secret before that, if the rotation ended it early.
 */
export async function rotateKey(
  deps: OrganisationDeps,
  { organisationId, prefix: keyRef, replaces, keepHours = defaultKeepHours }: KeySelector & { replaces?: string; keepHours?: number },
  origin: Origin,
) {
  const { key, ...secret } = newSecret();
  const action = { type: "rotate", keyRef, replaces, keepHours, ...secret } as const;
  const { stateBefore, newEvents, now } = await changeKeys(organisationId, action, origin, deps);
  const [rotated] = newEvents;
  if (rotated?.type !== "ApiKeyRotated") throw new Error("a rotation decides one event");
  const { keyId, name, newestSecret, replacedSecret } = findKey(keyRef, stateBefore.keys, now);
  const ended = replacedSecret?.endsAt !== undefined && new Date(replacedSecret.endsAt) > now ? replacedSecret.prefix : undefined;
  return { key, keyId, name, prefix: secret.prefix, old: { prefix: newestSecret.prefix, until: new Date(rotated.data.keepUntil) }, ended };
}

/** Ends all secrets of the key immediately. Revoking a revoked key changes nothing. */
export async function revokeKey(deps: OrganisationDeps, { organisationId, prefix: keyRef }: KeySelector, origin: Origin) {
  const { stateBefore, now } = await changeKeys(organisationId, { type: "revoke", keyRef }, origin, deps);
  const { keyId, name, newestSecret } = findKey(keyRef, stateBefore.keys, now);
  return { keyId, name, prefix: newestSecret.prefix };
}

function newSecret() {
  const key = makeApiKey(randomBytes);
  return { key, sha256: hashApiKey(key), prefix: displayPrefix(key) };
}

const changeKeys = (organisationId: string, action: KeyAction, origin: Origin, deps: OrganisationDeps) =>
  changeOrganisation(organisationId, keysAggregate, (state, base) => decide({ ...action, ...base }, state), origin, deps);
