import { randomBytes } from "node:crypto";
import { link, mkdir, mkdtemp, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
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

/** Created once per data folder, so that links and cursors stay valid after a restart. */
export async function readSigningSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, "signing-secret");
  const known = await readFile(path, "utf8").catch(() => undefined);
  if (known === "")
    throw new Error(`${path} is empty. Put it back from a backup, or delete it: links and cursors given out before then end.`);
  if (known) return known;
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, randomBytes(32).toString("base64url"), { mode: 0o600, flush: true });
  await link(draft, path).catch(() => undefined); // another process was first: its secret counts
  await rm(draft, { force: true });
  return readFile(path, "utf8");
}
