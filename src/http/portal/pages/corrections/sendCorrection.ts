import { type Correction, requestCorrection } from "../../../../commands/corrections/requestCorrection.js";
import { presentCatalogueOf } from "../../../../queries/organisations/organisations.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";

const withinMs = 4_500;

/** Sends corrected rows as the person who visits. Sent again with the same key, they make no second import. */
export async function sendCorrection(
  { person: { organisationId, by }, requestId }: SignedInVisit,
  deps: PortalDeps,
  correction: Pick<Correction, "importId" | "kind" | "push" | "idempotencyKey">,
) {
  const { catalogueVersion, now } = await presentCatalogueOf(organisationId, deps.pool);
  const own = { organisationId, by, requestId, catalogueVersion, now, withinMs };
  return requestCorrection({ ...deps, maxQueuedImports: deps.limits.maxQueuedImports }, { ...own, ...correction });
}
