// What an API key may do. A key without scopes may do everything: those created before there were scopes have none.
const keyScopes = ["quotes", "shipments", "activities", "read"] as const;

export type KeyScope = (typeof keyScopes)[number];

/** The scope that a call needs; of several, one is enough. */
export type NeededScope = KeyScope | readonly [KeyScope, ...KeyScope[]];
