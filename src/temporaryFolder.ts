import { mkdtemp, rm } from "node:fs/promises";
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
