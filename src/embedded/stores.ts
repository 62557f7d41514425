// src/embedded starts the stores that have no configured address. Their data is in DATA_DIR, which one process owns at a time.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { keepRunning, type RunningProcess, type SupervisedProcess, startChild } from "./childProcess.js";
import { newCredentials, withCredentials } from "./eventstore/credentials.js";
import { startPostgres } from "./postgres/server.js";
import { processIdentity } from "./processes.js";
import { endLeftoverProcesses } from "./runtimeFile.js";

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly eventStoreUrl: string | undefined;
  readonly logger: Logger;
  /** Aborts when the caller gives up the start. */
  readonly signal: AbortSignal;
  /** Called when a store has been started again. */
  readonly onRestart: () => void;
}

export type EmbeddedStores = Awaited<ReturnType<typeof startEmbeddedStores>>;

interface Store extends RunningProcess {
  readonly url: string;
  readonly pid: number;
}

/** Starts the stores that have no configured address. Only the folder's owner may call this. Ends what an earlier owner left running. */
export async function startEmbeddedStores(options: EmbeddedOptions) {
  const { dataDir, logger } = options;
  await endLeftoverProcesses(dataDir, (pid) => logger.warn({ leftover: pid }, "ending a process left by an earlier start"));
  await rm(join(dataDir, "tmp"), { recursive: true, force: true, maxRetries: 5 }); // a role of the earlier owner may still write to it
  await rm(join(dataDir, "objects", "incoming"), { recursive: true, force: true });
  const credentials = newCredentials(); // the same for every restart of the event store, since the roles have them
  const [database, eventStore] = await Promise.allSettled([
    options.databaseUrl === undefined
      ? startSupervised("postgres", (port, signal) => startDatabase(dataDir, logger, port, signal), options)
      : undefined,
    options.eventStoreUrl === undefined
      ? startSupervised("eventstore", (port, signal) => startEventStore(dataDir, credentials, port, signal), options)
      : undefined,
  ]);
  const stores = [database, eventStore].map((outcome) => (outcome.status === "fulfilled" ? outcome.value : undefined));
  const stop = async () => {
    await Promise.all(stores.map((store) => store?.stop()));
  };
  for (const outcome of [database, eventStore]) {
    if (outcome.status === "fulfilled") continue;
    await stop();
    throw outcome.reason;
  }
  return {
    databaseUrl: options.databaseUrl ?? stores[0]?.url ?? "",
    eventStoreUrl: options.eventStoreUrl ?? stores[1]?.url ?? "",
    /** Identities of the stores' processes, which the next owner ends if they outlive this one. Postgres has a pid file instead. */
    processes: async () => {
      const identity = await processIdentity(stores[1]?.current()?.pid ?? 0);
      return identity ? [identity] : [];
    },
    stop,
  };
}

/** Starts a store, and restarts it whenever it ends by itself. It keeps its address, since the roles were started with that. */
async function startSupervised(
  name: string,
  start: (port: number, signal: AbortSignal) => Promise<Store>,
  { logger, signal, onRestart }: EmbeddedOptions,
): Promise<SupervisedProcess<Store> & { readonly url: string }> {
  const first = await start(0, signal);
  logger.info({ child: name }, `${name} is up`);
  const port = Number(new URL(first.url).port);
  const supervised = keepRunning({ name, first, start: (stopping) => start(port, stopping), logger, onStart: onRestart });
  return { ...supervised, url: first.url };
}

async function startDatabase(dataDir: string, logger: Logger, port: number, signal: AbortSignal): Promise<Store> {
  const onLine = (line: string) => logger[/ (FATAL|PANIC|WARNING): |^stopping/.test(line) ? "warn" : "debug"]({ line }, "postgres");
  const server = await startPostgres({ folder: join(dataDir, "postgres"), durable: true, port, onLine, signal });
  return { ...server, url: server.socketUrl ?? server.url, exited: server.exited.then(() => "Postgres is gone") };
}

const maxStartMs = 60_000;

async function startEventStore(dataDir: string, credentials: string, port: number, signal: AbortSignal): Promise<Store> {
  const folder = join(dataDir, "eventstore");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const args = ["eventstore", "--port", String(port), "--data", folder, "--credentials-on-stdin"];
    const child = startChild(args, { input: credentials }); // not as an argument, which every user of the machine can read
    const giveUp = () => void child.stop(0);
    const timer = setTimeout(giveUp, maxStartMs);
    signal.addEventListener("abort", giveUp);
    try {
      const { address } = await child.ready;
      return { url: withCredentials(String(address), credentials), pid: child.pid, exited: child.exited, stop: () => child.stop(2_500) };
    } catch (error) {
      if (attempt === 3 || signal.aborted) throw error;
      await pause(1_000); // an event store that a killed start left running ends by itself, and frees the folder
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    }
  }
}
