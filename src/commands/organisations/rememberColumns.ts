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
  /** By kind and set of headings. */
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
  const known = state.choices.get(keyOf(kind, choice));
  if (known && isSameChoice(known, choice)) return [];
  // So many different headings do not come again.
  if (!known && state.choices.size >= limits.rememberedChoices) return [];
  return [{ type: "ColumnsMapped", data: { kind, ...plainChoice(choice), by, at: now.toISOString() } }];
}

/** From now on files of this kind with these headings are taken so. The same choice again records nothing. */
export async function rememberColumns(
  deps: OrganisationDeps,
  toRemember: Pick<ColumnsCommand, "organisationId" | "kind" | "choice">,
  origin: Origin,
): Promise<void> {
  const { organisationId } = toRemember;
  await changeOrganisation(organisationId, columnsAggregate, (state, given) => decide({ ...toRemember, ...given }, state), origin, deps);
}
