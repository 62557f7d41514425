import type { Database } from "lmdb";
import { processIdentity } from "../../processes.js";
import { recordCopy, removeDeleted, replaceByCopy } from "./scavenge.js";
import { fileOf, openStorage, type Storage } from "./storage.js";

const KEY = "owner";

/** The data folder belongs to a process that is alive. */
export class FolderInUse extends Error {}

interface Claim {
  pid: number;
  identity: string;
}

/** Takes the folder for this process. Throws FolderInUse if a live process has it. The claim of a process that is gone is replaced. */
export async function claimFolder(claims: Database<string, string>, folder: string): Promise<void> {
  const own: Claim = { pid: process.pid, identity: (await processIdentity(process.pid)) ?? String(process.pid) };
  for (;;) {
    claims.resetReadTxn();
    const found = claims.get(KEY);
    const owner = found === undefined ? undefined : (JSON.parse(found) as Claim);
    if (owner && (await processIdentity(owner.pid)) === owner.identity) {
      throw new FolderInUse(
        `${folder} is in use by process ${owner.pid}: one event store per data folder. Stop that one, or give this one another folder.`,
      );
    }
    // LMDB's writer lock is shared by all processes and is released when its holder dies: of several that try, one gets the folder.
    if (claims.transactionSync(() => claims.get(KEY) === found && claims.putSync(KEY, JSON.stringify(own)))) return;
  }
}

export async function releaseFolder(claims: Database<string, string>): Promise<void> {
  await claims.remove(KEY);
}

/** Opens the folder's storage for this process alone, without the events that were deleted before. */
export async function startStorage(folder: string, warn: (message: string, error: unknown) => void) {
  let storage = openStorage(folder);
  await claimFolder(storage.tables.claims, folder).catch(async (error: unknown) => {
    await storage.close();
    throw error;
  });
  storage.refresh(); // makes everything visible that the folder's last owner wrote
  storage.completeIndex();
  if (removeDeleted(storage.tables)) storage = await copied(storage, folder, warn);
  return {
    storage,
    /** Another process may then take the folder. */
    close: async () => {
      await releaseFolder(storage.tables.claims).catch(() => undefined);
      await storage.close();
    },
  };
}

/** The copy includes this process's claim. If the disk has no room for a copy, the next start tries again. */
async function copied(storage: Storage, folder: string, warn: (message: string, error: unknown) => void): Promise<Storage> {
  try {
    if (!(await replaceByCopy(storage.tables, fileOf(folder)))) return storage;
  } catch (error) {
    warn("deleted events are out of the log, but their bytes may still be in the file: it could not be copied", error);
    return storage;
  }
  await storage.close();
  const copy = openStorage(folder);
  recordCopy(copy.tables);
  return copy;
}
