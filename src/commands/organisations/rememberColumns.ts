import type { ColumnChoice } from "../../domain/imports/columns/choice.js";
import type { ImportKind } from "../../events/importEvents.js";
import { handle } from "../handle.js";
import { columnsAggregate, decide } from "./columnsDecider.js";
import type { OrganisationDeps, Origin } from "./organisation.js";

/** From now on files of this kind with these headings are taken so. The same choice again records nothing. */
export async function rememberColumns(
  deps: OrganisationDeps,
  { organisationId, kind, choice }: { organisationId: string; kind: ImportKind; choice: ColumnChoice },
  origin: Origin,
): Promise<void> {
  const command = { organisationId, kind, choice, by: origin.by, now: await deps.now() };
  const context = { organisation: organisationId, ...origin };
  await handle(deps, columnsAggregate, organisationId, context, (state) => decide(command, state));
  await deps.project(organisationId);
}
