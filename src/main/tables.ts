// The tables, at a start and while the roles run: the database may be dropped and created anew beside the event log, or be new beside one that
// was restored. Tables that are filled from the event log are missing until they are full, so that no answer comes from half of them.
import type { Pool } from "pg";
import type { Logger } from "pino";
import { migrate, migrationStatements, missingTables, tableNames } from "../adapters/postgres/migrate.js";
import { deleteFollowerState, mustFollowAnew } from "../commands/webhooks/deliveries.js";
import { logStream } from "../events/streams.js";
import { lookUpSecretsFunction } from "../http/api/auth/lookUpKeys.js";
import { StoreUnavailable } from "../portErrors.js";
import type { Stores } from "../ports/database.js";
import type { EventStore } from "../ports/eventStore.js";
import { allProjections, projectedPrefixes } from "../projections/allProjections.js";
import type { TableFilling } from "../projections/running/fillMissing.js";
import { repeatUntilStopped } from "../workers/waiting/repeatUntilStopped.js";

const functions = [lookUpSecretsFunction];
/** What creates the tables and the functions. */
export const creatingStatements = (): string[] => [...migrationStatements(), ...functions];
const filledTables = allProjections.flatMap(({ tables }) => tables);
/** Each role looks, so that with three of them somebody does every few seconds. */
const lookMs = 10_000;

/** Migrates, and creates dropped tables again. `unanswered`: what an event log that cannot be asked is taken for; by default one with events. */
export async function prepareTables({ pool, eventStore }: Stores, unanswered: "full" | "unavailable" = "full"): Promise<void> {
  await migrate(pool, {
    names: filledTables,
    logIsEmpty: () => isEmpty(eventStore, unanswered),
    functions,
    onLost: async (client, lost) => mustFollowAnew(lost) && deleteFollowerState(client),
  });
}

/** True for an event store that has at most its id. */
async function isEmpty(eventStore: EventStore, unanswered: "full" | "unavailable"): Promise<boolean> {
  const found = new AbortController();
  const prefixes = projectedPrefixes.filter((prefix) => prefix !== logStream);
  try {
    await eventStore.replay({ prefixes, maxBatch: 1, signal: found.signal }, async ({ events }) => {
      if (events.length > 0) found.abort();
    });
  } catch (error) {
    const isUnanswered = !found.signal.aborted;
    if (isUnanswered && (unanswered === "unavailable" || !(error instanceof StoreUnavailable))) throw error;
    return false;
  }
  return !found.signal.aborted;
}

/** For every role: creates the tables again when they are lost while it runs. The projector fills them. */
export async function keepTables(stores: Stores, logger: Logger, signal: AbortSignal): Promise<void> {
  const others = tableNames().filter((name) => !filledTables.includes(name));
  await repeatUntilStopped("looking for missing tables", lookMs, { logger, signal }, async () => {
    const missing = await missingTables(stores.pool, others);
    if (missing.length === 0) return;
    logger.error({ missing }, "the database has lost its tables: they are created again, and the projector fills them from the log");
    await prepareTables(stores);
  });
}

/** Tables that are yet to be filled from the event log. */
export const unfilledTables = (pool: Pool): Promise<readonly string[]> => missingTables(pool, filledTables);

/** For the projector. */
export const tablesFromLog = (stores: Stores): TableFilling => ({
  migrations: creatingStatements(),
  prepare: () => prepareTables(stores),
  missing: async () => {
    const missing = await unfilledTables(stores.pool);
    return allProjections.filter(({ tables }) => tables.some((name) => missing.includes(name)));
  },
});
