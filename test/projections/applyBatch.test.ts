import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { EventBatch, StoredEvent } from "../../src/ports/eventStore.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { applyBatch, type BatchContext } from "../../src/projections/running/applyBatch.js";
import { activity, goodsLine, type Story, stored, tell } from "../support/importStory.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";

let database: TestDatabase;
let context: BatchContext;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.pool.query(
    "truncate imports, rejections, activities, shipment_lines, shipments, shipment_versions, shipment_imports, checkpoints",
  );
  context = { pool: database.pool, projections: allProjections, knownImports: new Map(), logger: pino({ level: "silent" }) };
});

const batchOf = (events: readonly StoredEvent[]): EventBatch => {
  const last = events.at(-1);
  if (!last) throw new Error("an empty batch");
  return { events, position: last.position, caughtUp: true };
};

let next = 1;
/** Applies a story in batches of `size`; answers the events. */
async function play(story: Story, size = 1000): Promise<StoredEvent[]> {
  const told = tell(story);
  const events = stored(told, next);
  next += events.length;
  for (let from = 0; from < events.length; from += size) await applyBatch(context, batchOf(events.slice(from, from + size)));
  return events;
}

const rowsOf = async (table: string): Promise<Record<string, unknown>[]> =>
  (await database.pool.query(`select * from ${table} order by 1, 2`)).rows;

/** Everything but the time at which a checkpoint was written. */
const everything = async () => ({
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
});

describe("an import", () => {
  it("has its counts, times and status from its events", async () => {
    await play({ kind: "activities", rows: [{ accept: activity() }, { reject: "Charge code is required" }], report: "reports/x.xlsx" });
    expect((await rowsOf("imports"))[0]).toMatchObject({
      status: "completed",
      progress: 100,
      received: 2,
      processed: 1,
      failed: 1,
      report_key: "reports/x.xlsx",
      submitted_at: new Date("2026-03-01T10:00:00.000Z"),
      revision: "4",
    });
  });

  it("counts on while it runs: activities so far, but no shipment before the end", async () => {
    await play({ kind: "activities", end: "running", rows: [{ accept: activity() }, { accept: activity() }, { reject: "x" }] }, 2);
    await play({ kind: "shipments", end: "running", rows: [{ accept: goodsLine("S1") }, { reject: "x" }] }, 2);
    const [first, second] = await rowsOf("imports").then((rows) => rows.sort((a, b) => Number(a["position"]) - Number(b["position"])));
    expect(first).toMatchObject({ status: "processing", received: 3, processed: 2, failed: 1, finished_at: null });
    expect(second).toMatchObject({ status: "processing", received: 2, processed: 0, failed: 1 });
  });

  it("that failed says why and has written nothing", async () => {
    await play({ kind: "activities", end: "failed", rows: [{ accept: activity() }, { reject: "x" }] });
    expect((await rowsOf("imports"))[0]).toMatchObject({
      status: "failed",
      error_message: "The file broke off.",
      received: 2,
      processed: 0,
      failed: 1,
      progress: 40,
    });
  });
});

describe("the activity ledger", () => {
  it("keeps values that COPY would trip over", async () => {
    const odd = { warehouseCode: "a\tb\\n\\.", chargeCode: "\\N", quantity: 1e-7, reference: "line\r\nbreak", status: "NUL\0" };
    await play({ kind: "activities", rows: [{ accept: activity(odd) }, { accept: activity({ reference: "\\." }) }] });
    expect((await rowsOf("activities"))[0]).toMatchObject({
      row: 2,
      warehouse_code: "a\tb\\n\\.",
      charge_code: "\\N",
      quantity: "0.0000001",
      reference: "line\r\nbreak",
      status: "NUL\ufffd",
      customer_id: null,
    });
  });

  it.each(["failed", "cancelled"] as const)(
    "is left without a trace by an import that %s, also if half its rows had been seen",
    async (end) => {
      await play({ kind: "activities", end, rows: Array.from({ length: 9 }, () => ({ accept: activity() })) }, 4);
      await play({ kind: "shipments", end, rows: [{ accept: goodsLine("S1") }, { accept: goodsLine("S2") }] }, 3);
      expect(await everything()).toMatchObject({ activities: [], shipmentLines: [], shipments: [], versions: [], versionsOf: [] });
    },
  );
});

describe("the shipment ledger", () => {
  it("has nothing of an import that still runs", async () => {
    await play({ kind: "shipments", end: "running", rows: [{ accept: goodsLine("S1") }] });
    expect(await rowsOf("shipments")).toEqual([]);
  });

  it("keeps a shipment's lines in row order wherever they stood, with the fields of its first line", async () => {
    const item = (itemType: string) => ({ item: { itemType } });
    await play({
      kind: "shipments",
      sourceDetails: "from the portal",
      rows: [
        { accept: goodsLine("S1", { customFields: { costCentre: "7" }, ...item("a") }), shipment: 1 },
        { accept: goodsLine("S2", item("b")), shipment: 2 },
        { accept: { shipmentId: "S1", ...item("c") }, shipment: 1 },
      ],
    });
    const [first, second] = await rowsOf("shipments");
    expect(first).toMatchObject({ shipment_id: "S1", items: [{ itemType: "a" }, { itemType: "c" }], source_details: "from the portal" });
    expect(first?.["fields"]).toMatchObject({ originSuburb: "Sydney", customFields: { costCentre: "7" } });
    expect(first?.["fields"]).not.toHaveProperty("item");
    expect(second).toMatchObject({ shipment_id: "S2", items: [{ itemType: "b" }] });
    expect(await rowsOf("shipment_lines")).toEqual([]);
  });

  it.each([1, 2, 3, 4, 1000])("knows where the lines of each version stand, in batches of %i", async (size) => {
    const rows: Story["rows"] = [
      { accept: goodsLine("S1"), shipment: 1 },
      { reject: "x" },
      { accept: goodsLine("S2"), shipment: 2 },
      { accept: goodsLine("S1"), shipment: 1 },
      { accept: goodsLine("S2"), shipment: 3 },
      { accept: goodsLine("S1"), shipment: 1 },
    ];
    const events = await play({ kind: "shipments", rows }, size);
    const position = String(events[0]?.position.commit);
    expect((await rowsOf("shipment_versions")).map(({ shipment, shipment_id, revisions }) => [shipment, shipment_id, revisions])).toEqual([
      [1, "S1", [2, 5, 7]],
      [2, "S2", [4]],
      [3, "S2", [6]],
    ]);
    const completed = events.at(-1);
    expect(await rowsOf("shipment_imports")).toMatchObject([
      { import_position: position, completed_position: String(completed?.position.commit), completed_at: completed?.recordedAt },
    ]);
  });

  it("takes the later of two shipments with one id, within an import and across imports", async () => {
    await play({
      kind: "shipments",
      rows: [{ accept: goodsLine("S1", { originSuburb: "one" }) }, { accept: goodsLine("S1", { originSuburb: "two" }) }],
    });
    expect((await rowsOf("shipments"))[0]).toMatchObject({ fields: { originSuburb: "two" } });
    await play({ kind: "shipments", rows: [{ accept: goodsLine("S1", { originSuburb: "three", item: { itemType: "new" } }) }] });
    const rows = await rowsOf("shipments");
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ fields: { originSuburb: "three" }, items: [{ itemType: "new" }] });
  });

  it.each([1, 2, 1000])("takes the import that was pushed last, whichever completed first, in batches of %i", async (size) => {
    const [first, second] = ["first", "second"].map((originSuburb) =>
      tell({ kind: "shipments", rows: [{ accept: goodsLine("S1", { originSuburb }) }] }),
    );
    if (!first || !second) throw new Error("two stories were told");
    const [earlier, later] = [stored(first, next), stored(second, next + 10)];
    const end = { ...earlier.at(-1), position: { commit: BigInt(next + 20) * 100n, prepare: BigInt(next + 20) * 100n } } as StoredEvent;
    next += 21;
    const events = [...earlier.slice(0, -1), ...later, end];
    for (let from = 0; from < events.length; from += size) await applyBatch(context, batchOf(events.slice(from, from + size)));
    expect(await rowsOf("shipments")).toMatchObject([{ fields: { originSuburb: "second" }, import_id: second.importId }]);
  });

  it("keeps one organisation's shipment apart from another's of the same id", async () => {
    await play({ kind: "shipments", organisationId: "acme", rows: [{ accept: goodsLine("S1") }] });
    await play({ kind: "shipments", organisationId: "other", rows: [{ accept: goodsLine("S1") }] });
    expect(await rowsOf("shipments")).toHaveLength(2);
  });
});

describe("a rejected row", () => {
  it("keeps its columns in the file's order and survives what JSON can hold and Postgres cannot", async () => {
    const data = { zebra: "1", a: 'tab\t"quote"\\', mm: "NUL\0 and half \ud800" };
    await play({ kind: "activities", rows: [{ reject: "Warehouse code is required\n", data }] });
    const [row] = await rowsOf("rejections");
    expect(Object.entries(row?.["data"] as object)).toEqual([
      ["zebra", "1"],
      ["a", 'tab\t"quote"\\'],
      ["mm", "NUL\ufffd and half \ufffd"],
    ]);
    expect(row).toMatchObject({ handle: null, error: "Warehouse code is required\n" });
  });
});

describe("redelivery", () => {
  const stories: Story[] = [
    { kind: "activities", rows: [{ accept: activity() }, { reject: "x" }, { accept: activity() }] },
    { kind: "shipments", rows: [{ accept: goodsLine("S1") }, { reject: "y", handle: "S9" }] },
    { kind: "activities", end: "cancelled", rows: [{ accept: activity() }] },
    { kind: "shipments", end: "running", rows: [{ accept: goodsLine("S2") }] },
    { kind: "shipments", end: "queued" },
  ];

  it.each([1, 2, 3, 100])("of any batch of %i, any number of times, changes nothing", async (size) => {
    const events: StoredEvent[] = [];
    for (const story of stories) events.push(...(await play(story, size)));
    const once = await everything();
    expect(once.imports).toHaveLength(stories.length);
    for (let from = events.length - 1; from >= 0; from -= size) {
      for (let times = 0; times < 3; times += 1) await applyBatch(context, batchOf(events.slice(from, from + size)));
    }
    await applyBatch({ ...context, knownImports: new Map() }, batchOf(events));
    expect(await everything()).toEqual(once);
  });

  it("to a projector that has forgotten everything goes on from the tables", async () => {
    const told = tell({ kind: "activities", rows: [{ accept: activity() }, { accept: activity() }] });
    const events = stored(told, next);
    next += events.length;
    for (const event of events) await applyBatch({ ...context, knownImports: new Map() }, batchOf([event]));
    expect(await rowsOf("activities")).toHaveLength(2);
    expect((await rowsOf("imports"))[0]).toMatchObject({ status: "completed", processed: 2 });
  });
});

describe("what should never happen", () => {
  it("a batch that begins after the checkpoint is refused, because events would be lost", async () => {
    const events = await play({ kind: "activities", rows: [{ accept: activity() }] });
    const after = { commit: BigInt(next + 50) * 100n, prepare: BigInt(next + 50) * 100n };
    await expect(applyBatch(context, { events, position: after, caughtUp: true }, after)).rejects.toThrow("stands at");
  });

  it("a row recorded twice, an event of an unknown type and a broken one do not stop the projection", async () => {
    const told = tell({
      kind: "activities",
      rows: [{ accept: activity({ reference: "first" }) }, { accept: activity() }, { accept: activity() }, { accept: activity() }],
    });
    const [requested, started, first, second, third, fourth, ended] = stored(told, next);
    if (!requested || !started || !first || !second || !third || !fourth || !ended) throw new Error("the story is shorter than told");
    next += 10;
    const again = { ...second, data: { row: 2, values: activity({ reference: "again" }) } };
    const broken = { ...third, data: null };
    await applyBatch(context, batchOf([requested, started, first, again, broken, { ...fourth, type: "RowInvented" }, ended]));
    expect((await rowsOf("activities")).map((row) => row["reference"])).toEqual(["first"]);
    expect((await rowsOf("imports"))[0]).toMatchObject({ status: "completed" });
  });
});
