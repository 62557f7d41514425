import type { Projection, ProjectionDeps } from "../projection.js";
import { rebuild } from "../rebuild/rebuild.js";

export interface TableFilling {
  /** The SQL statements that create the tables. */
  readonly migrations: readonly string[];
  /** Creates the tables that are not filled from the event log, such as the checkpoints. */
  readonly createOtherTables: () => Promise<void>;
  /** Finds the projections that lack a table. */
  readonly missingProjections: () => Promise<readonly Projection[]>;
}

const logEveryMs = 10_000;

/** Builds missing tables in another schema and moves them into place in one transaction, so that no reader finds a half-filled table. */
export async function fillMissingTables(tables: TableFilling, deps: ProjectionDeps): Promise<void> {
  if ((await tables.missingProjections()).length === 0) return;
  await tables.createOtherTables();
  const projections = await tables.missingProjections();
  if (projections.length === 0) return;
  const names = projections.map(({ name }) => name);
  const { logger } = deps;
  logger.warn(
    { projections: names },
    "tables are missing; the projector fills them from the event log, and requests that need them are answered 503 until then",
  );
  let loggedAt = performance.now();
  const onProgress = ({ events, fraction }: { events: number; fraction: number }) => {
    if (performance.now() - loggedAt < logEveryMs) return;
    loggedAt = performance.now();
    logger.info({ events, percent: Math.floor(fraction * 100) }, "filling the tables from the log");
  };
  const { events } = await rebuild({ ...deps, migrations: tables.migrations, projections, onProgress });
  logger.info({ projections: names, events }, "the tables are filled from the log");
}

const checkEveryMs = 10_000;

/** Aborts `tableLost` when a table is missing. Returns a function that stops the checks. */
export function watchForMissingTables({ missingProjections }: TableFilling, tableLost: AbortController): () => void {
  const checkTables = async () => {
    if ((await missingProjections()).length > 0) tableLost.abort();
  };
  const timer = setInterval(() => void checkTables().catch(() => undefined), checkEveryMs); // the projector itself reports an outage
  return () => clearInterval(timer);
}
