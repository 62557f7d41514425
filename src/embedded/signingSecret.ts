import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

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
