import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareImport } from "../../src/audit/compareImport.js";
import { type AsOf, type ImportHistory, importHistory } from "../../src/audit/history/importHistory.js";
import { deriveShipmentVersions } from "../../src/audit/history/shipmentVersions.js";
import { importJson, importReportText } from "../../src/cli/audit/auditImportText.js";
import { createNameOf } from "../../src/domain/principal.js";
import { activity, goodsLine, type Story, type Told, tell } from "../support/importStory.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";

let model: ReadModel;
const signal = new AbortController().signal;

beforeAll(async () => {
  model = await startReadModel();
});
afterAll(() => model?.close());

async function historyOf(importId: string, asOf?: AsOf): Promise<ImportHistory> {
  const history = await importHistory(importId, { eventStore: model.eventStore, asOf, signal });
  if (!history) throw new Error("there is no such import");
  return history;
}

/** Records an import that another worker went on with after the second row. */
async function recordInterrupted(): Promise<Told> {
  const told = tell({
    kind: "activities",
    rows: [
      { accept: activity() },
      { reject: "Charge code is required" },
      { accept: activity() },
      { reject: "Charge code is required" },
      { reject: "x" },
    ],
  });
  const events = told.events.map((event, revision) =>
    revision < 4 ? event : { ...event, metadata: { ...event.metadata, actor: "worker:w2" } },
  );
  await model.eventStore.append(told.stream, events, -1n);
  await model.project();
  return told;
}

describe("the history of an import", () => {
  test("tells who pushed what, each phase, at which row another worker went on, and the reasons", async () => {
    const { importId } = await recordInterrupted();
    const history = await historyOf(importId);
    expect(history).toMatchObject({
      counts: { received: 5, processed: 2, failed: 3 },
      reasons: [
        { reason: "Charge code is required", rows: 2 },
        { reason: "x", rows: 1 },
      ],
      stretches: [
        { actor: "worker:w1", from: 2n, to: 3n, firstRow: 2, lastRow: 3 },
        { actor: "worker:w2", from: 4n, to: 6n, firstRow: 4, lastRow: 6 },
      ],
      ended: { type: "ImportCompleted", revision: 7n },
      reachesEnd: true,
    });
    const comparison = await compareImport({ ...model, signal }, importId);
    expect(comparison).toEqual({ verdict: "agrees" });
    const text = importReportText({
      history,
      fileFaults: [],
      corrections: [],
      reversals: [],
      comparison,
      nameOf: createNameOf(new Map(), new Map()),
    }).join("\n");
    for (const part of [
      "key wb_live_1234",
      "3 rows (4 to 6) recorded by worker w2",
      "taken up after",
      "2  Charge code is required",
      "The tables agree",
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain("Same file as");
    expect(JSON.parse(JSON.stringify(importJson({ history, fileFaults: [], corrections: [], reversals: [], comparison })))).toMatchObject({
      status: "completed",
      projection: { verdict: "agrees" },
    });
  });

  test("names the import that had the same file", async () => {
    const { importId } = await model.record({ kind: "activities", sameFileAs: "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50" });
    await model.project();
    const history = await historyOf(importId);
    const comparison = await compareImport({ ...model, signal }, importId);
    expect(comparison).toEqual({ verdict: "agrees" });
    const nameOf = createNameOf(new Map(), new Map());
    expect(importReportText({ history, fileFaults: [], corrections: [], reversals: [], comparison, nameOf })).toContain(
      "Same file as  018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50",
    );
  });

  test("shows what the file's columns were taken for, and who chose that", async () => {
    const columns = {
      headings: { "Order\nno.": "reference", Comments: null },
      ...({ fixed: { warehouseCode: "SYD1" }, dateOrder: "dayFirst", by: { kind: "cli", id: "operator" } } as const),
      at: "2026-05-03T01:00:00.000Z",
    };
    const { importId } = await model.record({ kind: "activities", columns });
    const history = await historyOf(importId);
    const shown = { history, fileFaults: [], corrections: [], reversals: [], comparison: undefined };
    const text = importReportText({ ...shown, nameOf: createNameOf(new Map(), new Map()) });
    const first = text.indexOf("Columns       chosen 2026-05-03T01:00:00.000Z by the command line");
    expect(text.slice(first + 1, first + 5).map((line) => line.trim())).toEqual([
      "Order no.: reference",
      "Comments: left out",
      "warehouseCode is SYD1 in every row",
      "dates such as 03/04/2026 are day first",
    ]);
    expect(JSON.parse(JSON.stringify(importJson(shown)))).toMatchObject({ requested: { columns } });
  });

  test("shows the state as of a revision, and as of a time", async () => {
    const { importId } = await recordInterrupted();
    expect(await historyOf(importId, { revision: 3n })).toMatchObject({
      counts: { received: 2, processed: 1, failed: 1 },
      ended: undefined,
      reachesEnd: false,
    });
    expect(await historyOf(importId, { revision: 0n })).toMatchObject({ started: undefined, reachesEnd: false });
    expect(await historyOf(importId, { time: new Date(Date.now() + 60_000) })).toMatchObject({ reachesEnd: true });
    expect(await importHistory(importId, { eventStore: model.eventStore, asOf: { time: new Date(0) }, signal })).toBeUndefined();
  });

  test("hands over every row's outcome in order", async () => {
    const { importId } = await recordInterrupted();
    const seen: string[] = [];
    await importHistory(importId, {
      eventStore: model.eventStore,
      signal,
      onRow: ({ type, data }) => void seen.push(`${data.row} ${type}`),
    });
    expect(seen).toEqual(["2 RowAccepted", "3 RowRejected", "4 RowAccepted", "5 RowRejected", "6 RowRejected"]);
  });

  test("says when the tables differ from the stream", async () => {
    const { importId } = await recordInterrupted();
    await model.pool.query("update imports set failed = 0 where import_id = $1", [importId]);
    expect(await compareImport({ ...model, signal }, importId)).toMatchObject({
      verdict: "differs",
      differences: [`imports, import_id ${importId}: failed is 0, the streams say 3`],
    });
  });

  test("reports an import that is missing from the tables only once the projection has passed it", async () => {
    await model.project();
    const { importId } = await model.withoutProjector(async () => {
      const told = await model.record({ kind: "activities", rows: [{ accept: activity() }, { reject: "x" }] });
      expect(await compareImport({ ...model, signal }, told.importId)).toMatchObject({
        verdict: "not comparable",
        why: expect.stringContaining("the projection has not come to this import yet"),
      });
      return told;
    });
    await model.project();
    await model.pool.query("delete from imports where import_id = $1", [importId]);
    expect(await compareImport({ ...model, signal }, importId)).toMatchObject({
      verdict: "differs",
      differences: [`imports, import_id ${importId}: the row is missing`],
    });
  });
});

describe("the versions of a shipment", () => {
  test("are listed with the import, rows and key that wrote each", async () => {
    const organisationId = "versions";
    const imports: Told[] = [];
    for (const story of [
      {
        kind: "shipments",
        rows: [
          { accept: goodsLine("S2") },
          { accept: goodsLine("S1"), shipment: 7 },
          { accept: { shipmentId: "S1", item: { itemType: "Pallet" } }, shipment: 7 },
        ],
      },
      { kind: "shipments", end: "cancelled", rows: [{ accept: goodsLine("S1", { originSuburb: "never" }) }] },
      {
        kind: "shipments",
        rows: [{ accept: goodsLine("S1", { originSuburb: "first" }) }, { accept: goodsLine("S1", { originSuburb: "second" }) }],
      },
      { kind: "shipments", end: "running", rows: [{ accept: goodsLine("S1", { originSuburb: "not yet" }) }] },
    ] satisfies Story[]) {
      imports.push(await model.record({ organisationId, ...story }));
    }
    const question = { eventStore: model.eventStore, organisationId, shipmentId: "S1", signal };
    const versions = await deriveShipmentVersions(question);
    expect(versions).toMatchObject([
      {
        importId: imports[0]?.importId,
        rows: [3, 4],
        by: { kind: "key", id: "wb_live_1234" },
        fields: { originSuburb: "Sydney" },
        items: [{ itemType: "Carton" }, { itemType: "Pallet" }],
      },
      { importId: imports[2]?.importId, rows: [2], fields: { originSuburb: "first" } },
      { importId: imports[2]?.importId, rows: [3], fields: { originSuburb: "second" } },
    ]);
    expect(await deriveShipmentVersions({ ...question, organisationId: "another" })).toEqual([]);
    expect(await deriveShipmentVersions({ ...question, asOf: new Date(0) })).toEqual([]);
  });
});
