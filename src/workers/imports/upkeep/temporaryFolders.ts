// Folders for temporary files. Several containers may share one parent folder, such as a mounted /tmp. Process ids are per container, so a
// process id says whether a folder's owner still runs only within the same container.
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const touchMs = 3_600_000;
/** A folder of another container counts as abandoned after this time. A running owner touches its folder every hour. */
const maxIdleMs = 24 * touchMs;

/** Creates a folder for this process, and removes abandoned folders of the same name. */
export async function createOwnFolder(parent: string, name: string): Promise<string> {
  const folder = await newFolder(parent, `${name}-${processSpaceId()}-${process.pid}-`);
  await removeAbandoned(parent, name);
  const touchTimer = setInterval(() => {
    const now = new Date();
    utimes(folder, now, now).catch(() => clearInterval(touchTimer)); // the folder is gone
  }, touchMs);
  touchTimer.unref();
  return folder;
}

/** Retries, since another process that takes over the data folder may remove `parent` at the same moment. */
async function newFolder(parent: string, prefix: string, tries = 20): Promise<string> {
  try {
    await mkdir(parent, { recursive: true });
    return await mkdtemp(join(parent, prefix));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries <= 1) throw error;
    await pause(50);
    return newFolder(parent, prefix, tries - 1);
  }
}

async function removeAbandoned(parent: string, name: string): Promise<void> {
  const entries = await readdir(parent).catch(() => []); // empty if another process has removed the parent
  for (const entry of entries) {
    if (!entry.startsWith(`${name}-`)) continue;
    const path = join(parent, entry);
    // Another user's folder cannot be removed, and stays.
    if (await isAbandoned(path, entry.slice(name.length + 1))) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isAbandoned(path: string, owner: string): Promise<boolean> {
  const [, space, pid] = /^([0-9a-f]{12})-(\d+)-\w+$/.exec(owner) ?? [];
  if (space === processSpaceId()) return !isRunning(Number(pid));
  const stats = await stat(path).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > maxIdleMs;
}

/** Identifies the machine's boot and the container. Two process ids can be compared only within one such space. */
function processSpaceId(): string {
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
