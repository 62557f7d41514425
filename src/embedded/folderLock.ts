import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { link, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { systemReason } from "../portErrors.js";
import { folderIdentity } from "./folderIdentity.js";
import { processIdentity } from "./processes.js";

/** Who runs the embedded stores of a data folder. A `command` ends soon; the others can be joined. */
export interface Owner {
  readonly pid: number;
  readonly identity: string;
  readonly kind: "start" | "role" | "command";
  /** Tells one taking of the folder from every other. */
  readonly claim: string;
  /** Which folder it took: a copy of one that is in use is nobody's. Older locks do not say. */
  readonly folder?: string;
}

export interface FolderLock {
  readonly owner: Owner;
  /** Settles when the lock is nobody's any more: the folder was removed, or somebody took it from us. */
  lost(signal: AbortSignal): Promise<void>;
  release(): Promise<void>;
}

const settleMs = 100;
const patienceMs = 10_000;
const watchMs = 1_000;
const text = (owner: Owner) => JSON.stringify(owner);

/** Takes the data folder, or answers who has it. The lock of a process that is gone, however it went, counts for nothing. */
export async function takeFolder(dataDir: string, kind: Owner["kind"]): Promise<FolderLock | { readonly heldBy: Owner }> {
  const path = join(dataDir, "lock");
  const folder = await folderIdentity(dataDir);
  const owner: Owner = {
    pid: process.pid,
    identity: (await processIdentity(process.pid)) ?? String(process.pid),
    kind,
    claim: randomUUID(),
    folder,
  };
  const lock: FolderLock = { owner, lost: (signal) => lost(path, signal), release: () => release(path, owner) };
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text(owner));
  const deadline = performance.now() + patienceMs;
  try {
    for (let contested = false; ; contested = true) {
      if (await linked(draft, path)) {
        if (!contested) return lock;
        await pause(settleMs); // someone else who found the same dead owner may be about to notice that we were quicker
        if ((await read(path)) === text(owner)) return lock;
        continue;
      }
      if (performance.now() > deadline)
        throw new Error(`${path} is nobody's and cannot be taken. Remove it, or set DATA_DIR to another folder.`);
      const found = await read(path);
      const holder = ownerIn(found);
      const isHere = (holder?.folder ?? folder) === folder;
      if (holder && isHere && (await processIdentity(holder.pid)) === holder.identity) return { heldBy: holder };
      if (found !== undefined) clear(path, found);
      await pause(contested ? 20 : 0); // not at full speed where it does not go away
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function read(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new Error(`${path}, which says who uses the folder, cannot be read: ${systemReason(error)}. Set DATA_DIR to another folder.`);
  });
}

/** By the file itself and not its name: a folder that is moved takes it along. */
async function lost(path: string, signal: AbortSignal): Promise<void> {
  const file = await open(path).catch(() => undefined);
  try {
    const isThere = () =>
      file?.stat().then(
        ({ nlink }) => nlink > 0,
        () => false, // a network's way to say that it is gone
      );
    while (!signal.aborted && (await isThere())) await pause(watchMs, undefined, { signal }).catch(() => undefined);
  } finally {
    await file?.close();
  }
}

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Of several who find a dead owner's lock one moves it away; whoever moved a live one by accident puts it back, with no pause in between. */
function clear(path: string, expected: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    if (readFileSync(path, "utf8") !== expected) return;
    renameSync(path, aside);
    if (readFileSync(aside, "utf8") !== expected) linkSync(aside, path);
  } catch {
    // someone else was quicker
  } finally {
    rmSync(aside, { force: true });
  }
}

async function release(path: string, owner: Owner): Promise<void> {
  const found = await read(path);
  if (ownerIn(found)?.claim === owner.claim) await rm(path, { force: true });
}

/** A power cut can leave the file empty: nobody's lock. */
function ownerIn(found: string | undefined): Owner | undefined {
  try {
    return found === undefined ? undefined : (JSON.parse(found) as Owner);
  } catch {
    return undefined;
  }
}
