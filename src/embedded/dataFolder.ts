import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { link, mkdir, mkdtemp, open, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { systemReason } from "../portErrors.js";
import { processIdentity } from "./processes.js";

/** Creates the folder if it is missing, and checks that this process may write to it. `setting` names it in error messages. */
export async function ensureUsableFolder(folder: string, setting: string): Promise<void> {
  try {
    await makeFolder(folder);
    await rmdir(await mkdtemp(join(folder, "trial-")));
  } catch (error) {
    throw new Error(`The folder ${folder} cannot be used: ${systemReason(error)}. Set ${setting} to a folder that this user may write to.`);
  }
}

/** Creates one level at a time, since Node's recursive mkdir never returns below /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await stat(folder).catch(() => undefined)) return;
  await makeFolder(dirname(folder));
  // 0711, because Postgres may run as another account and has to pass through the folder.
  await mkdir(folder, { mode: 0o711 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error; // EEXIST: another process has made it
  });
}

/** Reads the data folder's signing secret, or creates it. The secret never changes, so links and cursors stay valid after a restart. */
export async function ensureSigningSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, "signing-secret");
  const existing = await readFile(path, "utf8").catch(() => undefined);
  if (existing === "")
    throw new Error(
      `${path} is empty. Put it back from a backup, or delete it: then earlier links and cursors end, and every webhook endpoint needs its new secret.`,
    );
  if (existing) return existing;
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, randomBytes(32).toString("base64url"), { mode: 0o600, flush: true });
  await link(draft, path).catch(() => undefined); // fails if another process was first: its secret is then read below
  await rm(draft, { force: true });
  return readFile(path, "utf8");
}

/**
 * The process that runs the embedded stores of a data folder, or, for the kind `eventstore`, an event store alone. Other processes can use
 * the stores of a `start` or a `role`. If a `command` owns the folder, they wait for its end.
 */
export interface FolderOwner {
  readonly pid: number;
  readonly identity: string; // as `processIdentity` gives it
  readonly kind: "start" | "role" | "command" | "eventstore";
  /** A new id each time the folder is taken. */
  readonly lockId: string;
  /** The folder's identity. A lock file in a copy of the folder does not count. Absent in locks of older versions. */
  readonly folder?: string;
}

export type FolderLock = Exclude<Awaited<ReturnType<typeof takeFolder>>, { readonly heldBy: FolderOwner }>;

const raceMs = 100;
const maxTakeMs = 10_000;
const watchIntervalMs = 1_000;
const lockText = (owner: FolderOwner) => JSON.stringify(owner);

/** Takes the folder, or returns the live owner that has it. Replaces the lock of a process that has ended. */
export async function takeFolder(dataDir: string, setting: string, kind: FolderOwner["kind"]) {
  const path = join(dataDir, "lock");
  const folder = await folderIdentity(dataDir);
  const owner: FolderOwner = {
    pid: process.pid,
    identity: (await processIdentity(process.pid)) ?? String(process.pid),
    kind,
    lockId: randomUUID(),
    folder,
  };
  const lock = { owner, whenLost: (signal: AbortSignal) => whenLockLost(path, signal), release: () => releaseLock(path, setting, owner) };
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, lockText(owner));
  const deadline = performance.now() + maxTakeMs;
  try {
    for (let isContested = false; ; isContested = true) {
      if (await tryLink(draft, path)) {
        if (!isContested) return lock;
        await pause(raceMs); // another process that removed the same stale lock may still replace this one
        if ((await readLock(path, setting)) === lockText(owner)) return lock;
        continue;
      }
      if (performance.now() > deadline)
        throw new Error(`${path} belongs to no running process, but cannot be replaced. Remove it, or set ${setting} to another folder.`);
      const found = await readLock(path, setting);
      const holder = parseOwner(found);
      const isOfThisFolder = (holder?.folder ?? folder) === folder;
      if (holder && isOfThisFolder && (await processIdentity(holder.pid)) === holder.identity) return { heldBy: holder };
      if (found !== undefined) removeStaleLock(path, found);
      await pause(isContested ? 20 : 0); // avoids a busy loop if the stale lock cannot be removed
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
 * Resolves when the lock file is gone, because the folder was removed or another process has taken it, or when the signal aborts. Watches
 * the open file instead of its path, because the lock of a moved folder is not lost.
 */
async function whenLockLost(path: string, signal: AbortSignal): Promise<void> {
  const file = await open(path).catch(() => undefined);
  try {
    const exists = () =>
      file?.stat().then(
        ({ nlink }) => nlink > 0,
        () => false, // on a network file system `stat` fails for a removed file
      );
    while (!signal.aborted && (await exists())) await pause(watchIntervalMs, undefined, { signal }).catch(() => undefined);
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
 * Removes a stale lock. Several processes may try at the same time; one of them can rename the file. If that was a new lock, which has just
 * replaced the stale one, the process puts it back. The calls are synchronous, so that no other work of the process delays this.
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

async function releaseLock(path: string, setting: string, owner: FolderOwner): Promise<void> {
  const found = await readLock(path, setting);
  if (parseOwner(found)?.lockId === owner.lockId) await rm(path, { force: true });
}

/** Undefined if there is no file, or an empty one, as a power cut can leave it. */
function parseOwner(found: string | undefined): FolderOwner | undefined {
  try {
    return found === undefined ? undefined : (JSON.parse(found) as FolderOwner);
  } catch {
    return undefined;
  }
}

/** Stays the same when a folder is moved and differs in a copy, so that lock and runtime files in a copy do not count. */
export async function folderIdentity(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}
