// Folders for files at work. Several containers may share one parent folder, such as a mounted /tmp: each has its own numbers of processes,
// so a number tells whether a folder's owner is gone only within one container.
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

const touchMs = 3_600_000;
/** Its owner would have touched it many times. */
const abandonedMs = 24 * touchMs;

/** A folder of this process's own. Those of the same name whose processes are gone are removed. */
export async function ownFolder(parent: string, name: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  await removeAbandoned(parent, name);
  const folder = await mkdtemp(join(parent, `${name}-${processSpace()}-${process.pid}-`));
  const touching = setInterval(() => {
    const now = new Date();
    utimes(folder, now, now).catch(() => clearInterval(touching)); // it was removed
  }, touchMs);
  touching.unref();
  return folder;
}

async function removeAbandoned(parent: string, name: string): Promise<void> {
  for (const entry of await readdir(parent)) {
    if (!entry.startsWith(`${name}-`)) continue;
    const path = join(parent, entry);
    // Another user's cannot be removed, and need not be.
    if (await isAbandoned(path, entry.slice(name.length + 1))) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isAbandoned(path: string, owner: string): Promise<boolean> {
  const [, space, pid] = /^([0-9a-f]{12})-(\d+)-\w+$/.exec(owner) ?? [];
  if (space === processSpace()) return !isRunning(Number(pid));
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > abandonedMs;
}

/** Within which process numbers can be compared: a boot of a machine, and a container on it. */
function processSpace(): string {
  const facts = [() => readlinkSync("/proc/self/ns/pid"), () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")].map((read) => {
    try {
      return read();
    } catch {
      return hostname(); // not Linux
    }
  });
  return createHash("sha256").update(facts.join(" ")).digest("hex").slice(0, 12);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
