// Creates the tables, at a start and while the roles run: somebody may drop the database, or restore the event log beside a new database.
// Tables that the projector fills from the event log are missing until they are full, so that no answer comes from half of one.
import type { Pool } from "pg";
import type { Logger } from "pino";
import { migrate, migrationStatements, missingTables, tableNames } from "../adapters/postgres/migrate.js";
import { deleteFollowerState, mustRestartFollower } from "../commands/webhooks/deliveries.js";
import { logStream } from "../events/streams.js";
import { lookUpSecretsFunction } from "../http/api/auth/lookUpKeys.js";
import { StoreUnavailable } from "../portErrors.js";
import type { Stores } from "../ports/database.js";
import type { EventStore } from "../ports/eventStore.js";
import { allProjections, projectedPrefixes } from "../projections/allProjections.js";
import type { TableFilling } from "../projections/running/fillMissing.js";
import { repeatUntilStopped } from "../workers/waiting/repeatUntilStopped.js";

const functions = [lookUpSecretsFunction];
export const schemaStatements = (): string[] => [...migrationStatements(), ...functions];
const filledTables = allProjections.flatMap(({ tables }) => tables);
/** How often each role looks for missing tables. With three roles somebody looks every few seconds. */
const checkIntervalMs = 10_000;

/** Migrates, and creates dropped tables again. `ifUnavailable`: whether an event store that does not answer counts as one with events. */
export async function prepareTables({ pool, eventStore }: Stores, ifUnavailable: "assumeEvents" | "fail" = "assumeEvents"): Promise<void> {
  await migrate(pool, {
    names: filledTables,
    logIsEmpty: () => isEmpty(eventStore, ifUnavailable),
    functions,
    onMissing: async (client, missing) => mustRestartFollower(missing) && deleteFollowerState(client),
  });
}

/** True for an event store that has no events but the log's id. */
async function isEmpty(eventStore: EventStore, ifUnavailable: "assumeEvents" | "fail"): Promise<boolean> {
  const search = new AbortController();
  const prefixes = projectedPrefixes.filter((prefix) => prefix !== logStream);
  try {
    await eventStore.replay({ prefixes, maxBatch: 1, signal: search.signal }, async ({ events }) => {
      if (events.length > 0) search.abort();
    });
  } catch (error) {
    const hasFailed = !search.signal.aborted; // otherwise the search found an event and was aborted
    if (hasFailed && (ifUnavailable === "fail" || !(error instanceof StoreUnavailable))) throw error;
    return false;
  }
  return !search.signal.aborted;
}

/** Until the signal aborts: creates the tables again when they are lost. The projector creates and fills those of the projections. */
export async function restoreLostTables(stores: Stores, logger: Logger, signal: AbortSignal): Promise<void> {
  const others = tableNames().filter((name) => !filledTables.includes(name));
  await repeatUntilStopped("looking for missing tables", checkIntervalMs, { logger, signal }, async () => {
    const missing = await missingTables(stores.pool, others);
    if (missing.length === 0) return;
    logger.error({ missing }, "the database has lost its tables: they are created again, and the projector fills them from the log");
    await prepareTables(stores);
  });
}

/** The tables that the projector has yet to fill from the event log. */
export const unfilledTables = (pool: Pool): Promise<readonly string[]> => missingTables(pool, filledTables);

/** The tables that the projector creates and fills. */
export const tablesFromLog = (stores: Stores): TableFilling => ({
  migrations: schemaStatements(),
  createOtherTables: () => prepareTables(stores),
  missingProjections: async () => {
    const missing = await unfilledTables(stores.pool);
    return allProjections.filter(({ tables }) => tables.some((name) => missing.includes(name)));
  },
});
