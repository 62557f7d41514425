// The state of an organisation: its present catalogue version, its API keys and its webhook endpoints.
import type { Principal } from "../../domain/principal.js";
import { type CatalogueChange, type CatalogueFile, changeCatalogue } from "../../events/catalogueChanges.js";
import type { RecordedOn } from "../../events/codec.js";
import type { EventStore } from "../../ports/eventStore.js";
import type { Aggregate } from "../handle.js";
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
