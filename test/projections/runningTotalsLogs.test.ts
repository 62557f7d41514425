// Whatever a log holds and wherever a projector is interrupted, the totals equal those that Postgres computes from the rows.
import fc from "fast-check";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StoredEvent } from "../../src/ports/eventStore.js";
import { activities } from "../../src/projections/models/activities.js";
import type { KnownImports } from "../../src/projections/models/importFacts.js";
import { imports } from "../../src/projections/models/imports.js";
import type { Projection } from "../../src/projections/projection.js";
import { applyBatch } from "../../src/projections/running/applyBatch.js";
import { activity, type Row, type Story, stored, tell } from "../support/importStory.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const logger = pino({ level: "silent" });
const broken: Projection = { name: "broken", tables: [], apply: () => Promise.reject(new Error("no")) };

async function apply(events: readonly StoredEvent[], knownImports: KnownImports, ...more: Projection[]): Promise<void> {
  const { position } = events.at(-1) as StoredEvent;
  const context = { pool: database.pool, projections: [imports, activities, ...more], knownImports, logger };
  await applyBatch(context, { events, position, caughtUp: true });
}

const textsOf = async (table: string): Promise<string[]> =>
  (await database.pool.query<{ text: string }>(`select t::text as text from ${table} as t order by 1`)).rows.map(({ text }) => text);
const written = async () => ({
  rows: await textsOf("activities"),
  totals: await textsOf("activity_totals"),
  groups: await textsOf("activity_groups"),
});
const clear = () => database.pool.query("truncate imports, activities, activity_totals, activity_groups, checkpoints");

const isEnding = ({ type }: StoredEvent): boolean => /^Import(Completed|Failed|Cancelled)$/.test(type);

/** Each import's end is applied by a new projector, which has no totals in memory, so that Postgres sums the rows. */
async function summedByPostgres(log: readonly StoredEvent[]): Promise<Awaited<ReturnType<typeof written>>> {
  await clear();
  let from = 0;
  for (const [at, event] of log.entries()) {
    if (!isEnding(event)) continue;
    if (at > from) await apply(log.slice(from, at), new Map());
    await apply([event], new Map());
    from = at + 1;
  }
  if (from < log.length) await apply(log.slice(from), new Map());
  return written();
}

const quantities = fc.oneof(
  fc.integer({ min: -5, max: 50 }),
  fc.constantFrom(0.1, 0.2, -0, 1e21, 1.5e-7, 5e-324, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 123_456_789.000001),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const minutes = fc.constantFrom(0, 29, 30, 59);
const times = fc
  .tuple(fc.constantFrom("2026-03-01T00:", "2026-10-04t01:", "2024-02-29 23:", "1900-01-01T00:", "9999-12-31T13:"), minutes)
  .chain(([hour, minute]) =>
    fc
      .constantFrom(":00Z", "Z", ":59.9999Z", ":59,999999999+10:30", ":59.999999-0930", "+14", "-14:00", ":00.000z", "")
      .map((rest) => `${hour}${String(minute).padStart(2, "0")}${rest}`),
  );
const oddTimes = fc.constantFrom("2026-03-01", "2026-02-30T00:00:00Z", "9999-12-31T23:59:00-14:00");
/** The last three look the same to a reader, but are different texts to Postgres. */
const codes = fc.constantFrom("W", "w", "W ", "a\tb\\n", "\\N", "😀".repeat(100), "\ufeffW", "Å", "A\u030a", "\u212b");
const oddCodes = fc.constantFrom("x".repeat(201), "A\0B", "A\ud800", 7);
const rare = <Value>(usual: fc.Arbitrary<Value>, odd: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 150, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd });
const values = fc.record({
  quantity: rare(quantities, fc.constant("3.50")),
  activityTimestamp: rare(times, oddTimes),
  warehouseCode: rare(codes, oddCodes),
  chargeCode: codes,
  customerId: fc.constantFrom(undefined, null, "", "CUST-001", "cust-001"),
});
const row: fc.Arbitrary<Row> = fc.oneof(
  { weight: 4, arbitrary: values.map((chosen) => ({ accept: activity(chosen) })) },
  { weight: 1, arbitrary: fc.constant({ reject: "x" }) },
);
const story: fc.Arbitrary<Story> = fc.record({
  kind: fc.constant("activities" as const),
  importId: fc.uuid({ version: 4 }),
  rows: fc.array(row, { maxLength: 12 }),
  end: fc.constantFrom("completed", "completed", "completed", "failed", "cancelled", "running"),
});

/** Faults of an event in the log: mostly none, rarely a row recorded twice or unreadable data. */
const mishaps = fc.oneof(
  { weight: 50, arbitrary: fc.constant("none" as const) },
  { weight: 1, arbitrary: fc.constantFrom("twice", "unreadable" as const) },
);

/** The events of several imports, mixed, with each import's events in their order. */
const logs = fc
  .tuple(fc.array(story, { minLength: 1, maxLength: 3 }), fc.infiniteStream(fc.nat(2)), fc.infiniteStream(mishaps))
  .map(([stories, turns, happens]) => {
    const streams = stories.map((each) => {
      let before: unknown;
      return stored(tell(each), 0).map((event) => {
        if (!event.type.startsWith("Row")) return event;
        const mishap = happens.next().value;
        if (mishap === "unreadable") return { ...event, data: "?" };
        const data = mishap === "twice" ? (before ?? event.data) : event.data;
        if (event.type === "RowAccepted") before = event.data;
        return { ...event, data, type: mishap === "twice" && before ? "RowAccepted" : event.type };
      });
    });
    const log: StoredEvent[] = [];
    while (streams.some(({ length }) => length > 0)) {
      const event = streams[(turns.next().value ?? 0) % streams.length]?.shift();
      const at = BigInt(log.length + 1) * 100n;
      if (event) log.push({ ...event, position: { commit: at, prepare: at } });
    }
    return log;
  });

/** What happens to a batch: `again` comes twice, `other` is applied by another projector, `restarted` comes after a restart. */
const fates = fc.oneof(
  { weight: 20, arbitrary: fc.constant("applied") },
  { weight: 2, arbitrary: fc.constantFrom("again", "rolledBack") },
  { weight: 1, arbitrary: fc.constantFrom("restarted", "other") },
);
const batches = fc.infiniteStream(fc.tuple(fc.integer({ min: 1, max: 9 }), fates));

test("a log that is projected with interruptions has the totals that Postgres computes from its rows", async () => {
  let summedInMemory = 0;
  const project = async (log: readonly StoredEvent[], cuts: Iterator<[number, string]>): Promise<void> => {
    let known: KnownImports = new Map();
    for (let from = 0; from < log.length; ) {
      const [size, fate] = cuts.next().value as [number, string];
      const batch = log.slice(from, from + size);
      if (fate === "rolledBack") {
        await expect(apply(batch, known, broken)).rejects.toThrow("no");
        continue;
      }
      if (fate === "restarted") known = new Map();
      const kept = [...known.values()].filter(({ totals }) => totals && totals.size() > 0);
      await apply(batch, fate === "other" ? new Map() : known);
      if (fate === "again") await apply(batch, known);
      summedInMemory += kept.filter(({ importId }) => !known.has(importId)).length;
      from += size;
    }
  };
  await fc.assert(
    fc.asyncProperty(logs, batches, async (log, cuts) => {
      await clear();
      await project(log, cuts);
      const found = await written();
      expect(found).toEqual(await summedByPostgres(log));
    }),
    { numRuns: 20 },
  );
  expect(summedInMemory).toBeGreaterThan(0);
});
