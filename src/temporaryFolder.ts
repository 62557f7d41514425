import { randomUUID } from "node:crypto";
import { mkdtemp, rm, unlink } from "node:fs/promises";
import { join } from "node:path";

/** Runs `work` with a new folder in `parent`, and afterwards removes the folder and its content. */
export async function inTemporaryFolder<Result>(parent: string, prefix: string, work: (folder: string) => Promise<Result>) {
  const folder = await mkdtemp(join(parent, prefix));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs `work` with a path in `parent` where it may write one file, and afterwards removes that file. Cheaper than a folder for each. */
export async function inTemporaryFile<Result>(parent: string, work: (path: string) => Promise<Result>) {
  const path = join(parent, randomUUID());
  try {
    return await work(path);
  } finally {
    await unlink(path).catch(() => undefined); // `work` may not have written it
  }
}
