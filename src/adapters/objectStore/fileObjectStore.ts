import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, copyFile, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ObjectMissing, StoreUnavailable } from "../../portErrors.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import { assertKey, contentDisposition, isSignatureValid, signLink } from "./objectKeys.js";

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
      const arriving = join(incoming, randomUUID());
      await mkdir(incoming, { recursive: true, mode: 0o700 });
      try {
        await copyFile(path, arriving, constants.COPYFILE_FICLONE);
        await sync(arriving);
        await makeFolder(objects, dirname(target));
        await rename(arriving, target);
        await sync(dirname(target));
      } catch (error) {
        await rm(arriving, { force: true });
        fail(error, key);
      }
    },
    fetch: (key, path) => copyFile(pathOf(key), path, constants.COPYFILE_FICLONE).catch((error) => fail(error, key)),
    read: (key) => readFile(pathOf(key)).catch((error) => fail(error, key)),
    exists: async (key) => (await statIfThere(pathOf(key), key))?.isFile() ?? false,
    remove: (key) => rm(pathOf(key), { force: true }).catch((error) => fail(error, key)),
    list: (prefix) => walk(objects, "", prefix),
    removeUnfinished: async (before) => {
      let removed = 0;
      for (const name of await readdir(incoming).catch((error) => (isMissing(error) ? [] : fail(error)))) {
        const found = await stat(join(incoming, name)).catch(() => undefined);
        if (!found || found.mtime >= before) continue;
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
      if (!isSignatureValid(signingSecret, link, now)) return undefined;
      const path = pathOf(link.key);
      const { size } = await stat(path).catch((error) => fail(error, link.key));
      return { path, size, contentDisposition: contentDisposition(link.name), contentType: contentType(link.key) };
    },
    prepare: async () => void (await mkdir(objects, { recursive: true, mode: 0o700 }).catch((error) => fail(error))),
    ping: () => access(objects, constants.R_OK | constants.W_OK).catch((error) => fail(error)),
  };
}

const statIfThere = (path: string, key: string) => stat(path).catch((error) => (isMissing(error) ? undefined : fail(error, key)));

/** Depth first, the entries of each folder by name. A folder that cannot have a match is not opened. */
async function* walk(root: string, folder: string, prefix: string): AsyncGenerator<{ key: string; modifiedAt: Date; size: number }> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error) =>
    isMissing(error) ? [] : fail(error, prefix),
  );
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const key = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`)) yield* walk(root, key, prefix);
    } else if (key.startsWith(prefix)) {
      const found = await statIfThere(join(root, key), key);
      if (found) yield { key, modifiedAt: found.mtime, size: found.size };
    }
  }
}

/** A new folder survives a power cut only when its parent folder is synced as well. */
async function makeFolder(root: string, folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!first) return;
  for (let at = dirname(folder); at.length >= dirname(first).length && at.length >= dirname(root).length; at = dirname(at)) await sync(at);
}

async function sync(path: string): Promise<void> {
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

/** `key`: of the object that is missing if the file is; undefined where no object was asked for. */
function fail(error: unknown, key?: string): never {
  if (key !== undefined && isMissing(error)) throw new ObjectMissing(key);
  throw new StoreUnavailable("object store", `The object store's folder does not work: ${(error as Error).message}`, { cause: error });
}
