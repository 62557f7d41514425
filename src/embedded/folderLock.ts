import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { processIdentity } from "./processes.js";

/** Who runs the embedded stores of a data folder. A `command` ends soon; the others can be joined. */
export interface Owner {
  readonly pid: number;
  readonly identity: string;
  readonly kind: "start" | "role" | "command";
}

export interface FolderLock {
  readonly owner: Owner;
  release(): Promise<void>;
}

/** Takes the data folder, or answers who has it. The lock of a process that is gone, however it went, counts for nothing. */
export async function takeFolder(dataDir: string, kind: Owner["kind"]): Promise<FolderLock | { readonly heldBy: Owner }> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 }); // Postgres, under an account of its own, passes through it
  const path = join(dataDir, "lock");
  const owner: Owner = { pid: process.pid, identity: (await processIdentity(process.pid)) ?? String(process.pid), kind };
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(owner));
  try {
    for (;;) {
      if (await linked(draft, path)) return { owner, release: () => release(path, owner) };
      const text = await readFile(path, "utf8").catch(() => undefined);
      const holder = text === undefined ? undefined : (JSON.parse(text) as Owner);
      if (holder && (await processIdentity(holder.pid)) === holder.identity) return { heldBy: holder };
      if (text !== undefined) await clear(path, text);
    }
  } finally {
    await rm(draft, { force: true });
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

/** Of several who find a dead owner's lock one moves it away; whoever moved a live one by accident puts it back. */
async function clear(path: string, expected: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  const moved = await rename(path, aside).then(
    () => true,
    () => false,
  );
  if (!moved) return;
  if ((await readFile(aside, "utf8")) !== expected) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

async function release(path: string, owner: Owner): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text !== undefined && (JSON.parse(text) as Owner).identity === owner.identity) await rm(path, { force: true });
}
