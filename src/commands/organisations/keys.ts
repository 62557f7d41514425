import { randomBytes } from "node:crypto";
import { displayPrefix, hashApiKey, isApiKey, liveKeyPrefix, makeApiKey } from "../../domain/apiKey.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { EventOn } from "../../events/registry.js";
import { handle } from "../handle.js";
import { type ApiKeyState, type OrganisationDeps, type OrganisationState, type Origin, organisationAggregate } from "./organisation.js";

export interface CreatedKey {
  /** The whole key. It is not stored, so it can be shown only now. */
  readonly key: string;
  readonly keyId: string;
  readonly prefix: string;
}

const longestName = 200;

export async function createKey(
  deps: OrganisationDeps,
  { organisationId, name }: { organisationId: string; name: string },
  origin: Origin,
): Promise<CreatedKey> {
  const key = makeApiKey(randomBytes);
  const keyId = deps.newId();
  const prefix = displayPrefix(key);
  const at = (await deps.now()).toISOString();
  const created = { keyId, name: name.trim(), sha256: hashApiKey(key), prefix, by: origin.by, at };
  await handle(deps, organisationAggregate(organisationId), { organisation: organisationId, ...origin }, (state) => {
    if (!state.file) throw new Rejection("notFound", `There is no organisation ${organisationId}; create it with org apply`);
    if (created.name === "" || created.name.length > longestName)
      throw new Rejection("invalid", "A key needs a name of at most 200 characters");
    return [{ type: "ApiKeyCreated", data: created }];
  });
  await deps.project(organisationId);
  return { key, keyId, prefix };
}

/** `given` is a displayed prefix, the whole key, or a key id. Revoking a revoked key changes nothing. */
export async function revokeKey(
  deps: OrganisationDeps,
  { organisationId, prefix: given }: { organisationId: string; prefix: string },
  origin: Origin,
): Promise<{ readonly keyId: string; readonly prefix: string; readonly name: string }> {
  const at = (await deps.now()).toISOString();
  const { before } = await handle(deps, organisationAggregate(organisationId), { organisation: organisationId, ...origin }, (state) =>
    decideRevoke({ given, by: origin.by, at }, state),
  );
  await deps.project(organisationId);
  const { keyId, prefix, name } = keyMeant(given, before);
  return { keyId, prefix, name };
}

export function decideRevoke(
  { given, by, at }: { given: string; by: Principal; at: string },
  state: OrganisationState,
): EventOn<"organisation">[] {
  const key = keyMeant(given, state);
  return key.revoked ? [] : [{ type: "ApiKeyRevoked", data: { keyId: key.keyId, by, at } }];
}

function keyMeant(given: string, state: OrganisationState): ApiKeyState {
  if (liveKeyPrefix.startsWith(given))
    throw new Rejection("invalid", `${given || "An empty prefix"} does not tell one key from another; keys list shows what does`);
  const fitting = [...state.keys.values()].filter((key) => isMeant(given, key));
  // If several keys begin like this, the one that is not revoked is meant.
  const candidates = fitting.some(({ revoked }) => !revoked) ? fitting.filter(({ revoked }) => !revoked) : fitting;
  const [key] = candidates;
  if (!key)
    throw new Rejection("notFound", `No key of this organisation begins with ${displayPrefix(given)}; keys list shows those there are`);
  if (candidates.length > 1 && !key.revoked) {
    const ids = candidates.map(({ keyId, name }) => `${keyId} (${name})`).join(", ");
    throw new Rejection("conflict", `${candidates.length} keys begin with ${displayPrefix(given)}; give one of these ids instead: ${ids}`);
  }
  return key;
}

function isMeant(given: string, key: ApiKeyState): boolean {
  return isApiKey(given) ? key.sha256 === hashApiKey(given) : key.prefix.startsWith(given) || key.keyId === given;
}
