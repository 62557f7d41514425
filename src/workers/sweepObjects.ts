import { setTimeout } from "node:timers/promises";
import type { WorkerDeps } from "./deps.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore" | "objectStore" | "logger"> & { readonly signal?: AbortSignal };

const kept = [
  { prefix: "uploads/", keyOfImport: "file_key" },
  // One that its import has not recorded is, or will be, the report of a cancelled or failed one.
  { prefix: "reports/", keyOfImport: "coalesce(report_key, 'reports/' || import_id || '.xlsx')" },
] as const;
const dayMs = 24 * 3_600_000;
const atOnce = 200;
const lookMs = 250;

/**
 * Removes submissions and reports that are no import's: those of clients that went away, or of a process that died. Only the table
 * of imports knows, so nothing is removed unless it has everything that was in the log when the sweep began.
 */
export async function sweepObjects(deps: Deps, { olderThanMs = dayMs, patienceMs = 20_000 } = {}): Promise<number> {
  const { objectStore, logger, signal } = deps;
  const now = await whenUpToDate(deps, patienceMs);
  if (!now) return 0;
  let removed = 0;
  for (const { prefix, keyOfImport } of kept) {
    let keys: string[] = [];
    const sweep = async () => {
      for (const key of await unreferenced(deps, keyOfImport, keys)) {
        await objectStore.remove(key);
        removed += 1;
      }
      keys = [];
    };
    for await (const { key, modifiedAt } of objectStore.list(prefix)) {
      if (signal?.aborted) return removed;
      if (now.getTime() - modifiedAt.getTime() < olderThanMs) continue;
      if (keys.push(key) >= atOnce) await sweep();
    }
    await sweep();
  }
  if (removed > 0) logger.info({ removed }, "removed objects that no import refers to");
  return removed;
}

/**
 * The database's clock, once the table of imports has everything that is in the log now; undefined if that takes too long, or if the table
 * stands past the end of the log: then it is of another one, and knows nothing of this one's imports.
 */
async function whenUpToDate({ pool, eventStore, signal }: Deps, patienceMs: number): Promise<Date | undefined> {
  const head = await eventStore.head();
  for (const deadline = performance.now() + patienceMs; ; ) {
    const asked = await pool.query<{ now: Date; commit: string | null }>(
      "select now(), (select commit from checkpoints where projection = 'imports') as commit",
    );
    const { now, commit } = asked.rows[0] ?? {};
    const stands = BigInt(commit ?? -1);
    if (now && stands >= (head?.commit ?? 0n)) return stands <= ((await eventStore.head())?.commit ?? 0n) ? now : undefined;
    if (performance.now() > deadline || signal?.aborted) return undefined;
    await setTimeout(lookMs);
  }
}

async function unreferenced({ pool }: Deps, keyOfImport: (typeof kept)[number]["keyOfImport"], keys: readonly string[]): Promise<string[]> {
  const orphans = await pool.query<{ key: string }>(
    `select key from unnest($1::text[]) as key where key not in (select ${keyOfImport} from imports where ${keyOfImport} = any($1))`,
    [keys],
  );
  return orphans.rows.map((row) => row.key);
}
