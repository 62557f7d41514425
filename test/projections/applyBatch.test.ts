import { describe, expect, it } from "vitest";
import type { StoredEvent } from "../../src/ports/eventStore.js";
import { applyBatch } from "../../src/projections/running/applyBatch.js";
import { activity, goodsLine, type Story, stored, tell } from "../support/importStory.js";
import { useBatches } from "./batchStage.js";

const { apply, context, everything, places, play, rowsOf } = useBatches();

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

  it("is counted while it runs: accepted activities at once, shipments only at the end", async () => {
    await play({ kind: "activities", end: "running", rows: [{ accept: activity() }, { accept: activity() }, { reject: "x" }] }, 2);
    await play({ kind: "shipments", end: "running", rows: [{ accept: goodsLine("S1") }, { reject: "x" }] }, 2);
    const [first, second] = await rowsOf("imports").then((rows) => rows.sort((a, b) => Number(a["position"]) - Number(b["position"])));
    expect(first).toMatchObject({ status: "processing", received: 3, processed: 2, failed: 1, finished_at: null });
    expect(second).toMatchObject({ status: "processing", received: 2, processed: 0, failed: 1 });
  });

  it("that failed has the reason, and no processed rows", async () => {
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
  it("keeps values with characters that have a meaning for COPY", async () => {
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

  it.each(["failed", "cancelled"] as const)("holds nothing of an import that %s, also when half its rows had been applied", async (end) => {
    await play({ kind: "activities", end, rows: Array.from({ length: 9 }, () => ({ accept: activity() })) }, 4);
    await play({ kind: "shipments", end, rows: [{ accept: goodsLine("S1") }, { accept: goodsLine("S2") }] }, 3);
    expect(await everything()).toMatchObject({ activities: [], shipmentLines: [], shipments: [], versions: [], versionsOf: [] });
  });
});

describe("a rejected row", () => {
  it("keeps its columns in the file's order, and has replacement characters for what Postgres cannot store", async () => {
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
      for (let times = 0; times < 3; times += 1) await apply(events.slice(from, from + size));
    }
    await apply(events);
    expect(await everything()).toEqual(once);
  });
});

describe("a faulty log or batch", () => {
  it("a batch that begins after the checkpoint is refused, because events would be lost", async () => {
    const events = await play({ kind: "activities", rows: [{ accept: activity() }] });
    const place = BigInt(places(0) + 50) * 100n;
    const after = { commit: place, prepare: place };
    await expect(applyBatch(context(), { events, position: after, caughtUp: true }, after)).rejects.toThrow("stands at");
  });

  it("a row recorded twice, an event of an unknown type and an unreadable event do not stop the projection", async () => {
    const told = tell({
      kind: "activities",
      rows: [{ accept: activity({ reference: "first" }) }, { accept: activity() }, { accept: activity() }, { accept: activity() }],
    });
    const [requested, started, first, second, third, fourth, ended] = stored(told, places(10));
    if (!requested || !started || !first || !second || !third || !fourth || !ended) throw new Error("the story is shorter than told");
    const again = { ...second, data: { row: 2, values: activity({ reference: "again" }) } };
    const broken = { ...third, data: null };
    await apply([requested, started, first, again, broken, { ...fourth, type: "RowInvented" }, ended]);
    expect((await rowsOf("activities")).map((row) => row["reference"])).toEqual(["first"]);
    expect((await rowsOf("imports"))[0]).toMatchObject({ status: "completed" });
  });
});
