import { setTimeout } from "node:timers/promises";
import type { Pool } from "pg";
import type { Logger } from "pino";
import { backOffMs } from "../../backOff.js";
import type { ImportRequested } from "../../events/importEvents.js";
import type { Stores } from "../../ports/database.js";
import { endImport } from "./endImport.js";
import { hasEnded, loadImport } from "./importStream.js";
import { cancelUnconfirmedPlace, confirmPlace, removeUnconfirmedPlace } from "./queue/places.js";
import { noteRefusedUpload } from "./storedObjects.js";

interface ResolveDeps extends Stores {
  readonly logger: Logger;
  readonly stopped?: AbortSignal | undefined;
  /** After this time the workers take over. */
  readonly resolveWithinMs?: number;
}

const defaultResolveMs = 15 * 60_000;
const resolvePauses = { firstMs: 250, maxMs: 15_000 };
/** The import counts as not recorded after this many reads: an append in flight may land just after the event store answers again. */
const minMisses = 2;

/**
 * Finds out whether a push that was answered 503 was recorded after all. With an Idempotency-Key a recorded push gets its place confirmed,
 * since the caller's next attempt finds it. Without a key the next attempt is another import, so the recorded push is cancelled and nothing
 * is billed twice. If this process ends first, a worker does the same from the marks in the queue.
 */
export async function resolvePushAfter503(deps: ResolveDeps, request: ImportRequested): Promise<void> {
  const { pool, eventStore } = deps;
  const { importId, idempotency } = request;
  const now = clockFrom(pool, request);
  let misses = 0;
  await retryUntilDone(deps, importId, "resolving a push that was answered 503", async (warn) => {
    // A failure here is only logged: the cancellation in the stream counts, and needs no database.
    if (!idempotency) await cancelUnconfirmedPlace(pool, importId).catch(warn);
    const loaded = await loadImport(eventStore, importId);
    if (loaded.position === undefined) {
      misses += 1;
      if (misses < minMisses) return false;
      await removeUnconfirmedPlace(pool, importId);
      // With an Idempotency-Key the push may be sent again and use this file.
      if (!idempotency) await noteRefusedUpload(pool, request);
    } else if (idempotency && loaded.state.status !== "none") {
      const { request: recorded } = loaded.state;
      await confirmPlace(pool, recorded, loaded.position);
      if (recorded.file.key !== request.file.key) await noteRefusedUpload(pool, request);
    } else await cancelAfter503(deps, request, await now());
    return true;
  });
}

async function cancelAfter503(deps: ResolveDeps, { importId, organisationId, requestId, by }: ImportRequested, now: Date): Promise<void> {
  const context = { organisation: organisationId, by, correlationId: requestId };
  const command = { type: "cancelImport", by, reason: "the push was answered 503", progress: 0, now } as const;
  const { state } = await endImport(deps, importId, (loaded) => (hasEnded(loaded) ? undefined : { command, context }));
  if (state.status === "completed")
    deps.logger.error({ importId, organisationId }, "an import whose push was answered 503 had completed before it could be cancelled");
}

/** A clock with the database's time or, if the database does not answer, the push's time plus the time since then on this machine. */
function clockFrom(pool: Pool, { at }: ImportRequested): () => Promise<Date> {
  const startedAtMs = performance.now();
  return () =>
    pool.query<{ now: Date }>("select clock_timestamp() as now").then(
      ({ rows }) => rows[0]?.now ?? new Date(at),
      () => new Date(Date.parse(at) + performance.now() - startedAtMs),
    );
}

type LogWarning = (error: unknown) => void;

async function retryUntilDone(
  { logger, stopped, resolveWithinMs = defaultResolveMs }: ResolveDeps,
  importId: string,
  taskName: string,
  work: (warn: LogWarning) => Promise<boolean>,
): Promise<void> {
  const endsAtMs = performance.now() + resolveWithinMs;
  for (let attempt = 1; performance.now() < endsAtMs; attempt += 1) {
    const pauseMs = Math.min(backOffMs(attempt, resolvePauses), Math.max(0, endsAtMs - performance.now()));
    await setTimeout(pauseMs, undefined, { ref: false, ...(stopped && { signal: stopped }) }).catch(() => undefined);
    if (stopped?.aborted) return;
    const warn: LogWarning = (error) => logger.warn({ err: error, importId, attempt }, `${taskName} failed; it is tried again`);
    const isDone = await work(warn).catch((error: unknown) => {
      warn(error);
      return false;
    });
    if (isDone) return;
  }
  logger.error({ importId }, `${taskName} was given up; a worker resolves it from the queue`);
}
