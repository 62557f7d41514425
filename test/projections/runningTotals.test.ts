// Totals summed in memory while rows are projected equal, to the last digit, those that Postgres computes: a rebuild compares tables as text.
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { EventBatch, StoredEvent } from "../../src/ports/eventStore.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { createContentBlocks, writeContents, writeContentsOfRows } from "../../src/projections/models/activityContents.js";
import { type KnownImports, limitRunningTotals } from "../../src/projections/models/importFacts.js";
import { createRunningTotals, type RunningTotals } from "../../src/projections/models/runningTotals.js";
import type { Projection } from "../../src/projections/projection.js";
import { applyBatch } from "../../src/projections/running/applyBatch.js";
import { activity, type Row, stored, tell } from "../support/importStory.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => clear());

const clear = async () =>
  void (await database.pool.query(
    "truncate imports, rejections, activities, activity_totals, activity_groups, activity_contents, checkpoints",
  ));

const logger = pino({ level: "silent" });
const batchOf = (events: readonly StoredEvent[]): EventBatch => {
  const { position } = events.at(-1) as StoredEvent;
  return { events, position, caughtUp: true };
};

async function apply(events: readonly StoredEvent[], knownImports: KnownImports, projections = allProjections): Promise<void> {
  await applyBatch({ pool: database.pool, projections, knownImports, logger }, batchOf(events));
}

const textsOf = async (table: string): Promise<string[]> =>
  (await database.pool.query<{ text: string }>(`select t::text as text from ${table} as t order by 1`)).rows.map(({ text }) => text);
const written = async () => ({
  totals: await textsOf("activity_totals"),
  groups: await textsOf("activity_groups"),
  contents: await textsOf("activity_contents"),
});

/** Each batch is applied by a new projector, which has no totals in memory, so that Postgres sums the rows. */
async function summedByPostgres(events: readonly StoredEvent[]): Promise<Awaited<ReturnType<typeof written>>> {
  await clear();
  await apply(events.slice(0, -1), new Map());
  await apply(events.slice(-1), new Map());
  return written();
}

const storyOf = (rows: readonly Record<string, unknown>[]): StoredEvent[] =>
  stored(tell({ kind: "activities", rows: rows.flatMap((accept): Row[] => [{ accept: activity(accept) }, { reject: "x" }]) }), 1);

const totalsIn = (known: KnownImports): RunningTotals | undefined => [...known.values()][0]?.totals;

const forms = [
  ...["2026-03-01T00:00:00Z", "2026-03-01T00:29:59.999Z", "2026-03-01T00:30:00Z", "2026-03-01t00:30z", "2026-03-01 10:59:59,9999999+1030"],
  ...[
    "2026-03-01T00:29:59.999999999Z",
    "2026-02-28T14:00-10",
    "1900-01-01T00:00Z",
    "9999-12-31T23:59:59.999Z",
    "2026-03-31T23:45:00-00:15",
  ],
];
const quantities = [0.1, 0.2, -3, 999_999_999_999_999, 1.5, 1.5, 0.000001, 1e-7, 1e21, -0.3, Number.MAX_SAFE_INTEGER, -1];
const codes = ["SYD", "a\tb\\n\\.", "\\N", "Kühlhaus, Süd", "😀".repeat(100), "{1,2}"];
const variety = Array.from({ length: 240 }, (_, n) => ({
  quantity: quantities[n % quantities.length],
  activityTimestamp: forms[(n * 7) % forms.length],
  warehouseCode: codes[(n * 5) % codes.length],
  chargeCode: codes[Math.floor(n / 6) % codes.length],
  ...(n % 5 === 0 ? {} : { customerId: `CUST-00${n % 3}` }),
}));

describe("totals of an import that was followed from its start", () => {
  test.each([1000, 7, 61])("are those of its rows, in batches of %i, without reading the rows from the table", async (size) => {
    const events = storyOf(variety);
    const known: KnownImports = new Map();
    for (let from = 0; from < events.length - 1; from += size)
      await apply(events.slice(from, Math.min(from + size, events.length - 1)), known);
    await database.pool.query("delete from activities");
    await apply(events.slice(-1), known);
    const inMemory = await written();
    expect(inMemory.totals.length).toBeGreaterThan(100);
    expect(inMemory).toEqual(await summedByPostgres(events));
  });

  test("count rows once when a batch was rolled back and comes again, cut at other places", async () => {
    const events = storyOf(variety.slice(0, 50));
    const known: KnownImports = new Map();
    const broken: Projection = { name: "broken", tables: [], apply: () => Promise.reject(new Error("no")) };
    await apply(events.slice(0, 20), known);
    await expect(apply(events.slice(20, 60), known, [...allProjections, broken])).rejects.toThrow("no");
    for (const [from, to] of [
      [20, 45],
      [45, 90],
      [90, undefined],
    ])
      await apply(events.slice(from, to), known);
    const inMemory = await written();
    expect(inMemory).toEqual(await summedByPostgres(events));
  });
});

describe("the rows are summed in the table instead", () => {
  const isUnsummed = async (events: readonly StoredEvent[], known: KnownImports = new Map()) => {
    await apply(events.slice(0, -1), known);
    expect(totalsIn(known)?.result(events.filter(({ type }) => type === "RowAccepted").length)).toBeUndefined();
    await apply(events.slice(-1), known);
    const found = await written();
    expect(found).toEqual(await summedByPostgres(events));
    return found;
  };

  test.each([
    ["an invalid timestamp", { activityTimestamp: "2026-02-30T00:00:00Z" }, 1],
    ["a time after the year 9999", { activityTimestamp: "9999-12-31T23:59:00-14:00" }, 2],
    ["a code that is too long for the index", { warehouseCode: "W".repeat(201) }, 2],
    ["a code that Postgres cannot store", { chargeCode: "A\0B" }, 2],
    ["a quantity that is a text", { quantity: "3.50" }, 2],
    ["a code that is a number", { warehouseCode: 7 }, 2],
  ])("where a row has %s", async (_, odd, totals) => {
    const { totals: found } = await isUnsummed(storyOf([{ activityTimestamp: "2026-01-01T00:00:00Z" }, odd]));
    expect(found).toHaveLength(totals);
  });

  test("where a row is recorded twice: it counts once", async () => {
    const events = storyOf([{}, { quantity: 5 }]);
    const [first] = events.filter(({ type }) => type === "RowAccepted");
    const twice = events.map((event) => (event.type === "RowRejected" ? { ...event, type: "RowAccepted", data: first?.data } : event));
    const { totals } = await isUnsummed(twice);
    expect(totals).toHaveLength(1);
    expect(totals[0]).toMatch(/,8,2,/);
  });

  test("where the projector missed a part of the import", async () => {
    const events = storyOf(variety.slice(0, 20));
    const known: KnownImports = new Map();
    await apply(events.slice(0, 10), known);
    await apply(events.slice(10, 14), new Map()); // another projector applied these
    await apply(events.slice(14, -1), known);
    expect(totalsIn(known)?.result(20)).toBeUndefined();
    await apply(events.slice(-1), known);
    const found = await written();
    expect(found).toEqual(await summedByPostgres(events));
  });
});

test("what rows say is the same from memory and from the table, at the edges of a block", async () => {
  await clear();
  const numbers = [1, 32_767, 32_768, 32_769, 65_536];
  const values = activity({ customerId: "CUST-001", reference: "r", quantity: 1.5 });
  const blocks = createContentBlocks();
  for (const row of numbers) blocks.add(row, values, Date.parse(values.activityTimestamp));
  await database.pool.query(
    `insert into activities (import_position, "row", customer_id, warehouse_code, charge_code, quantity, activity_timestamp, reference)
     select 7, "row", 'CUST-001', 'W1', 'PICK', 1.5, $2, 'r' from unnest($1::integer[]) as t ("row")`,
    [numbers, values.activityTimestamp],
  );
  const ofImport = { organisationId: "acme", position: "7" };
  const client = await database.pool.connect();
  try {
    await writeContents(client, [{ ...ofImport, blocks: blocks.result() }]);
    const fromMemory = await textsOf("activity_contents");
    expect(fromMemory).toHaveLength(3);
    await client.query("truncate activity_contents");
    await writeContentsOfRows(client, ofImport);
    expect(await textsOf("activity_contents")).toEqual(fromMemory);
  } finally {
    client.release();
  }
});

describe("the memory for totals of running imports", () => {
  const kept = (rows: number, odd = {}): RunningTotals => {
    const totals = createRunningTotals();
    const acceptedRows = Array.from({ length: rows }, (_, n) => ({ row: n + 2, values: activity(odd) }));
    totals.add({
      acceptedRows,
      acceptedRevisions: acceptedRows.map((_, n) => BigInt(n + 2)),
      firstRevision: 1n,
      lastRevision: BigInt(rows + 1),
    });
    return totals;
  };

  test.each([
    [-1, [true, false]],
    [0, [true, true]],
    [1, [true, true]],
  ])("is bounded in all, and the totals of the import that began last are dropped (the bound is %i more than needed)", (more, whole) => {
    const totals = [kept(30), kept(10)];
    const facts = { position: "1", organisationId: "acme", kind: "activities", sourceDetails: "", isCorrection: false } as const;
    const known: KnownImports = new Map(totals.map((each, n) => [String(n), { ...facts, importId: String(n), totals: each }]));
    limitRunningTotals(
      totals.reduce((sum, each) => sum + each.size(), more),
      known,
    );
    expect([totals[0]?.result(30) !== undefined, totals[1]?.result(10) !== undefined]).toEqual(whole);
    expect(totals[1]?.size() === 0).toBe(!whole[1]);
  });

  test("includes the characters of long codes, once for each group", () => {
    const long = { warehouseCode: "東".repeat(200), chargeCode: "x".repeat(200) };
    const more = (rows: number) => kept(rows, long).size() - kept(rows).size();
    expect(more(1)).toBeGreaterThan(50);
    expect(more(30)).toBe(more(1));
  });
});
