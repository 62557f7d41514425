import { describe, expect, it } from "vitest";
import type { StoredEvent } from "../../src/ports/eventStore.js";
import { goodsLine, type Story, stored, tell } from "../support/importStory.js";
import { useBatches } from "./batchStage.js";

const { apply, places, play, rowsOf } = useBatches();

describe("the shipment ledger", () => {
  it("has nothing of an import that still runs", async () => {
    await play({ kind: "shipments", end: "running", rows: [{ accept: goodsLine("S1") }] });
    expect(await rowsOf("shipments")).toEqual([]);
  });

  it("keeps a shipment's lines in row order, also when other lines were between them, with the fields of its first line", async () => {
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

  it.each([1, 2, 3, 4, 1000])("knows the revisions of each version's lines, in batches of %i", async (size) => {
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
    const next = places(21);
    const [earlier, later] = [stored(first, next), stored(second, next + 10)];
    const end = { ...earlier.at(-1), position: { commit: BigInt(next + 20) * 100n, prepare: BigInt(next + 20) * 100n } } as StoredEvent;
    const events = [...earlier.slice(0, -1), ...later, end];
    for (let from = 0; from < events.length; from += size) await apply(events.slice(from, from + size));
    expect(await rowsOf("shipments")).toMatchObject([{ fields: { originSuburb: "second" }, import_id: second.importId }]);
  });

  it("keeps shipments of two organisations with the same id apart", async () => {
    await play({ kind: "shipments", organisationId: "acme", rows: [{ accept: goodsLine("S1") }] });
    await play({ kind: "shipments", organisationId: "other", rows: [{ accept: goodsLine("S1") }] });
    expect(await rowsOf("shipments")).toHaveLength(2);
  });
});
