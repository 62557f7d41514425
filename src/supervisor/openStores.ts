// src/supervisor runs the service as processes: it finds or starts the stores, starts one process per role and restarts those that end.
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { ensureUsable, type FolderLock, type FolderOwner, signingSecretIn, takeFolder } from "../embedded/dataFolder.js";
import { readRuntime, removeRuntime, writeRuntime } from "../embedded/runtimeFile.js";
import { type EmbeddedStores, startEmbeddedStores } from "../embedded/stores.js";

/** The addresses of the running stores. */
export interface Addresses {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly signingSecret: string;
}

export interface OpenStores extends Addresses {
  /** Records processes that the next owner of the folder ends if this process is killed. */
  recordProcesses(processes: readonly string[]): Promise<void>;
  /**
   * Resolves when the stores cannot be used any more. Own stores: the folder was removed, or another process has taken it. Those of another
   * process: the folder has a new owner. Configured stores: never.
   */
  whenLost(signal: AbortSignal): Promise<void>;
  /** Records that the stores are about to stop, so that no further process uses them. */
  announceStop(): Promise<void>;
  close(): Promise<void>;
}

const patienceMs = 90_000;

/** Returns the configured stores, those of a running `start` or role, or embedded ones that this process starts and stops. */
export async function openStores(config: Config, kind: FolderOwner["kind"], logger: Logger, signal: AbortSignal): Promise<OpenStores> {
  const { databaseUrl, eventStoreUrl } = config;
  const needsNoFolder = databaseUrl !== undefined && eventStoreUrl !== undefined && config.signingSecret !== undefined;
  if (!needsNoFolder) await ensureUsable(config.dataDir, "DATA_DIR");
  const signingSecret = config.signingSecret ?? (await signingSecretIn(config.dataDir));
  if (databaseUrl !== undefined && eventStoreUrl !== undefined) {
    return { databaseUrl, eventStoreUrl, signingSecret, ...storesOfOthers, whenLost: () => new Promise(() => undefined) };
  }
  const deadline = performance.now() + patienceMs;
  for (let logged = false; ; await pause(100)) {
    signal.throwIfAborted();
    const taken = await takeFolder(config.dataDir, "DATA_DIR", kind);
    if ("release" in taken) return { ...(await ownStores(config, taken, logger, signal)), signingSecret };
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
        ...storesOfOthers,
        whenLost: (watching) => whenOwnerChanges(config.dataDir, owner.identity, watching),
      };
    }
    if (performance.now() > deadline)
      throw new Error(`Process ${owner.pid} has held ${config.dataDir} for too long. Try again, or end it.`);
    if (!logged) logger.info({ owner: owner.pid }, "waiting for the process that uses this data folder");
    logged = true;
  }
}

/** Stores that another process runs are neither recorded nor closed here. */
const storesOfOthers = { recordProcesses: async () => undefined, announceStop: async () => undefined, close: async () => undefined };

const watchMs = 2_000;

/** Resolves when the folder has another owner, whose stores have other addresses. */
async function whenOwnerChanges(dataDir: string, owner: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(watchMs, undefined, { signal }).catch(() => undefined);
    const runtime = await readRuntime(dataDir).catch(() => undefined);
    if (runtime && runtime.owner !== owner) return;
  }
}

async function ownStores(config: Config, lock: FolderLock, logger: Logger, signal: AbortSignal) {
  const { dataDir, databaseUrl, eventStoreUrl } = config;
  let others: readonly string[] = [];
  let running: EmbeddedStores | undefined;
  let stopping = false;
  let writing = Promise.resolve();
  const write = async () => {
    if (!running) return; // the file is written when both stores have started
    const { databaseUrl, eventStoreUrl } = running;
    const processes = [...(await running.processes()), ...others];
    await writeRuntime(dataDir, { owner: lock.owner.identity, databaseUrl, eventStoreUrl, processes, stopping });
  };
  const record = () => {
    writing = writing.catch(() => undefined).then(write);
    return writing;
  };
  const announceStop = () => {
    stopping = true;
    return record().catch(() => undefined);
  };
  try {
    const onChange = () => void record().catch((error: unknown) => logger.warn({ err: error }, "the runtime file could not be written"));
    const stores = await startEmbeddedStores({ dataDir, databaseUrl, eventStoreUrl, logger, signal, onChange });
    running = stores;
    await record();
    return {
      databaseUrl: stores.databaseUrl,
      eventStoreUrl: stores.eventStoreUrl,
      recordProcesses: (processes: readonly string[]) => {
        others = processes;
        return record();
      },
      whenLost: lock.whenLost,
      announceStop,
      close: async () => {
        await announceStop();
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
