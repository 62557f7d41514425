// The command that creates an organisation or changes its catalogue.
import type { OrganisationFile } from "../../domain/catalogue/schema.js";
import type { Principal } from "../../domain/principal.js";
import type { CatalogueFile } from "../../events/catalogue.js";
import type { EventStore } from "../../ports/eventStore.js";
import { handle } from "../handle.js";
import { decide, organisationAggregate } from "./organisationDecider.js";

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
  const { by } = origin;
  const now = await deps.now();
  const context = { organisation: organisationId, ...origin };
  const { before, decided } = await handle(deps, organisationAggregate, organisationId, context, (recorded, head) =>
    decide({ type: "applyFile", file: wanted, head, ...(madeFrom === undefined ? {} : { madeFrom }), by, now }, recorded),
  );
  await deps.project(organisationId);
  const applied = decided.at(-1);
  if (applied?.type !== "CatalogueApplied") return { organisationId, version: before.catalogue.version, changes: [] };
  return { organisationId, version: applied.data.version, changes: applied.data.changes };
}
