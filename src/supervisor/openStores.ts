// src/supervisor runs the service as processes: it finds or starts the stores, starts one process per role and restarts those that end.
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { ensureSigningSecret, ensureUsableFolder, type FolderLock, type FolderOwner, takeFolder } from "../embedded/dataFolder.js";
import { readRuntime, removeRuntime, writeRuntime } from "../embedded/runtimeFile.js";
import { type EmbeddedStores, startEmbeddedStores } from "../embedded/stores.js";

/** The addresses of the running stores. */
export interface Addresses {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly signingSecret: string;
}

export interface OpenStores extends Addresses {
  /** Records the identities of processes that the next owner of the folder ends if this process is killed. */
  recordProcesses(processes: readonly string[]): Promise<void>;
  /**
   * Resolves when the stores cannot be used any more. For stores of this process: the folder was removed, or another process has taken it.
   * For stores of another process: the folder has a new owner. For configured stores: never.
   */
  whenFolderLost(signal: AbortSignal): Promise<void>;
  /** Records that the stores are about to stop, so that no further process uses them. */
  recordStopping(): Promise<void>;
  close(): Promise<void>;
}

const maxWaitMs = 90_000;

/** Returns the configured stores, or those of a running `start` or role, or embedded ones that this process starts and stops. */
export async function openStores(config: Config, kind: FolderOwner["kind"], logger: Logger, signal: AbortSignal): Promise<OpenStores> {
  const { databaseUrl, eventStoreUrl } = config;
  const needsFolder = databaseUrl === undefined || eventStoreUrl === undefined || config.signingSecret === undefined;
  if (needsFolder) await ensureUsableFolder(config.dataDir, "DATA_DIR");
  const signingSecret = config.signingSecret ?? (await ensureSigningSecret(config.dataDir));
  if (databaseUrl !== undefined && eventStoreUrl !== undefined) {
    return { databaseUrl, eventStoreUrl, signingSecret, ...foreignStores, whenFolderLost: () => new Promise(() => undefined) };
  }
  const deadline = performance.now() + maxWaitMs;
  for (let hasLogged = false; ; await pause(100)) {
    signal.throwIfAborted();
    const taken = await takeFolder(config.dataDir, "DATA_DIR", kind);
    if ("release" in taken) return { ...(await startOwnStores(config, taken, logger, signal)), signingSecret };
    const owner = taken.heldBy;
    if (kind === "start" && owner.kind !== "command") {
      throw new Error(
        `Waybill already runs on ${config.dataDir} (process ${owner.pid}). Stop it first, or set DATA_DIR to another folder.`,
      );
    }
    const runtime = owner.kind === "command" ? undefined : await readRuntime(config.dataDir);
    if (runtime?.owner === owner.identity && !runtime.stopping) {
      const found = { databaseUrl: databaseUrl ?? runtime.databaseUrl, eventStoreUrl: eventStoreUrl ?? runtime.eventStoreUrl };
      return {
        ...found,
        signingSecret,
        ...foreignStores,
        whenFolderLost: (watching) => whenOwnerChanges(config.dataDir, owner.identity, watching),
      };
    }
    if (performance.now() > deadline)
      throw new Error(`Process ${owner.pid} has held ${config.dataDir} for too long. Try again, or end it.`);
    if (!hasLogged) logger.info({ owner: owner.pid }, "waiting for the process that uses this data folder");
    hasLogged = true;
  }
}

/** This process neither records nor closes stores that another process runs. */
const foreignStores = { recordProcesses: async () => undefined, recordStopping: async () => undefined, close: async () => undefined };

const watchIntervalMs = 2_000;

/** Resolves when the folder has another owner, whose stores have other addresses. */
async function whenOwnerChanges(dataDir: string, owner: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(watchIntervalMs, undefined, { signal }).catch(() => undefined);
    const runtime = await readRuntime(dataDir).catch(() => undefined);
    if (runtime && runtime.owner !== owner) return;
  }
}

async function startOwnStores(config: Config, lock: FolderLock, logger: Logger, signal: AbortSignal) {
  const { dataDir, databaseUrl, eventStoreUrl } = config;
  let roleProcesses: readonly string[] = [];
  let running: EmbeddedStores | undefined;
  let stopping = false;
  let lastWrite = Promise.resolve();
  const writeRuntimeFile = async () => {
    if (!running) return; // the first write follows when both stores have started
    const { databaseUrl, eventStoreUrl } = running;
    const processes = [...(await running.processes()), ...roleProcesses];
    await writeRuntime(dataDir, { owner: lock.owner.identity, databaseUrl, eventStoreUrl, processes, stopping });
  };
  const record = () => {
    lastWrite = lastWrite.catch(() => undefined).then(writeRuntimeFile);
    return lastWrite;
  };
  const recordStopping = () => {
    stopping = true;
    return record().catch(() => undefined);
  };
  try {
    const onRestart = () => void record().catch((error: unknown) => logger.warn({ err: error }, "the runtime file could not be written"));
    const stores = await startEmbeddedStores({ dataDir, databaseUrl, eventStoreUrl, logger, signal, onRestart });
    running = stores;
    await record();
    return {
      databaseUrl: stores.databaseUrl,
      eventStoreUrl: stores.eventStoreUrl,
      recordProcesses: (processes: readonly string[]) => {
        roleProcesses = processes;
        return record();
      },
      whenFolderLost: lock.whenLost,
      recordStopping,
      close: async () => {
        await recordStopping();
        await stores.stop();
        if ((await readRuntime(dataDir))?.owner === lock.owner.identity) await removeRuntime(dataDir);
        await lock.release();
      },
    };
  } catch (error) {
    await running?.stop();
    await lock.release();
    throw error;
  }
}
