// An organisation's stream. The catalogue, API keys, webhook endpoints, column choices and first steps each have a decider of their own.
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { EventOn } from "../../events/registry.js";
import type { EventStore, Revision } from "../../ports/eventStore.js";
import { type Aggregate, type CommandOutcome, handleCommand } from "../handle.js";

export interface OrganisationDeps {
  readonly eventStore: EventStore;
  /** Applies the organisation's stream to its tables, so that every process sees the change when the command returns. */
  readonly project: (organisationId: string) => Promise<void>;
  /** The database's clock. */
  readonly now: () => Promise<Date>;
}

/** Who gave the command. It is recorded with the command's events. */
export interface Origin {
  readonly by: Principal;
  readonly correlationId: string;
}

type OrganisationEvent = EventOn<"organisation">;

/** How a decider folds the stream, by event type. It has no entry for the types of other deciders. */
type Folds<State> = {
  readonly [Type in OrganisationEvent["type"]]?: (
    state: State,
    event: Extract<OrganisationEvent, { type: Type }>,
    revision: Revision,
  ) => void;
};

/** An organisation exists as soon as a catalogue was applied. */
export interface OrganisationExistence {
  organisationExists: boolean;
}

/** `folds` mutate the state, which nothing else refers to: copying a large catalogue for each event would be slow. */
export const organisationAggregate = <State>(
  initial: () => State,
  folds: Folds<State>,
): Aggregate<"organisation", State & OrganisationExistence> => ({
  kind: "organisation",
  initial: () => ({ ...initial(), organisationExists: false }),
  evolve(state, event, revision) {
    if (event.type === "CatalogueApplied") state.organisationExists = true;
    folds[event.type]?.(state, event as never, revision);
    return state;
  },
});

/** Decides on the organisation's stream, appends, and updates the organisation's tables. */
export async function changeOrganisation<State>(
  organisationId: string,
  aggregate: Aggregate<"organisation", State>,
  decide: (state: State, base: { organisationId: string; by: Principal; now: Date; head: Revision }) => OrganisationEvent[],
  origin: Origin,
  deps: OrganisationDeps,
): Promise<CommandOutcome<"organisation", State> & { readonly now: Date }> {
  const now = await deps.now();
  const context = { organisation: organisationId, ...origin };
  const outcome = await handleCommand(deps.eventStore, aggregate, organisationId, context, (state, head) =>
    decide(state, { organisationId, by: origin.by, now, head }),
  );
  await deps.project(organisationId);
  return { ...outcome, now };
}

export const noOrganisation = (organisationId: string) =>
  new Rejection("notFound", `There is no organisation ${organisationId}; create it with org apply`);
