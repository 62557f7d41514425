import { setTimeout } from "node:timers/promises";
import type { Pool } from "pg";
import type { ImportRequested } from "../events/importEvents.js";
import { streamOf } from "../events/streams.js";
import type { EventStore } from "../ports.js";
import { cancelImport } from "./cancelImport.js";
import { confirmPlace, releasePlace, withdrawPlace } from "./importQueue.js";

interface Settling {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}

const attempts = 30;
/** An append that was on its way when the store fell silent may land just after the store answers again: look twice. */
const looks = 2;

/**
 * After a push that was answered 503: was it recorded? With an Idempotency-Key its place is confirmed then, since sending it again
 * finds it. Without one the caller's next attempt is another import, so this one is cancelled: nothing is billed twice.
 * What this process cannot settle, a worker does from the marks in the queue.
 */
export async function settleRefused(deps: Settling, request: ImportRequested): Promise<void> {
  const { importId, organisationId, idempotency } = request;
  let missed = 0;
  await repeatedly(async () => {
    if (!idempotency) await withdrawPlace(deps.pool, importId);
    const last = await deps.eventStore.last(streamOf.import(importId));
    if (!last) {
      missed += 1;
      if (missed < looks) return false;
      await releasePlace(deps.pool, importId);
    } else if (idempotency) await confirmPlace(deps.pool, importId, last.position.commit);
    else
      await cancelImport(deps, {
        organisationId,
        importId,
        by: request.by,
        reason: "the push was answered 503",
        now: new Date(request.at),
      });
    return true;
  });
}

/** After a push that was recorded, whose place could not be confirmed: a worker would find it by itself, but only later. */
export function settleAccepted(deps: Settling, importId: string, position: bigint): Promise<void> {
  return repeatedly(async () => {
    await confirmPlace(deps.pool, importId, position);
    return true;
  });
}

async function repeatedly(settle: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await setTimeout(Math.min(250 * 2 ** attempt, 5_000), undefined, { ref: false });
    if (await settle().catch(() => false)) return;
  }
}
