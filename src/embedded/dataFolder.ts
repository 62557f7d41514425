import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { link, mkdir, mkdtemp, open, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { systemReason } from "../portErrors.js";
import { processIdentity } from "./processes.js";

/** Creates the folder if it is missing, and checks that this process may write to it. `setting` is the variable or option that names the folder. */
export async function ensureUsable(folder: string, setting: string): Promise<void> {
  try {
    await makeFolder(folder);
    await rmdir(await mkdtemp(join(folder, "trial-")));
  } catch (error) {
    throw new Error(`The folder ${folder} cannot be used: ${systemReason(error)}. Set ${setting} to a folder that this user may write to.`);
  }
}

/** Level by level: below /proc, Node's recursive mkdir never returns. */
async function makeFolder(folder: string): Promise<void> {
  if (await stat(folder).catch(() => undefined)) return;
  await makeFolder(dirname(folder));
  // 0711, because Postgres may run as another account and has to pass through the folder.
  await mkdir(folder, { mode: 0o711 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error; // another process has made it
  });
}

/** Created once per data folder, so that links and cursors stay valid after a restart. */
export async function signingSecretIn(dataDir: string): Promise<string> {
  const path = join(dataDir, "signing-secret");
  const known = await readFile(path, "utf8").catch(() => undefined);
  if (known === "")
    throw new Error(
      `${path} is empty. Put it back from a backup, or delete it: then earlier links and cursors end, and every webhook endpoint needs its new secret.`,
    );
  if (known) return known;
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, randomBytes(32).toString("base64url"), { mode: 0o600, flush: true });
  await link(draft, path).catch(() => undefined); // another process was first: its secret counts
  await rm(draft, { force: true });
  return readFile(path, "utf8");
}

/**
 * The process that runs the embedded stores of a data folder, or (kind `eventstore`) the event store of a folder of its own. A `command` ends soon;
 * other processes can use the stores of a `start` or `role`.
 */
export interface FolderOwner {
  readonly pid: number;
  readonly identity: string;
  readonly kind: "start" | "role" | "command" | "eventstore";
  /** A new id each time the folder is taken. */
  readonly lockId: string;
  /** The folder's `dev:inode`: the lock file in a copy of it does not count. Absent in locks of older versions. */
  readonly folder?: string;
}

export type FolderLock = Exclude<Awaited<ReturnType<typeof takeFolder>>, { readonly heldBy: FolderOwner }>;

const raceMs = 100;
const patienceMs = 10_000;
const watchMs = 1_000;
const lockText = (owner: FolderOwner) => JSON.stringify(owner);

/** Takes the folder that `setting` names, or returns the owner that has it. The lock of a process that has ended does not count. */
export async function takeFolder(dataDir: string, setting: string, kind: FolderOwner["kind"]) {
  const path = join(dataDir, "lock");
  const inode = await folderIdentity(dataDir);
  const owner: FolderOwner = {
    pid: process.pid,
    identity: (await processIdentity(process.pid)) ?? String(process.pid),
    kind,
    lockId: randomUUID(),
    folder: inode,
  };
  const lock = { owner, whenLost: (signal: AbortSignal) => whenLost(path, signal), release: () => release(path, setting, owner) };
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, lockText(owner));
  const deadline = performance.now() + patienceMs;
  try {
    for (let contested = false; ; contested = true) {
      if (await tryLink(draft, path)) {
        if (!contested) return lock;
        await pause(raceMs); // another process that removed the same stale lock may still replace this one
        if ((await readLock(path, setting)) === lockText(owner)) return lock;
        continue;
      }
      if (performance.now() > deadline)
        throw new Error(`${path} belongs to no running process, but cannot be replaced. Remove it, or set ${setting} to another folder.`);
      const found = await readLock(path, setting);
      const holder = ownerIn(found);
      const isHere = (holder?.folder ?? inode) === inode;
      if (holder && isHere && (await processIdentity(holder.pid)) === holder.identity) return { heldBy: holder };
      if (found !== undefined) removeStaleLock(path, found);
      await pause(contested ? 20 : 0); // no busy loop where the stale lock cannot be removed
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function readLock(path: string, setting: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new Error(`${path}, which says who uses the folder, cannot be read: ${systemReason(error)}. Set ${setting} to another folder.`);
  });
}

/**
 * Resolves when the lock file is gone: the folder was removed, or another process has taken the folder. Watches the open file, not its path: the
 * lock of a moved folder is not lost.
 */
async function whenLost(path: string, signal: AbortSignal): Promise<void> {
  const file = await open(path).catch(() => undefined);
  try {
    const isThere = () =>
      file?.stat().then(
        ({ nlink }) => nlink > 0,
        () => false, // a network file system fails for a removed file
      );
    while (!signal.aborted && (await isThere())) await pause(watchMs, undefined, { signal }).catch(() => undefined);
  } finally {
    await file?.close();
  }
}

async function tryLink(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Removes a stale lock. Several processes may try at once: one renames it. If a process has renamed a live lock by mistake, it puts it
 * back at once; the calls are synchronous, so nothing runs in between.
 */
function removeStaleLock(path: string, expected: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    if (readFileSync(path, "utf8") !== expected) return;
    renameSync(path, aside);
    if (readFileSync(aside, "utf8") !== expected) linkSync(aside, path);
  } catch {
    // another process has removed it
  } finally {
    rmSync(aside, { force: true });
  }
}

async function release(path: string, setting: string, owner: FolderOwner): Promise<void> {
  const found = await readLock(path, setting);
  if (ownerIn(found)?.lockId === owner.lockId) await rm(path, { force: true });
}

/** Undefined for an empty file, which a power cut can leave behind. */
function ownerIn(found: string | undefined): FolderOwner | undefined {
  try {
    return found === undefined ? undefined : (JSON.parse(found) as FolderOwner);
  } catch {
    return undefined;
  }
}

/** Stays the same when a folder is moved and differs in a copy: a lock or runtime file in a copied folder does not count. */
export async function folderIdentity(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}
