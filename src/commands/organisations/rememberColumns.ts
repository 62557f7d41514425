// The columns that an organisation has chosen for its files, on the organisation's stream.
import { type ColumnChoice, isSameChoice, plainChoice } from "../../domain/imports/columns/choice.js";
import { headingsKey } from "../../domain/imports/columns/headings.js";
import { limits } from "../../domain/imports/limits.js";
import type { Principal } from "../../domain/principal.js";
import type { ImportKind } from "../../events/importEvents.js";
import type { EventOn } from "../../events/registry.js";
import {
  changeOrganisation,
  noOrganisation,
  type OrganisationDeps,
  type OrganisationExistence,
  type Origin,
  organisationAggregate,
} from "./organisationStream.js";

export interface ColumnsCommand {
  readonly organisationId: string;
  readonly kind: ImportKind;
  readonly choice: ColumnChoice;
  readonly by: Principal;
  readonly now: Date;
}

export interface ColumnsState extends OrganisationExistence {
  /** By kind and set of headings, as `keyOf` joins them. */
  readonly choices: Map<string, ColumnChoice>;
}

const keyOf = (kind: ImportKind, { headings }: ColumnChoice): string => `${kind} ${headingsKey(Object.keys(headings))}`;

export const columnsAggregate = organisationAggregate<Omit<ColumnsState, keyof OrganisationExistence>>(() => ({ choices: new Map() }), {
  ColumnsMapped({ choices }, { data }) {
    choices.set(keyOf(data.kind, data), plainChoice(data));
  },
});

export function decide({ organisationId, kind, choice, by, now }: ColumnsCommand, state: ColumnsState): EventOn<"organisation">[] {
  if (!state.organisationExists) throw noOrganisation(organisationId);
  const earlierChoice = state.choices.get(keyOf(kind, choice));
  if (earlierChoice && isSameChoice(earlierChoice, choice)) return [];
  // An organisation with this many sets of headings does not reuse them, so no more are remembered.
  if (!earlierChoice && state.choices.size >= limits.rememberedChoices) return [];
  return [{ type: "ColumnsMapped", data: { kind, ...plainChoice(choice), by, at: now.toISOString() } }];
}

/** Remembers the columns for later files with the same headings. An unchanged choice appends no event. */
export async function rememberColumns(
  deps: OrganisationDeps,
  newChoice: Pick<ColumnsCommand, "organisationId" | "kind" | "choice">,
  origin: Origin,
): Promise<void> {
  const { organisationId } = newChoice;
  await changeOrganisation(organisationId, columnsAggregate, (state, base) => decide({ ...newChoice, ...base }, state), origin, deps);
}
