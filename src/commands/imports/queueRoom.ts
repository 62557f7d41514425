import type { Pool } from "pg";
import type { EventStore } from "../../ports/eventStore.js";
import { deadlineIn } from "../deadline.js";
import { importOfKey } from "./idempotentImport.js";
import { hasPlace, isQueueFull, queueIsFull } from "./importQueue.js";

interface Push {
  readonly organisationId: string;
  readonly idempotencyKey: string | undefined;
  readonly now: Date;
  readonly withinMs: number;
}

/**
 * Rejects a push to a full queue before its body is read or stored. A repetition with the same Idempotency-Key passes, since it takes no
 * place: it gets the first push's answer.
 */
export async function rejectWhenFull(
  { pool, eventStore, maxQueuedImports }: { pool: Pool; eventStore: EventStore; maxQueuedImports: number },
  { organisationId, idempotencyKey, now, withinMs }: Push,
): Promise<void> {
  const deadline = deadlineIn(withinMs);
  if (!(await deadline.within("database", isQueueFull(pool, organisationId, maxQueuedImports)))) return;
  if (idempotencyKey === undefined) throw queueIsFull(maxQueuedImports);
  const { importId, earlier } = await deadline.within("event store", importOfKey(eventStore, { organisationId, idempotencyKey, now }));
  if (earlier || (await deadline.within("database", hasPlace(pool, importId)))) return;
  throw queueIsFull(maxQueuedImports);
}
