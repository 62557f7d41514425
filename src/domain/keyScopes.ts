// What an API key may do. A key without scopes may do everything: those created before there were scopes have none.
import { Rejection } from "./rejection.js";

export const keyScopes = ["quotes", "shipments", "activities", "read"] as const;

export type KeyScope = (typeof keyScopes)[number];

/** The scope that a call needs; of several, one is enough. */
export type NeededScope = KeyScope | readonly [KeyScope, ...KeyScope[]];

/** A key's scopes; absent if it may do everything. A later version may have recorded scopes that this version does not know. */
export type Scopes = readonly string[] | null | undefined;

export const scopesOf = (scopes: Scopes): readonly string[] => scopes ?? keyScopes;

export const neededScopes = (needed: NeededScope): readonly KeyScope[] => [needed].flat() as KeyScope[];

export const hasScope = (scopes: Scopes, needed: NeededScope): boolean =>
  neededScopes(needed).some((scope) => scopesOf(scopes).includes(scope));

export const scopeRefusal = (scopes: Scopes): string => `This API key may not do this. It has: ${scopesOf(scopes).join(", ")}.`;

/** Checks chosen scopes and puts them in the order of `keyScopes`. Undefined, without `texts` or for all scopes: may do everything. */
export function parseScopes(texts: readonly string[] | undefined): readonly KeyScope[] | undefined {
  if (texts === undefined) return undefined;
  const unknown = texts.find((text) => !keyScopes.some((scope) => scope === text));
  if (texts.length === 0 || unknown === "") throw new Rejection("invalid", `A key needs at least one scope: ${scopeList}`);
  if (unknown !== undefined) throw new Rejection("invalid", `There is no scope ${unknown.slice(0, 50)}; a key has any of ${scopeList}`);
  const chosen = keyScopes.filter((scope) => texts.includes(scope));
  return chosen.length === keyScopes.length ? undefined : chosen;
}

const scopeList = keyScopes.join(", ");
