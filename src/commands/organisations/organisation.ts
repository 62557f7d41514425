// Commands about an organisation: its catalogue and its API keys.
import { randomBytes } from "node:crypto";
import { displayPrefix, hashApiKey, makeApiKey } from "../../domain/apiKey.js";
import type { OrganisationFile } from "../../domain/catalogue/schema.js";
import type { Principal } from "../../domain/principal.js";
import type { CatalogueFile } from "../../events/catalogue.js";
import type { EventStore, Revision } from "../../ports/eventStore.js";
import { handle } from "../handle.js";
import { decide, keyMeant, type OrganisationCommand, organisationAggregate } from "./organisationDecider.js";

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

export interface AppliedOrganisation {
  readonly organisationId: string;
  readonly version: number;
  /** One sentence per change; empty when the file equals the recorded catalogue. */
  readonly changes: readonly string[];
}

/**
 * Creates or updates an organisation from a checked file. The same file again records nothing. `madeFrom`: the version that the file was made
 * from; if a later one is recorded, the file is refused with a conflict.
 */
export async function applyOrganisation(
  deps: OrganisationDeps,
  file: OrganisationFile,
  origin: Origin,
  { madeFrom }: { readonly madeFrom?: number } = {},
): Promise<AppliedOrganisation> {
  const organisationId = file.organisation.id;
  // Through JSON, so that the file is compared in the form in which it is stored.
  const wanted = JSON.parse(JSON.stringify(file)) as CatalogueFile & OrganisationFile;
  const caused = { by: origin.by, now: await deps.now() };
  const { before, decided } = await carryOut(deps, organisationId, origin, (head) => ({
    type: "applyFile",
    file: wanted,
    head,
    ...(madeFrom === undefined ? {} : { madeFrom }),
    ...caused,
  }));
  const applied = decided.at(-1);
  if (applied?.type !== "CatalogueApplied") return { organisationId, version: before.catalogue.version, changes: [] };
  return { organisationId, version: applied.data.version, changes: applied.data.changes };
}

export interface CreatedKey {
  /** The whole key. It is not stored, so it can be shown only now. */
  readonly key: string;
  readonly keyId: string;
  readonly prefix: string;
}

export async function createKey(
  deps: OrganisationDeps,
  { organisationId, name }: { organisationId: string; name: string },
  origin: Origin,
): Promise<CreatedKey> {
  const key = makeApiKey(randomBytes);
  const made = { keyId: deps.newId(), prefix: displayPrefix(key) };
  const caused = { by: origin.by, now: await deps.now() };
  const command = { type: "createKey", organisationId, name: name.trim(), sha256: hashApiKey(key), ...made, ...caused } as const;
  await carryOut(deps, organisationId, origin, () => command);
  return { key, ...made };
}

/** `given` is a displayed prefix, the whole key, or a key id. Revoking a revoked key changes nothing. */
export async function revokeKey(
  deps: OrganisationDeps,
  { organisationId, prefix: given }: { organisationId: string; prefix: string },
  origin: Origin,
): Promise<{ readonly keyId: string; readonly prefix: string; readonly name: string }> {
  const command = { type: "revokeKey", given, by: origin.by, now: await deps.now() } as const;
  const { before } = await carryOut(deps, organisationId, origin, () => command);
  const { keyId, prefix, name } = keyMeant(given, before.keys);
  return { keyId, prefix, name };
}

async function carryOut(
  deps: OrganisationDeps,
  organisationId: string,
  origin: Origin,
  commandAt: (head: Revision) => OrganisationCommand,
) {
  const context = { organisation: organisationId, ...origin };
  const handled = await handle(deps, organisationAggregate, organisationId, context, (state, head) => decide(commandAt(head), state));
  await deps.project(organisationId);
  return handled;
}
