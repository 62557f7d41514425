// Hides the portal's list of first steps for the whole organisation, when one member has put it away.
import type { Principal } from "../../domain/principal.js";
import type { EventOn } from "../../events/registry.js";
import { changeOrganisation, type OrganisationDeps, type Origin, organisationAggregate } from "./organisationStream.js";

export interface FirstStepsState {
  isPutAway: boolean;
}

export const firstStepsAggregate = organisationAggregate<FirstStepsState>(() => ({ isPutAway: false }), {
  FirstStepsPutAway(state) {
    state.isPutAway = true;
  },
});

export const decide = (
  { by, now }: { readonly by: Principal; readonly now: Date },
  { isPutAway }: FirstStepsState,
): EventOn<"organisation">[] => (isPutAway ? [] : [{ type: "FirstStepsPutAway", data: { by, at: now.toISOString() } }]);

export async function putFirstStepsAway(deps: OrganisationDeps, organisationId: string, origin: Origin): Promise<void> {
  await changeOrganisation(organisationId, firstStepsAggregate, (state, command) => decide(command, state), origin, deps);
}
