import { mkdtemp, readdir, rm, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";

/** Works in a new folder in `parent`, and removes it afterwards with all that is in it. */
export async function inTemporaryFolder<Result>(parent: string, prefix: string, work: (folder: string) => Promise<Result>) {
  const folder = await mkdtemp(join(parent, prefix));
  try {
    return await work(folder);
  } finally {
    await remove(folder).catch(() => rm(folder, { recursive: true, force: true }));
  }
}

/** A folder of files. Each push has one, and `rm` takes half as long again, since it looks for folders in it. */
async function remove(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await unlink(join(folder, name));
  await rmdir(folder);
}
