// What the parts of the page of API keys have in common.
import type { KeyScope } from "../../../../domain/keyScopes.js";
import type { KeySummary } from "../../../../queries/organisations/keys.js";

export const keysPath = "/portal/settings/keys";

export const isUsable = ({ revokedAt, ended }: KeySummary) => revokedAt === null && !ended;

export const scopeNames: Readonly<Record<KeyScope, string>> = {
  quotes: "Quotes",
  shipments: "Shipments",
  activities: "Activities",
  read: "Read",
};

export const scopesInWords: Readonly<Record<KeyScope, string>> = {
  quotes: "Generate and fetch quotes",
  shipments: "Import, correct, cancel and reverse shipments",
  activities: "Import, correct, cancel and reverse activities",
  read: "Read everything",
};

/** A later version may have recorded scopes that this one does not know. */
export const scopeInWords = (scope: string) => (Object.hasOwn(scopesInWords, scope) ? scopesInWords[scope as KeyScope] : scope);
