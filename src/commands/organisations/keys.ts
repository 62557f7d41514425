// Commands about an organisation's API keys. A secret is answered once, by the command that makes it; only its hash is kept.
import { randomBytes, randomUUID } from "node:crypto";
import { displayPrefix, hashApiKey, makeApiKey } from "../../domain/apiKey.js";
import { defaultKeepHours } from "../../domain/keyRotation.js";
import { decide, findKey, type KeyAction, keysAggregate } from "./keyDecider.js";
import { changeOrganisation, type OrganisationDeps, type Origin } from "./organisationStream.js";

export interface NewKey {
  readonly organisationId: string;
  readonly name: string;
  /** All if left out. */
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: Date | undefined;
}

/** `key` is the whole key. It is not stored, so it can be shown only now. */
export async function createKey(deps: OrganisationDeps, wanted: NewKey, origin: Origin) {
  const { organisationId, name, scopes, expiresAt } = wanted;
  const keyId = randomUUID();
  const { key, ...secret } = newSecret();
  await changeKeys(organisationId, { type: "create", keyId, name: name.trim(), scopes, expiresAt, ...secret }, origin, deps);
  return { key, keyId, prefix: secret.prefix };
}

/** A displayed prefix, the whole key, or a key id. */
interface KeyGiven {
  readonly organisationId: string;
  readonly prefix: string;
}

/**
 * `replaces`: the prefix that the person saw, so that a form that is sent twice rotates once. Returns the old secret and until when it goes on, and in
 * `ended` the secret before the old one, if the rotation ended it.
 */
export async function rotateKey(
  deps: OrganisationDeps,
  { organisationId, prefix: given, replaces, keepHours = defaultKeepHours }: KeyGiven & { replaces?: string; keepHours?: number },
  origin: Origin,
) {
  const { key, ...secret } = newSecret();
  const action = { type: "rotate", given, replaces, keepHours, ...secret } as const;
  const { before, decided, now } = await changeKeys(organisationId, action, origin, deps);
  const [rotated] = decided;
  if (rotated?.type !== "ApiKeyRotated") throw new Error("a rotation decides one event");
  const { keyId, name, newest, replaced } = findKey(given, before.keys, now);
  const ended = replaced?.until !== undefined && new Date(replaced.until) > now ? replaced.prefix : undefined;
  return { key, keyId, name, prefix: secret.prefix, old: { prefix: newest.prefix, until: new Date(rotated.data.keepUntil) }, ended };
}

/** Ends all secrets of the key. Revoking a revoked key changes nothing. */
export async function revokeKey(deps: OrganisationDeps, { organisationId, prefix: given }: KeyGiven, origin: Origin) {
  const { before, now } = await changeKeys(organisationId, { type: "revoke", given }, origin, deps);
  const { keyId, name, newest } = findKey(given, before.keys, now);
  return { keyId, name, prefix: newest.prefix };
}

function newSecret() {
  const key = makeApiKey(randomBytes);
  return { key, sha256: hashApiKey(key), prefix: displayPrefix(key) };
}

const changeKeys = (organisationId: string, action: KeyAction, origin: Origin, deps: OrganisationDeps) =>
  changeOrganisation(organisationId, keysAggregate, (keys, given) => decide({ ...action, ...given }, keys), origin, deps);
