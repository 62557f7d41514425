import type { Catalogue } from "../../../domain/catalogue/catalogue.js";
import { unusualLimits } from "../../../domain/imports/unusual.js";
import type { ImportCompleted, ImportRequested, RowOutcome } from "../../../events/importEvents.js";
import { createUnusualFinder } from "../../../judging/unusualRows.js";
import { areFiguresComplete, ledgerFigures } from "../../../queries/lookUps/ledgerFigures.js";
import { waitUntilProjected } from "../../../queries/lookUps/waitUntilProjected.js";
import type { WorkerDeps } from "../deps.js";
import type { HeldTurn } from "../turns/holdTurn.js";

/** How long the projector may be behind. Then the import gives its turn back, and goes on from here in its next one. */
const tablesMs = 30_000;

/**
 * Notes every row that an import accepts, also those recorded before an interruption, and says at its end which are unusual. The
 * organisation's earlier imports are waited for then, which the tables usually have by that time.
 */
export function createImportUnusualFinder({ pool }: WorkerDeps, held: HeldTurn, request: ImportRequested, { file }: Catalogue) {
  const { kind, organisationId, source, corrects } = request;
  if (kind !== "activities") return undefined;
  const at = new Date(request.at);
  const finder = createUnusualFinder({ at, source, off: file.unusual?.off ?? [] });
  return {
    note(outcome: RowOutcome) {
      if (outcome.type === "RowAccepted") finder.add(outcome.data.row, outcome.data.values);
    },
    async find(): Promise<Pick<ImportCompleted, "unusual" | "unusualRows"> | undefined> {
      const look = async () => {
        held.check();
        return (await areFiguresComplete(organisationId, request.importId, pool)) || undefined;
      };
      await waitUntilProjected(look, "The projector has not caught up: unusual rows wait for it", tablesMs);
      const replaced = corrects?.accepted && { importId: corrects.importId, rows: corrects.accepted };
      const found = await finder.find(ledgerFigures(organisationId, { at, replaced, limits: unusualLimits }, pool));
      return found && { unusual: [...found.kinds], unusualRows: found.count };
    },
  };
}
