import type pg from "pg";
import { pino } from "pino";
import type { EventStore } from "../../src/ports/eventStore.js";
import { allProjections, projectedPrefixes } from "../../src/projections/allProjections.js";
import { applyBatch, eventsPerBatch } from "../../src/projections/running/applyBatch.js";
import { earliestPosition, readAllCheckpoints, startAfter } from "../../src/projections/running/checkpoints.js";

/** Applies everything that is in the log now. A projector would do the same, but its lock and its subscription cost more than a few events. */
export async function projectLog({ pool, eventStore }: { pool: pg.Pool; eventStore: EventStore }): Promise<void> {
  const context = { pool, projections: allProjections, knownImports: new Map(), logger: pino({ level: "silent" }) };
  let after = earliestPosition([...(await readAllCheckpoints(pool)).values()]);
  await eventStore.replay({ prefixes: projectedPrefixes, from: startAfter(after), maxBatch: eventsPerBatch }, async (batch) => {
    await applyBatch(context, batch, after);
    after = batch.position;
  });
}
