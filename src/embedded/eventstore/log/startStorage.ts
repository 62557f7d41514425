import { claimFolder, releaseFolder } from "./folderClaim.js";
import { noteCopied, removeDeleted, replaceByCopy } from "./scavenge.js";
import { openStorage, type Storage } from "./storage.js";
import { fileOf } from "./tables.js";

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
  noteCopied(copy.tables);
  return copy;
}
