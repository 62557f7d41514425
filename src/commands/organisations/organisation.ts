import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { displayPrefix, hashApiKey, isApiKey, liveKeyPrefix, makeApiKey } from "../../domain/apiKey.js";
import { diffCatalogue } from "../../domain/catalogue/diff.js";
import type { OrganisationFile } from "../../domain/catalogue/schema.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import { type CatalogueChange, type CatalogueFile, catalogueChanges, changeCatalogue } from "../../events/catalogue.js";
import type { RecordedOn } from "../../events/codec.js";
import type { EventOn } from "../../events/registry.js";
import type { EventStore, Revision } from "../../ports/eventStore.js";
import { type Aggregate, handle } from "../handle.js";
import { evolveWebhooks, type Webhooks } from "./webhookState.js";

export interface ApiKeyState {
  readonly keyId: string;
  readonly name: string;
  readonly prefix: string;
  readonly sha256: string;
  readonly revoked: boolean;
}

export interface OrganisationState {
  /** Undefined before the first CatalogueApplied: the organisation does not exist yet. */
  file: CatalogueFile | undefined;
  version: number;
  /** Entry events since the last CatalogueApplied. */
  open: { revision: bigint; change: CatalogueChange }[];
  readonly keys: Map<string, ApiKeyState>;
  readonly webhooks: Webhooks;
}

export interface OrganisationDeps {
  readonly events: EventStore;
  /** Applies the organisation's stream to its tables, so that every process sees the change when the command returns. */
  readonly project: (organisationId: string) => Promise<void>;
  /** The database's clock. */
  readonly now: () => Promise<Date>;
  readonly newId: () => string;
}

/** Who gave the command; recorded with its events. */
export interface Origin {
  readonly by: Principal;
  readonly correlationId: string;
}

export function organisationAggregate(organisationId: string): Aggregate<"organisation", OrganisationState> {
  return {
    kind: "organisation",
    id: organisationId,
    initial: () => ({ file: undefined, version: 0, open: [], keys: new Map(), webhooks: new Map() }),
    evolve,
  };
}

/** Changes the state in place, since a large catalogue has thousands of entries. Only `handle` uses the state while it is loaded. */
function evolve(state: OrganisationState, event: RecordedOn<"organisation">): OrganisationState {
  switch (event.type) {
    case "CatalogueEntryPut":
    case "CatalogueEntryRemoved":
      state.open.push({ revision: event.revision, change: event });
      return state;
    case "CatalogueApplied": {
      const since = BigInt(event.data.sinceRevision);
      const counted = state.open.filter(({ revision }) => revision >= since).map(({ change }) => change);
      state.file = changeCatalogue(state.file, counted);
      state.version = event.data.version;
      state.open = [];
      return state;
    }
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
    case "WebhookAdded":
    case "WebhookChanged":
    case "WebhookRemoved":
    case "WebhookPaused":
    case "WebhookResumed":
      evolveWebhooks(state.webhooks, event);
      return state;
  }
}

export interface AppliedOrganisation {
  readonly organisationId: string;
  readonly version: number;
  /** One sentence per change; empty when the file equals the recorded catalogue. */
  readonly changes: readonly string[];
}

/** Creates or updates an organisation from a checked file. The same file again records nothing. */
export async function applyOrganisation(deps: OrganisationDeps, file: OrganisationFile, origin: Origin): Promise<AppliedOrganisation> {
  const organisationId = file.organisation.id;
  // Through JSON, so that the file is compared in the form in which it is stored.
  const wanted = JSON.parse(JSON.stringify(file)) as CatalogueFile & OrganisationFile;
  const at = (await deps.now()).toISOString();
  const context = { organisation: organisationId, ...origin };
  const { before, decided } = await handle(deps, organisationAggregate(organisationId), context, (state, head) =>
    decideApply({ file: wanted, by: origin.by, at }, state, head),
  );
  await deps.project(organisationId);
  const applied = decided.at(-1);
  if (applied?.type !== "CatalogueApplied") return { organisationId, version: before.version, changes: [] };
  return { organisationId, version: applied.data.version, changes: applied.data.changes };
}

interface ApplyCommand {
  readonly file: CatalogueFile & OrganisationFile;
  readonly by: Principal;
  readonly at: string;
}

/** One event per changed entry, then CatalogueApplied. Entries of a command that was interrupted before its CatalogueApplied do not count. */
export function decideApply({ file, by, at }: ApplyCommand, state: OrganisationState, head: Revision): EventOn<"organisation">[] {
  const entries = catalogueChanges(state.file, file, isDeepStrictEqual);
  if (entries.length === 0) return [];
  const changes = inBrief(diffCatalogue(state.file as OrganisationFile | undefined, file));
  const version = state.version + 1;
  return [
    ...entries,
    {
      type: "CatalogueApplied",
      data: { organisationId: file.organisation.id, version, sinceRevision: Number(head) + 1, changes, by, at },
    },
  ];
}

const mostSentences = 1000;

/** A new rate card can change thousands of lanes. The entry events have all of them, so the sentences are cut. */
function inBrief(sentences: readonly string[]): string[] {
  if (sentences.length <= mostSentences) return [...sentences];
  return [...sentences.slice(0, mostSentences), `and ${sentences.length - mostSentences} more`];
}

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
