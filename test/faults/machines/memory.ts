// Measures the memory of a machine's processes.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { kill, type Machine, until } from "../../support/processes.js";

/** Megabytes of a process's own (anonymous) memory, and of mapped files, which the system can free at any time. */
export interface Resident {
  readonly own: number;
  readonly mapped: number;
}
/** Megabytes in use after a garbage collection. */
export interface Kept {
  readonly heap: number;
  readonly buffers: number;
}

const megabytes = (bytes: number) => Math.round(bytes / 1_048_576);
export const probe = new URL("./memoryProbe.mjs", import.meta.url).href;

/** Environment variables for a machine whose heaps are measured. */
export const probed = (folder: string) => ({ NODE_OPTIONS: `--import=${probe}`, MEMORY_PROBE_FOLDER: folder });

async function roles(machine: Machine): Promise<[role: string, pid: number][]> {
  return [...(await machine.processes())].flatMap(([pid, command]) => {
    const role = /cli\.js (\w+)/.exec(command)?.[1];
    return role ? [[role, pid] as [string, number]] : [];
  });
}

export async function residentByRole(machine: Machine): Promise<Map<string, Resident>> {
  const sizes = new Map<string, Resident>();
  for (const [role, pid] of await roles(machine)) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    const size = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
    sizes.set(role, { own: megabytes(size("RssAnon")), mapped: megabytes(size("RssFile") + size("RssShmem")) });
  }
  return sizes;
}

export async function keptByRole(machine: Machine, folder: string): Promise<Map<string, Kept>> {
  const sizes = new Map<string, Kept>();
  for (const [role, pid] of await roles(machine)) {
    const path = join(folder, String(pid));
    await rm(path, { force: true });
    kill(pid, "SIGUSR2");
    const weighed = async () =>
      JSON.parse(await readFile(path, "utf8").catch(() => "null")) as { heapUsed: number; external: number } | null;
    await until(`the heap of the ${role} is weighed`, async () => (await weighed().catch(() => null)) !== null);
    const { heapUsed = 0, external = 0 } = (await weighed()) ?? {};
    sizes.set(role, { heap: megabytes(heapUsed), buffers: megabytes(external) });
  }
  return sizes;
}

export const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;

/** The median of each quarter of a series. Single peaks, such as a large file, do not change a median. */
export function quarters(series: readonly number[]): number[] {
  const at = (quarter: number) => Math.floor((series.length * quarter) / 4);
  return [0, 1, 2, 3].map((quarter) => median(series.slice(at(quarter), at(quarter + 1))));
}
