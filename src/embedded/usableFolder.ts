import { mkdir, mkdtemp, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemReason } from "../portErrors.js";

/** Makes the folder if there is none, and tries whether we may write to it: said at once and in words. `setting` is what names it. */
export async function ensureUsable(folder: string, setting: string): Promise<void> {
  try {
    await make(folder);
    await rmdir(await mkdtemp(join(folder, "trial-")));
  } catch (error) {
    throw new Error(`The folder ${folder} cannot be used: ${systemReason(error)}. Set ${setting} to a folder that this user may write to.`);
  }
}

/** Level by level: below /proc, Node's own way of making parents never ends. */
async function make(folder: string): Promise<void> {
  if (await stat(folder).catch(() => undefined)) return;
  await make(dirname(folder));
  // Postgres, under an account of its own, passes through it.
  await mkdir(folder, { mode: 0o711 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error; // else someone was quicker
  });
}
