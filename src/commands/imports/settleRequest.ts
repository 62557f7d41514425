import { setTimeout } from "node:timers/promises";
import type { Pool } from "pg";
import type { Logger } from "pino";
import type { ImportRequested } from "../../events/importEvents.js";
import type { EventStore } from "../../ports.js";
import { confirmPlace, freePlace, releasePlace, withdrawPlace } from "./importQueue.js";
import { carryOut, hasEnded, type LoadedImport, loadImport } from "./importStream.js";
import { noteRefusedUpload } from "./refusedUploads.js";

interface Settling {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly logger: Logger;
  readonly stopping?: AbortSignal | undefined;
  /** What is not settled by then is left to the workers. */
  readonly settleWithinMs?: number;
}

const defaultWithinMs = 15 * 60_000;
const firstPauseMs = 250;
const longestPauseMs = 15_000;
/** An append that was on its way when the store fell silent may land just after the store answers again: look twice. */
const looks = 2;

/**
 * After a push that was answered 503: was it recorded? With an Idempotency-Key its place is confirmed then, since sending it again
 * finds it. Without one the caller's next attempt is another import, so this one is cancelled: nothing is billed twice.
 * What this process cannot settle, a worker does from the marks in the queue.
 */
export async function settleRefused(deps: Settling, request: ImportRequested): Promise<void> {
  const { pool, eventStore } = deps;
  const { importId, idempotency } = request;
  const now = clockFrom(pool, request);
  let missed = 0;
  await untilSettled(deps, importId, "settling a push that was answered 503", async (warn) => {
    // The stream is what counts: a database that is away does not keep the cancellation waiting.
    if (!idempotency) await withdrawPlace(pool, importId).catch(warn);
    const loaded = await loadImport(eventStore, importId);
    if (loaded.position === undefined) {
      missed += 1;
      if (missed < looks) return false;
      await releasePlace(pool, importId);
      // Sent again with its key, it could still be found and acknowledged.
      if (!idempotency) await noteRefusedUpload(pool, request);
    } else if (idempotency) {
      await confirmPlace(pool, importId, loaded.position);
      if (loaded.state.status !== "none" && loaded.state.request.file.key !== request.file.key) await noteRefusedUpload(pool, request);
    } else await cancelRefused(deps, request, loaded, await now());
    return true;
  });
}

async function cancelRefused(
  { pool, eventStore, logger }: Settling,
  request: ImportRequested,
  loaded: LoadedImport,
  now: Date,
): Promise<void> {
  const { importId, organisationId, requestId, by } = request;
  if (!hasEnded(loaded)) {
    const context = { organisation: organisationId, by, correlationId: requestId };
    await carryOut(eventStore, loaded, { type: "cancelImport", by, reason: "the push was answered 503", progress: 0, now }, context);
  } else if (loaded.state.status === "completed") {
    logger.error({ importId, organisationId }, "an import whose push was answered 503 had completed before it could be cancelled");
  }
  await freePlace(pool, { importId, organisationId, position: loaded.position ?? 0n });
}

/** After a push that was recorded, whose place could not be confirmed: a worker would find it by itself, but only later. */
export function settleAccepted(deps: Settling, importId: string, position: bigint): Promise<void> {
  return untilSettled(deps, importId, "confirming an import's place in the queue", async () => {
    await confirmPlace(deps.pool, importId, position);
    return true;
  });
}

/** The database's clock; while it cannot be asked, the push's own time, carried on by this machine's clock. */
function clockFrom(pool: Pool, { at }: ImportRequested): () => Promise<Date> {
  const since = performance.now();
  return () =>
    pool.query<{ now: Date }>("select clock_timestamp() as now").then(
      ({ rows }) => rows[0]?.now ?? new Date(at),
      () => new Date(Date.parse(at) + performance.now() - since),
    );
}

type Warn = (error: unknown) => void;

async function untilSettled(
  { logger, stopping, settleWithinMs = defaultWithinMs }: Settling,
  importId: string,
  what: string,
  settle: (warn: Warn) => Promise<boolean>,
): Promise<void> {
  const end = performance.now() + settleWithinMs;
  for (let attempt = 0; performance.now() < end; attempt += 1) {
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(attempt, 10), longestPauseMs, Math.max(0, end - performance.now()));
    await setTimeout(pauseMs, undefined, { ref: false, ...(stopping && { signal: stopping }) }).catch(() => undefined);
    if (stopping?.aborted) return;
    const warn: Warn = (error) => logger.warn({ err: error, importId, attempt }, `${what} failed; it is tried again`);
    const settled = await settle(warn).catch((error: unknown) => {
      warn(error);
      return false;
    });
    if (settled) return;
  }
  logger.error({ importId }, `${what} was given up; a worker settles it from the queue`);
}
