// The command that creates an organisation or changes its catalogue, and the catalogue's decider.
import { differencesInSentences } from "../../domain/catalogue/diff.js";
import type { OrganisationFile } from "../../domain/catalogue/schema.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import {
  type CatalogueEvent,
  type CatalogueFile,
  type CatalogueState,
  catalogueChanges,
  emptyCatalogue,
  evolveCatalogue,
} from "../../events/catalogue.js";
import type { EventOn } from "../../events/registry.js";
import type { Revision } from "../../ports/eventStore.js";
import { changeOrganisation, type OrganisationDeps, type Origin, organisationAggregate } from "./organisationStream.js";

/** `changes`: one sentence per change; empty when the file equals the recorded catalogue. */
export type AppliedOrganisation = Awaited<ReturnType<typeof applyOrganisation>>;

/**
 * Creates or updates an organisation from a checked file. The same file again records nothing. `madeFrom`: the version that the file was made
 * from; if a later one is recorded, the file is refused with a conflict.
 */
export async function applyOrganisation(
  deps: OrganisationDeps,
  file: OrganisationFile,
  origin: Origin,
  { madeFrom }: { readonly madeFrom?: number } = {},
) {
  const organisationId = file.organisation.id;
  // Through JSON, so that the file is compared in the form in which it is stored.
  const wanted = JSON.parse(JSON.stringify(file)) as CatalogueFile & OrganisationFile;
  const { before, decided } = await changeOrganisation(
    organisationId,
    catalogueAggregate,
    (recorded, command) => decide({ type: "applyFile", file: wanted, madeFrom, ...command }, recorded),
    origin,
    deps,
  );
  const applied = decided.at(-1);
  if (applied?.type !== "CatalogueApplied") return { organisationId, version: before.catalogue.version, changes: [] };
  return { organisationId, version: applied.data.version, changes: applied.data.changes };
}

export type OrganisationCommand = { readonly by: Principal; readonly now: Date } /** `head` is the stream's last revision. */ & (
  | {
      readonly type: "applyFile";
      readonly file: CatalogueFile & OrganisationFile;
      readonly head: Revision;
      /** The version that the file was made from. If another one is recorded meanwhile, the file would undo it, and is refused. */
      readonly madeFrom?: number | undefined;
    }
  /** Records that a member was erased. */
  | { readonly type: "forgetMember"; readonly memberId: string }
);

interface OrganisationState {
  readonly catalogue: CatalogueState;
  /** The ids of erased members. */
  readonly forgotten: Set<string>;
}

const evolve = ({ catalogue }: OrganisationState, event: CatalogueEvent, revision: Revision) => evolveCatalogue(catalogue, event, revision);

export const catalogueAggregate = organisationAggregate<OrganisationState>(() => ({ catalogue: emptyCatalogue(), forgotten: new Set() }), {
  CatalogueEntryPut: evolve,
  CatalogueEntryRemoved: evolve,
  CatalogueApplied: evolve,
  MemberForgotten: ({ forgotten }, { data: { memberId } }) => void forgotten.add(memberId),
});

export function decide(command: OrganisationCommand, { catalogue, forgotten }: OrganisationState): EventOn<"organisation">[] {
  const { by } = command;
  const at = command.now.toISOString();
  switch (command.type) {
    case "applyFile": {
      const { file } = command;
      const entries = catalogueChanges(catalogue.file, file);
      if (entries.length === 0) return [];
      if (command.madeFrom !== undefined && command.madeFrom !== catalogue.version) throw catalogueChanged(catalogue.version);
      const changes = inBrief(differencesInSentences(catalogue.file as OrganisationFile | undefined, file));
      const version = catalogue.version + 1;
      const sinceRevision = Number(command.head) + 1;
      return [
        ...entries,
        { type: "CatalogueApplied", data: { organisationId: file.organisation.id, version, sinceRevision, changes, by, at } },
      ];
    }
    case "forgetMember": {
      const { memberId } = command;
      return forgotten.has(memberId) ? [] : [{ type: "MemberForgotten", data: { memberId, by, at } }];
    }
  }
}

const catalogueChanged = (version: number) =>
  new Rejection("conflict", `The catalogue has changed meanwhile: its version is ${version} now. Look at what changed, and apply again`);

const mostSentences = 1000;

/** A new rate card can change thousands of lanes. The entry events have all of them, so the sentences are cut. */
function inBrief(sentences: readonly string[]): string[] {
  if (sentences.length <= mostSentences) return [...sentences];
  return [...sentences.slice(0, mostSentences), `and ${sentences.length - mostSentences} more`];
}
