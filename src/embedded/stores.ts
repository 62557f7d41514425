// Brings up the stores that have no configured address, in DATA_DIR, for as long as one process owns that folder.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { type Child, startChild } from "./childProcess.js";
import { type PostgresServer, startPostgres } from "./postgres/server.js";
import { processIdentity } from "./processes.js";
import { endLeftovers } from "./runtimeFile.js";

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly eventStoreUrl: string | undefined;
  readonly logger: Logger;
}

export interface EmbeddedStores {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  /** Identities of the processes behind them. */
  processes(): Promise<string[]>;
  /** Settles with a sentence when one of them ends that was not asked to. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** Only for the folder's owner. What an earlier owner left running is ended first. */
export async function startEmbeddedStores(options: EmbeddedOptions): Promise<EmbeddedStores> {
  const { dataDir, logger } = options;
  await endLeftovers(dataDir, (pid) => logger.warn({ leftover: pid }, "ending a process left by an earlier start"));
  await rm(join(dataDir, "tmp"), { recursive: true, force: true });
  await rm(join(dataDir, "objects", "incoming"), { recursive: true, force: true });
  const [database, events] = await Promise.allSettled([
    options.databaseUrl === undefined ? startDatabase(dataDir, logger) : undefined,
    options.eventStoreUrl === undefined ? startEvents(dataDir) : undefined,
  ]);
  const postgres = database.status === "fulfilled" ? database.value : undefined;
  const eventStore = events.status === "fulfilled" ? events.value : undefined;
  const stop = async () => {
    await Promise.all([postgres?.stop(), eventStore?.child.stop(2_500)]);
  };
  for (const outcome of [database, events]) {
    if (outcome.status === "fulfilled") continue;
    await stop();
    throw outcome.reason;
  }
  return {
    databaseUrl: options.databaseUrl ?? postgres?.url ?? "",
    eventStoreUrl: options.eventStoreUrl ?? eventStore?.url ?? "",
    processes: async () => present([eventStore && (await processIdentity(eventStore.child.pid))]),
    failed: Promise.race([
      ...present([postgres?.exited.then(() => "Postgres ended by itself")]),
      ...present([eventStore?.child.exited.then((reason) => `the event store ended by itself (${reason})`)]),
      new Promise<never>(() => undefined),
    ]),
    stop,
  };
}

function startDatabase(dataDir: string, logger: Logger): Promise<PostgresServer> {
  const onLine = (line: string) => (/ (FATAL|PANIC|WARNING|stopping) /.test(line) ? logger.warn({ line }, "postgres") : logger.debug({ line }, "postgres"));
  return startPostgres({ folder: join(dataDir, "postgres"), durable: true, onLine });
}

async function startEvents(dataDir: string): Promise<{ child: Child; url: string }> {
  const child = startChild(["eventstore", "--port", "0", "--data", join(dataDir, "eventstore")]);
  const { url } = await child.ready;
  return { child, url: String(url) };
}

function present<Item>(items: readonly (Item | undefined)[]): Item[] {
  return items.filter((item) => item !== undefined);
}
