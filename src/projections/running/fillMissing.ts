import type { Projection, ProjectionDeps } from "../projection.js";
import { rebuild } from "../rebuild/rebuild.js";

export interface TableFilling {
  /** The SQL statements that create the tables. */
  readonly migrations: readonly string[];
  /** Creates the tables that are not filled from the event log, such as the checkpoints. */
  readonly prepare: () => Promise<void>;
  /** Projections with a table that is not there. */
  readonly missing: () => Promise<readonly Projection[]>;
}

const logEveryMs = 10_000;

/** Builds missing tables beside the others and brings all of them in one transaction, full: no reader finds half a table. */
export async function fillMissing({ missing, prepare, migrations }: TableFilling, running: ProjectionDeps): Promise<void> {
  if ((await missing()).length === 0) return;
  await prepare();
  const projections = await missing();
  if (projections.length === 0) return;
  const names = projections.map(({ name }) => name);
  const { logger } = running;
  logger.warn({ projections: names }, "tables are missing and are filled from the log; what needs them is answered 503 meanwhile");
  let loggedAt = performance.now();
  const onProgress = ({ events, share }: { events: number; share: number }) => {
    if (performance.now() - loggedAt < logEveryMs) return;
    loggedAt = performance.now();
    logger.info({ events, percent: Math.floor(share * 100) }, "filling the tables from the log");
  };
  const { events } = await rebuild({ ...running, migrations, projections, onProgress });
  logger.info({ projections: names, events }, "the tables are filled from the log");
}

const lookMs = 10_000;

/** Aborts when a table is missing. */
export function watchForMissing({ missing }: TableFilling, gone: AbortController): () => void {
  const look = async () => {
    if ((await missing()).length > 0) gone.abort();
  };
  const timer = setInterval(() => void look().catch(() => undefined), lookMs); // a database that is away is noticed by whoever writes to it
  return () => clearInterval(timer);
}
