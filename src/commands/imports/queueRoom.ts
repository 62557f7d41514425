import type { Pool } from "pg";
import type { EventStore } from "../../ports.js";
import { deadlineIn } from "../deadline.js";
import { importOfKey } from "./idempotentImport.js";
import { hasPlace, isQueueFull, queueIsFull } from "./importQueue.js";

interface Asking {
  readonly organisationId: string;
  readonly idempotencyKey: string | undefined;
  readonly now: Date;
  readonly patienceMs: number;
}

/**
 * Refuses a push to a full queue before anything of it is read, expanded or stored. A repetition under an Idempotency-Key is let
 * through, since it takes no place: its answer is the first one's.
 */
export async function refuseWhenFull(
  { pool, eventStore, maxQueuedImports }: { pool: Pool; eventStore: EventStore; maxQueuedImports: number },
  { organisationId, idempotencyKey, now, patienceMs }: Asking,
): Promise<void> {
  const deadline = deadlineIn(patienceMs);
  if (!(await deadline.within("database", isQueueFull(pool, organisationId, maxQueuedImports)))) return;
  if (idempotencyKey === undefined) throw queueIsFull(maxQueuedImports);
  const { importId, earlier } = await deadline.within("event store", importOfKey(eventStore, { organisationId, idempotencyKey, now }));
  if (earlier || (await deadline.within("database", hasPlace(pool, importId)))) return;
  throw queueIsFull(maxQueuedImports);
}
