// What an API key may do. A key without scopes may do everything: those created before there were scopes have none.
import { Rejection } from "./rejection.js";

export const keyScopes = ["quotes", "shipments", "activities", "read"] as const;

export type KeyScope = (typeof keyScopes)[number];

/** The scope that a call needs; of several, one is enough. */
export type NeededScope = KeyScope | readonly [KeyScope, ...KeyScope[]];

/** As a key has them: absent where it may do everything. A later version may have recorded scopes that this one does not know. */
export type Scopes = readonly string[] | null | undefined;

export const scopesOf = (scopes: Scopes): readonly string[] => scopes ?? keyScopes;

export const neededScopes = (needed: NeededScope): readonly KeyScope[] => [needed].flat() as KeyScope[];

export const hasScope = (scopes: Scopes, needed: NeededScope): boolean =>
  neededScopes(needed).some((scope) => scopesOf(scopes).includes(scope));

export const outOfScope = (scopes: Scopes): string => `This API key may not do this. It has: ${scopesOf(scopes).join(", ")}.`;

/** What is recorded of a choice, in the order of the list. All of them are the same as no choice: undefined. */
export function chosenScopes(given: readonly string[] | undefined): readonly KeyScope[] | undefined {
  if (given === undefined) return undefined;
  const unknown = given.find((text) => !keyScopes.some((scope) => scope === text));
  if (given.length === 0 || unknown === "") throw new Rejection("invalid", `A key needs at least one scope: ${choice}`);
  if (unknown !== undefined) throw new Rejection("invalid", `There is no scope ${unknown.slice(0, 50)}; a key has any of ${choice}`);
  const chosen = keyScopes.filter((scope) => given.includes(scope));
  return chosen.length === keyScopes.length ? undefined : chosen;
}

const choice = keyScopes.join(", ");
