// The command that creates an organisation or changes its catalogue, and the catalogue's decider.
import { differencesInSentences } from "../../domain/catalogue/diff.js";
import type { OrganisationFile } from "../../domain/catalogue/schema.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import {
  type CatalogueEvent,
  type CatalogueFile,
  type CatalogueState,
  emptyCatalogue,
  evolveCatalogue,
  listCatalogueChanges,
} from "../../events/catalogue.js";
import type { EventOn } from "../../events/registry.js";
import type { Revision } from "../../ports/eventStore.js";
import { changeOrganisation, type OrganisationDeps, type Origin, organisationAggregate } from "./organisationStream.js";

/** `changes`: one sentence per change; empty if the file equals the recorded catalogue. */
export type AppliedOrganisation = Awaited<ReturnType<typeof applyOrganisation>>;

/**
 * Creates or updates an organisation from a checked file. An unchanged file appends no event. `madeFrom`: the version that the file was
 * made from. If another version is recorded by now, the file is rejected with a conflict.
 */
export async function applyOrganisation(
  deps: OrganisationDeps,
  file: OrganisationFile,
  origin: Origin,
  { madeFrom }: { readonly madeFrom?: number } = {},
) {
  const organisationId = file.organisation.id;
  // Converted through JSON, so that the file is compared in the form in which it is stored.
  const newFile = JSON.parse(JSON.stringify(file)) as CatalogueFile & OrganisationFile;
  const { stateBefore, newEvents } = await changeOrganisation(
    organisationId,
    catalogueAggregate,
    (state, base) => decide({ type: "applyFile", file: newFile, madeFrom, ...base }, state),
    origin,
    deps,
  );
  const appliedEvent = newEvents.at(-1);
  if (appliedEvent?.type !== "CatalogueApplied") return { organisationId, version: stateBefore.catalogue.version, changes: [] };
  return { organisationId, version: appliedEvent.data.version, changes: appliedEvent.data.changes };
}

export type OrganisationCommand = { readonly by: Principal; readonly now: Date } & (
  | {
      readonly type: "applyFile";
      readonly file: CatalogueFile & OrganisationFile;
      /** The stream's last revision. */
      readonly head: Revision;
      /** The version that the file was made from. If it is not the current version, the file would undo the changes in between. */
      readonly madeFrom?: number | undefined;
    }
  /** Records that a member was erased. */
  | { readonly type: "forgetMember"; readonly memberId: string }
);

interface OrganisationState {
  readonly catalogue: CatalogueState;
  /** The ids of erased members. */
  readonly erasedIds: Set<string>;
}

const evolve = ({ catalogue }: OrganisationState, event: CatalogueEvent, revision: Revision) => evolveCatalogue(catalogue, event, revision);

export const catalogueAggregate = organisationAggregate<OrganisationState>(() => ({ catalogue: emptyCatalogue(), erasedIds: new Set() }), {
  CatalogueEntryPut: evolve,
  CatalogueEntryRemoved: evolve,
  CatalogueApplied: evolve,
  MemberForgotten: ({ erasedIds }, { data: { memberId } }) => void erasedIds.add(memberId),
});

export function decide(command: OrganisationCommand, { catalogue, erasedIds }: OrganisationState): EventOn<"organisation">[] {
  const { by } = command;
  const at = command.now.toISOString();
  switch (command.type) {
    case "applyFile": {
      const { file } = command;
      const entries = listCatalogueChanges(catalogue.file, file);
      if (entries.length === 0) return [];
      if (command.madeFrom !== undefined && command.madeFrom !== catalogue.version) throw catalogueChangedRejection(catalogue.version);
      const changes = capSentences(differencesInSentences(catalogue.file as OrganisationFile | undefined, file));
      const version = catalogue.version + 1;
      const sinceRevision = Number(command.head) + 1;
      return [
        ...entries,
        { type: "CatalogueApplied", data: { organisationId: file.organisation.id, version, sinceRevision, changes, by, at } },
      ];
    }
    case "forgetMember": {
      const { memberId } = command;
      return erasedIds.has(memberId) ? [] : [{ type: "MemberForgotten", data: { memberId, by, at } }];
    }
  }
}

const catalogueChangedRejection = (version: number) =>
  new Rejection("conflict", `The catalogue has changed meanwhile: its version is ${version} now. Look at what changed, and apply again`);

const maxSentences = 1000;

/** Limits the sentences, since a new rate card can change thousands of lanes. The entry events have every change. */
function capSentences(sentences: readonly string[]): string[] {
  if (sentences.length <= maxSentences) return [...sentences];
  return [...sentences.slice(0, maxSentences), `and ${sentences.length - maxSentences} more`];
}
