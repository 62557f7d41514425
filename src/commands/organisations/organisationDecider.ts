// The decider of an organisation's catalogue and its API keys. Its webhook endpoints are on the same stream: webhookDecider.ts.
import { isDeepStrictEqual } from "node:util";
import { displayPrefix, hashApiKey, isApiKey, liveKeyPrefix } from "../../domain/apiKey.js";
import { diffCatalogue } from "../../domain/catalogue/diff.js";
import type { OrganisationFile } from "../../domain/catalogue/schema.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import { type CatalogueFile, type CatalogueState, catalogueChanges, evolveCatalogue, noCatalogue } from "../../events/catalogue.js";
import type { EventOn } from "../../events/registry.js";
import type { Revision } from "../../ports/eventStore.js";
import type { Aggregate } from "../handle.js";

export type OrganisationCommand = { readonly by: Principal; readonly now: Date } /** `head` is the stream's last revision. */ & (
  | {
      readonly type: "applyFile";
      readonly file: CatalogueFile & OrganisationFile;
      readonly head: Revision;
      /** The version that the file was made from. If another one is recorded meanwhile, the file would undo it, and is refused. */
      readonly madeFrom?: number;
    }
  | {
      readonly type: "createKey";
      readonly organisationId: string;
      readonly keyId: string;
      readonly name: string;
      readonly sha256: string;
      readonly prefix: string;
    }
  /** `given` is a displayed prefix, the whole key, or a key id. */
  | { readonly type: "revokeKey"; readonly given: string }
  /** Records that a member was erased. */
  | { readonly type: "forgetMember"; readonly memberId: string }
);

export interface ApiKeyState {
  readonly keyId: string;
  readonly name: string;
  readonly prefix: string;
  readonly sha256: string;
  readonly revoked: boolean;
}

export interface OrganisationState {
  readonly catalogue: CatalogueState;
  readonly keys: Map<string, ApiKeyState>;
  /** The ids of erased members. */
  readonly forgotten: Set<string>;
}

/** Changes the state it is given, which only the fold holds: a large catalogue has thousands of entries. */
export function evolve(state: OrganisationState, event: EventOn<"organisation">, revision: Revision): OrganisationState {
  switch (event.type) {
    case "CatalogueEntryPut":
    case "CatalogueEntryRemoved":
    case "CatalogueApplied":
      evolveCatalogue(state.catalogue, event, revision);
      return state;
    case "ApiKeyCreated": {
      const { keyId, name, prefix, sha256 } = event.data;
      state.keys.set(keyId, { keyId, name, prefix, sha256, revoked: false });
      return state;
    }
    case "ApiKeyRevoked": {
      const key = state.keys.get(event.data.keyId);
      if (key) state.keys.set(key.keyId, { ...key, revoked: true });
      return state;
    }
    case "MemberForgotten":
      state.forgotten.add(event.data.memberId);
      return state;
    case "WebhookAdded":
    case "WebhookChanged":
    case "WebhookRemoved":
    case "WebhookPaused":
    case "WebhookResumed":
    case "ColumnsMapped":
      return state;
  }
}

export const organisationAggregate: Aggregate<"organisation", OrganisationState> = {
  kind: "organisation",
  initial: () => ({ catalogue: noCatalogue(), keys: new Map(), forgotten: new Set() }),
  evolve,
};

const longestName = 200;

export function decide(command: OrganisationCommand, { catalogue, keys, forgotten }: OrganisationState): EventOn<"organisation">[] {
  const { by } = command;
  const at = command.now.toISOString();
  switch (command.type) {
    case "applyFile": {
      const { file } = command;
      const entries = catalogueChanges(catalogue.file, file, isDeepStrictEqual);
      if (entries.length === 0) return [];
      if (command.madeFrom !== undefined && command.madeFrom !== catalogue.version) throw catalogueChanged(catalogue.version);
      const changes = inBrief(diffCatalogue(catalogue.file as OrganisationFile | undefined, file));
      const version = catalogue.version + 1;
      const sinceRevision = Number(command.head) + 1;
      return [
        ...entries,
        { type: "CatalogueApplied", data: { organisationId: file.organisation.id, version, sinceRevision, changes, by, at } },
      ];
    }
    case "createKey": {
      const { organisationId, keyId, name, sha256, prefix } = command;
      if (!catalogue.file) throw noOrganisation(organisationId);
      if (name === "" || name.length > longestName)
        throw new Rejection("invalid", `A key needs a name of at most ${longestName} characters`);
      return keys.has(keyId) ? [] : [{ type: "ApiKeyCreated", data: { keyId, name, sha256, prefix, by, at } }];
    }
    case "revokeKey": {
      const { keyId, revoked } = keyMeant(command.given, keys);
      return revoked ? [] : [{ type: "ApiKeyRevoked", data: { keyId, by, at } }];
    }
    case "forgetMember": {
      const { memberId } = command;
      return forgotten.has(memberId) ? [] : [{ type: "MemberForgotten", data: { memberId, by, at } }];
    }
  }
}

export const noOrganisation = (organisationId: string) =>
  new Rejection("notFound", `There is no organisation ${organisationId}; create it with org apply`);

const catalogueChanged = (version: number) =>
  new Rejection("conflict", `The catalogue has changed meanwhile: its version is ${version} now. Look at what changed, and apply again`);

const mostSentences = 1000;

/** A new rate card can change thousands of lanes. The entry events have all of them, so the sentences are cut. */
function inBrief(sentences: readonly string[]): string[] {
  if (sentences.length <= mostSentences) return [...sentences];
  return [...sentences.slice(0, mostSentences), `and ${sentences.length - mostSentences} more`];
}

export function keyMeant(given: string, keys: OrganisationState["keys"]): ApiKeyState {
  if (liveKeyPrefix.startsWith(given))
    throw new Rejection("invalid", `${given || "An empty prefix"} does not tell one key from another; keys list shows what does`);
  const fitting = [...keys.values()].filter((key) => isMeant(given, key));
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
