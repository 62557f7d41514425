import type { WorkerDeps } from "./deps.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore" | "objectStore" | "logger"> & { readonly signal?: AbortSignal };

const dayMs = 24 * 3_600_000;
const atOnce = 200;

/**
 * Removes submissions that no import refers to: those of clients that went away, or of a process that died. Only the table of
 * imports knows the references, so nothing is removed unless it has everything that was in the log when the sweep began.
 */
export async function sweepUploads(deps: Deps, olderThanMs: number = dayMs): Promise<number> {
  const { pool, eventStore, objectStore, logger, signal } = deps;
  const head = await eventStore.head();
  const clock = await pool.query<{ now: Date; seen: boolean }>(
    "select now(), coalesce((select commit >= $1 from checkpoints where projection = 'imports'), $1 = 0) as seen",
    [head?.commit ?? 0n],
  );
  const { now, seen } = clock.rows[0] ?? { now: new Date(0), seen: false };
  if (!seen) return 0;
  let removed = 0;
  let keys: string[] = [];
  const sweep = async () => {
    for (const key of await unreferenced(deps, keys)) {
      await objectStore.remove(key);
      removed += 1;
    }
    keys = [];
  };
  for await (const { key, modifiedAt } of objectStore.list("uploads/")) {
    if (signal?.aborted) break;
    if (now.getTime() - modifiedAt.getTime() < olderThanMs) continue;
    if (keys.push(key) >= atOnce) await sweep();
  }
  if (keys.length > 0) await sweep();
  if (removed > 0) logger.info({ removed }, "removed submissions that no import refers to");
  return removed;
}

async function unreferenced({ pool }: Deps, keys: readonly string[]): Promise<string[]> {
  const orphans = await pool.query<{ key: string }>(
    "select key from unnest($1::text[]) as key where not exists (select 1 from imports i where i.file_key = key)",
    [keys],
  );
  return orphans.rows.map((row) => row.key);
}
