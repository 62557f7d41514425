import { mkdir, mkdtemp, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemReason } from "../portErrors.js";

/** Creates the folder if it is missing, and checks that this process may write to it. `setting` is the variable that names the folder. */
export async function ensureUsable(folder: string, setting: string): Promise<void> {
  try {
    await make(folder);
    await rmdir(await mkdtemp(join(folder, "trial-")));
  } catch (error) {
    throw new Error(`The folder ${folder} cannot be used: ${systemReason(error)}. Set ${setting} to a folder that this user may write to.`);
  }
}

/** Level by level: below /proc, Node's recursive mkdir never returns. */
async function make(folder: string): Promise<void> {
  if (await stat(folder).catch(() => undefined)) return;
  await make(dirname(folder));
  // 0711, because Postgres may run as another account and has to pass through the folder.
  await mkdir(folder, { mode: 0o711 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error; // another process has made it
  });
}
