// What an organisation has chosen for the columns of files, which is on the organisation's stream.
import { type ColumnChoice, isSameChoice, plainChoice } from "../../domain/imports/columns/choice.js";
import { headingsKey } from "../../domain/imports/columns/headings.js";
import { limits } from "../../domain/imports/limits.js";
import type { Principal } from "../../domain/principal.js";
import type { ImportKind } from "../../events/importEvents.js";
import type { EventOn } from "../../events/registry.js";
import type { Aggregate } from "../handle.js";
import { noOrganisation } from "./organisationDecider.js";

export interface ColumnsCommand {
  readonly organisationId: string;
  readonly kind: ImportKind;
  readonly choice: ColumnChoice;
  readonly by: Principal;
  readonly now: Date;
}

export interface ColumnsState {
  organisationExists: boolean;
  /** By kind and set of headings. */
  readonly choices: Map<string, ColumnChoice>;
}

const keyOf = (kind: ImportKind, { headings }: ColumnChoice): string => `${kind} ${headingsKey(Object.keys(headings))}`;

/** Changes the state it is given, which only the fold holds. */
export function evolve(state: ColumnsState, event: EventOn<"organisation">): ColumnsState {
  switch (event.type) {
    case "CatalogueApplied":
      state.organisationExists = true;
      return state;
    case "ColumnsMapped": {
      state.choices.set(keyOf(event.data.kind, event.data), plainChoice(event.data));
      return state;
    }
    case "CatalogueEntryPut":
    case "CatalogueEntryRemoved":
    case "ApiKeyCreated":
    case "ApiKeyRotated":
    case "ApiKeyRevoked":
    case "MemberForgotten":
    case "WebhookAdded":
    case "WebhookChanged":
    case "WebhookRemoved":
    case "WebhookPaused":
    case "WebhookResumed":
      return state;
  }
}

export const columnsAggregate: Aggregate<"organisation", ColumnsState> = {
  kind: "organisation",
  initial: () => ({ organisationExists: false, choices: new Map() }),
  evolve,
};

export function decide({ organisationId, kind, choice, by, now }: ColumnsCommand, state: ColumnsState): EventOn<"organisation">[] {
  if (!state.organisationExists) throw noOrganisation(organisationId);
  const known = state.choices.get(keyOf(kind, choice));
  if (known && isSameChoice(known, choice)) return [];
  // An organisation whose files never have the same headings twice: there is nothing to remember.
  if (!known && state.choices.size >= limits.rememberedChoices) return [];
  return [{ type: "ColumnsMapped", data: { kind, ...plainChoice(choice), by, at: now.toISOString() } }];
}
