// A database whose tables are empty before each test, and stories to apply to them in batches.
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { EventBatch, StoredEvent } from "../../src/ports/eventStore.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { applyBatch, type BatchContext } from "../../src/projections/running/applyBatch.js";
import { type Story, stored, tell } from "../support/importStory.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";

const batchOf = (events: readonly StoredEvent[]): EventBatch => {
  const last = events.at(-1);
  if (!last) throw new Error("an empty batch");
  return { events, position: last.position, caughtUp: true };
};

export function useBatches() {
  let database: TestDatabase;
  let context: BatchContext;
  let next = 1;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.pool.query(`truncate ${allProjections.flatMap(({ tables }) => tables).join()}, checkpoints`);
    context = { pool: database.pool, projections: allProjections, logger: pino({ level: "silent" }) };
  });

  /** Reserves `count` positions of the log and returns the first. */
  const places = (count: number): number => {
    next += count;
    return next - count;
  };
  const apply = (events: readonly StoredEvent[], changed: Partial<BatchContext> = {}) =>
    applyBatch({ ...context, ...changed }, batchOf(events));
  const rowsOf = async (table: string): Promise<Record<string, unknown>[]> =>
    (await database.pool.query(`select * from ${table} order by 1, 2`)).rows;

  return {
    context: () => context,
    places,
    apply,
    rowsOf,
    /** Applies a story in batches of `size` and returns its events. */
    async play(story: Story, size = 1000): Promise<StoredEvent[]> {
      const told = tell(story);
      const events = stored(told, places(told.events.length));
      for (let from = 0; from < events.length; from += size) await apply(events.slice(from, from + size));
      return events;
    },
    /** All rows, without the times at which checkpoints were written. */
    everything: async () => ({
      imports: await rowsOf("imports"),
      rejections: await rowsOf("rejections"),
      activities: await rowsOf("activities"),
      totals: await rowsOf("activity_totals"),
      groups: await rowsOf("activity_groups"),
      shipmentLines: await rowsOf("shipment_lines"),
      shipments: await rowsOf("shipments"),
      versions: await rowsOf("shipment_versions"),
      versionsOf: await rowsOf("shipment_imports"),
      checkpoints: (await database.pool.query("select projection, commit, prepare from checkpoints order by 1")).rows,
    }),
  };
}
