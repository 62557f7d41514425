// The command that creates an organisation or changes its catalogue.
import type { OrganisationFile } from "../../domain/catalogue/schema.js";
import type { CatalogueFile } from "../../events/catalogue.js";
import { catalogueAggregate, decide } from "./organisationDecider.js";
import { changeOrganisation, type OrganisationDeps, type Origin } from "./organisationStream.js";

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
  const { before, decided } = await changeOrganisation(
    organisationId,
    catalogueAggregate,
    (recorded, command) =>
      decide({ type: "applyFile", file: wanted, ...(madeFrom === undefined ? {} : { madeFrom }), ...command }, recorded),
    origin,
    deps,
  );
  const applied = decided.at(-1);
  if (applied?.type !== "CatalogueApplied") return { organisationId, version: before.catalogue.version, changes: [] };
  return { organisationId, version: applied.data.version, changes: applied.data.changes };
}
