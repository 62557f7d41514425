import { isDeepStrictEqual } from "node:util";
import { diffCatalogue } from "../../domain/catalogue/diff.js";
import type { OrganisationFile } from "../../domain/catalogue/schema.js";
import type { Principal } from "../../domain/principal.js";
import { type CatalogueFile, catalogueChanges } from "../../events/catalogueChanges.js";
import type { EventOn } from "../../events/registry.js";
import type { Revision } from "../../ports/eventStore.js";
import { handle } from "../handle.js";
import { type OrganisationDeps, type OrganisationState, type Origin, organisationAggregate } from "./organisation.js";

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
