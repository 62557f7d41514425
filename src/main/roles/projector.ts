import { runProjector } from "../../projections/running/runProjector.js";
import { lowerPriority } from "../lowerPriority.js";
import { logFilledTables } from "../tables.js";
import { asRole, type RunRole } from "./role.js";

export const run: RunRole = (options) => {
  const { logger, signal, onReady } = options;
  lowerPriority();
  return asRole("projector", options, async ({ pool, eventStore }) => {
    onReady();
    await runProjector({ pool, eventStore, logger, signal, tables: logFilledTables({ pool, eventStore }) });
  });
};
