import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, copyFile, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ObjectMissing, StoreUnavailable } from "../../portErrors.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import { assertKey, contentDisposition, isLinkValid, signLink } from "./objectKeys.js";

export type FileObjectStore = ObjectStore & Required<Pick<ObjectStore, "openLink">>;

type FileObjectStoreOptions = Record<"folder" | "publicUrl" | "signingSecret", string>;

export function createFileObjectStore({ folder, publicUrl, signingSecret }: FileObjectStoreOptions): FileObjectStore {
  const objects = join(folder, "objects");
  const incoming = join(folder, "incoming");
  const pathOf = (key: string) => {
    assertKey(key);
    return join(objects, key);
  };
  return {
    put: async (key, path) => {
      const target = pathOf(key);
      const temporaryPath = join(incoming, randomUUID());
      await mkdir(incoming, { recursive: true, mode: 0o700 });
      try {
        await copyFile(path, temporaryPath, constants.COPYFILE_FICLONE);
        await syncToDisk(temporaryPath);
        await makeFolder(objects, dirname(target));
        await rename(temporaryPath, target);
        await syncToDisk(dirname(target));
      } catch (error) {
        await rm(temporaryPath, { force: true });
        rethrow(error);
      }
    },
    fetch: (key, path) => copyFile(pathOf(key), path, constants.COPYFILE_FICLONE).catch((error) => rethrow(error, key)),
    read: (key) => readFile(pathOf(key)).catch((error) => rethrow(error, key)),
    exists: async (key) => (await statIfExists(pathOf(key), key))?.isFile() ?? false,
    remove: (key) => rm(pathOf(key), { force: true }).catch((error) => rethrow(error, key)),
    list: (prefix) => walk(objects, "", prefix),
    removeUnfinished: async (before) => {
      let removed = 0;
      for (const name of await readdir(incoming).catch((error) => (isMissing(error) ? [] : rethrow(error)))) {
        const stats = await stat(join(incoming, name)).catch(() => undefined);
        if (!stats || stats.mtime >= before) continue;
        await rm(join(incoming, name), { force: true });
        removed += 1;
      }
      return removed;
    },
    link: async (key, { downloadName, expiresInSeconds, now }) => {
      assertKey(key);
      return signLink(signingSecret, publicUrl, key, downloadName, Math.floor(now.getTime() / 1000) + expiresInSeconds);
    },
    openLink: async (link, now) => {
      if (!isLinkValid(signingSecret, link, now)) return undefined;
      const path = pathOf(link.key);
      const { size } = await stat(path).catch((error) => rethrow(error, link.key));
      return { path, size, contentDisposition: contentDisposition(link.name), contentType: contentType(link.key) };
    },
    prepare: async () => void (await mkdir(objects, { recursive: true, mode: 0o700 }).catch((error) => rethrow(error))),
    ping: () => access(objects, constants.R_OK | constants.W_OK).catch((error) => rethrow(error)),
  };
}

const statIfExists = (path: string, key: string) => stat(path).catch((error) => (isMissing(error) ? undefined : rethrow(error, key)));

/** Yields the files depth first, each folder's entries by name. Folders that cannot have a match are not opened. */
async function* walk(root: string, folder: string, prefix: string): AsyncGenerator<{ key: string; modifiedAt: Date; size: number }> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error) =>
    isMissing(error) ? [] : rethrow(error, prefix),
  );
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const key = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`)) yield* walk(root, key, prefix);
    } else if (key.startsWith(prefix)) {
      const stats = await statIfExists(join(root, key), key);
      if (stats) yield { key, modifiedAt: stats.mtime, size: stats.size };
    }
  }
}

/** Creates a folder, and syncs its parent folders to disk, so that the new folder survives a power cut. */
async function makeFolder(root: string, folder: string): Promise<void> {
  const firstCreated = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!firstCreated) return;
  const minLength = Math.max(dirname(firstCreated).length, dirname(root).length);
  for (let parent = dirname(folder); parent.length >= minLength; parent = dirname(parent)) await syncToDisk(parent);
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function contentType(key: string): string {
  return key.endsWith(".xlsx") ? "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" : "application/octet-stream";
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Throws ObjectMissing if the call was for a `key` whose file is missing, otherwise StoreUnavailable. */
function rethrow(error: unknown, key?: string): never {
  if (key !== undefined && isMissing(error)) throw new ObjectMissing(key);
  throw new StoreUnavailable("object store", `The object store's folder does not work: ${(error as Error).message}`, { cause: error });
}
