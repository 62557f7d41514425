import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** A folder of this process's own; those of processes that are gone are removed. */
export async function ownFolder(tempDir: string): Promise<string> {
  await mkdir(tempDir, { recursive: true });
  await removeAbandoned(tempDir, /^worker-(\d+)-/);
  return mkdtemp(join(tempDir, `worker-${process.pid}-`));
}

/** Removes the folders whose name holds, as the pattern's first group, the number of a process that is gone. */
export async function removeAbandoned(parent: string, pattern: RegExp): Promise<void> {
  for (const name of await readdir(parent)) {
    const owner = pattern.exec(name)?.[1];
    if (owner !== undefined && !isRunning(Number(owner))) await rm(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
