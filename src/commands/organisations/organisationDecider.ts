// The decider of an organisation's catalogue. Its API keys and its webhook endpoints are on the same stream: keyDecider.ts, webhookDecider.ts.
import { isDeepStrictEqual } from "node:util";
import { diffCatalogue } from "../../domain/catalogue/diff.js";
import type { OrganisationFile } from "../../domain/catalogue/schema.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import { type CatalogueFile, type CatalogueState, catalogueChanges, emptyCatalogue, evolveCatalogue } from "../../events/catalogue.js";
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
  /** Records that a member was erased. */
  | { readonly type: "forgetMember"; readonly memberId: string }
);

export interface OrganisationState {
  readonly catalogue: CatalogueState;
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
    case "MemberForgotten":
      state.forgotten.add(event.data.memberId);
      return state;
    case "ApiKeyCreated":
    case "ApiKeyRotated":
    case "ApiKeyRevoked":
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
  initial: () => ({ catalogue: emptyCatalogue(), forgotten: new Set() }),
  evolve,
};

export function decide(command: OrganisationCommand, { catalogue, forgotten }: OrganisationState): EventOn<"organisation">[] {
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

/** A new rate card can change thousands of lanes. Only the first sentences are kept: the entry events have every change. */
function inBrief(sentences: readonly string[]): string[] {
  if (sentences.length <= mostSentences) return [...sentences];
  return [...sentences.slice(0, mostSentences), `and ${sentences.length - mostSentences} more`];
}
