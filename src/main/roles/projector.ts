import { runProjector } from "../../projections/running/runProjector.js";
import { lowerPriority } from "../lowerPriority.js";
import { tablesFromLog } from "../tables.js";
import { type RunRole, runAsRole } from "./role.js";

export const run: RunRole = (options) => {
  const { logger, signal, onReady } = options;
  lowerPriority();
  return runAsRole("projector", options, async ({ pool, eventStore }) => {
    onReady();
    await runProjector({ pool, eventStore, logger, signal, tables: tablesFromLog({ pool, eventStore }) });
  });
};
