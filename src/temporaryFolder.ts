import { randomUUID } from "node:crypto";
import { mkdtemp, rm, unlink } from "node:fs/promises";
import { join } from "node:path";

/** Works in a new folder in `parent`, and removes it afterwards with all that is in it. */
export async function inTemporaryFolder<Result>(parent: string, prefix: string, work: (folder: string) => Promise<Result>) {
  const folder = await mkdtemp(join(parent, prefix));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Works with a single file, which `work` writes: a push needs no folder of its own. */
export async function inTemporaryFile<Result>(parent: string, work: (path: string) => Promise<Result>) {
  const path = join(parent, randomUUID());
  try {
    return await work(path);
  } finally {
    await unlink(path).catch(() => undefined); // it may not have been written
  }
}
