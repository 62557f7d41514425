import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderIdentity } from "./dataFolder.js";
import { endProcess, processIdentity } from "./processes.js";

/** The addresses of a data folder's running stores, for other processes that use them. The file has passwords, so its mode is 0600. */
export interface Runtime {
  /** Identity of the process that owns the folder. */
  readonly owner: string;
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  /** Identities of the processes that the owner started. If they outlive the owner, the next owner ends them. */
  readonly processes: readonly string[];
  /** Whether the stores are about to stop, so that other processes must not connect to them any more. */
  readonly stopping?: boolean;
}

const runtimePath = (dataDir: string) => join(dataDir, "runtime.json");

export async function writeRuntime(dataDir: string, runtime: Runtime): Promise<void> {
  const draft = `${runtimePath(dataDir)}.new`;
  await writeFile(draft, JSON.stringify({ ...runtime, folder: await folderIdentity(dataDir) }), { mode: 0o600 });
  await rename(draft, runtimePath(dataDir));
}

export async function readRuntime(dataDir: string): Promise<Runtime | undefined> {
  try {
    const { folder, ...runtime } = JSON.parse(await readFile(runtimePath(dataDir), "utf8")) as Runtime & { folder?: string };
    const isCopied = folder !== undefined && folder !== (await folderIdentity(dataDir));
    return isCopied ? undefined : runtime; // the file in a copied folder names the stores and processes of the original folder
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES")
      throw new Error(`${runtimePath(dataDir)} is another user's: run this as the user who runs the service.`);
    return undefined; // there is no such file, or a power cut left it empty
  }
}

export const removeRuntime = (dataDir: string): Promise<void> => rm(runtimePath(dataDir), { force: true });

/** Ends the processes that a killed owner left running. Only the folder's new owner may call this. */
export async function endLeftoverProcesses(dataDir: string, onEnd: (pid: number) => void): Promise<void> {
  const runtime = await readRuntime(dataDir);
  await Promise.all((runtime?.processes ?? []).map((identity) => endLeftoverProcess(identity, onEnd)));
  await removeRuntime(dataDir);
}

async function endLeftoverProcess(identity: string, onEnd: (pid: number) => void): Promise<void> {
  const pid = Number.parseInt(identity, 10);
  const isRunning = async () => (await processIdentity(pid)) === identity;
  if (!(await isRunning())) return;
  onEnd(pid);
  if (!(await endProcess(pid, { SIGTERM: 3_000, SIGKILL: 5_000 }, isRunning)))
    throw new Error(`Process ${pid}, left by an earlier start, does not end.`);
}
