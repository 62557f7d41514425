import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** A folder of this process's own; those of processes that are gone are removed. */
export async function ownFolder(tempDir: string): Promise<string> {
  await mkdir(tempDir, { recursive: true });
  for (const name of await readdir(tempDir)) {
    const owner = /^worker-(\d+)-/.exec(name)?.[1];
    if (owner !== undefined && !isRunning(Number(owner))) await rm(join(tempDir, name), { recursive: true, force: true });
  }
  return mkdtemp(join(tempDir, `worker-${process.pid}-`));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
