// What a judge accepts, and what earlier versions accepted, is read alike by the projections, the ledger and the audit.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../src/cli/audit/verify.js";
import { columnsOf, type ImportKind } from "../../src/domain/imports/fields.js";
import { instantOf } from "../../src/domain/imports/timestamp.js";
import { activityJudge, shipmentLineJudge } from "../../src/domain/rows/rowJudges.js";
import type { ObjectStore } from "../../src/ports/objectStore.js";
import { instantSql } from "../../src/projections/tables/activities.js";
import { listActivities } from "../../src/queries/activities/activityRows.js";
import { cellsOf, zones } from "../domain/rows/acceptedCells.js";
import { context, rowOf, table } from "../domain/rows/sample.js";
import { activity } from "../support/importStory.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";

let model: ReadModel;
beforeAll(async () => {
  model = await startReadModel();
});
afterAll(() => model?.close());

async function findings(organisationId: string): Promise<string[]> {
  const { pool, eventStore } = model;
  const signal = new AbortController().signal;
  const { findings } = await verify({
    pool,
    eventStore,
    signal,
    organisationId,
    files: false,
    objectStore: {} as ObjectStore,
    tempDir: "",
  });
  return findings.first.map(({ sentence }) => sentence);
}

/** What the judge accepts of some rows, each shipment once. */
function accepted(kind: ImportKind, timezone: string, seed: number): Record<string, unknown>[] {
  const columns = table(...columnsOf(kind).map(({ name }) => name));
  const activity = activityJudge(columns, { ...context, timezone });
  const line = shipmentLineJudge(columns, { ...context, timezone });
  const values = fc.sample(cellsOf(kind), { numRuns: 150, seed }).flatMap((cells) => {
    const row = rowOf(columns, cells);
    const judged = kind === "activities" ? activity(row) : line(row).judged;
    return judged.reason === undefined ? [judged.values] : [];
  });
  return kind === "activities" ? values : [...new Map(values.map(named).map((each) => [each["shipmentId"], each])).values()];
}

const named = (values: Record<string, unknown>, index: number) =>
  values["shipmentId"] === "ID-1" ? { ...values, shipmentId: `ID-${index}` } : values;

const page = { cursor: undefined, limit: 500, secret: "s" };

test("what is accepted in whichever zone is verified, listed and found by its own time", async () => {
  for (const [index, zone] of zones.entries()) {
    const rows = accepted("activities", zone, index);
    const shipments = accepted("shipments", zone, index);
    expect(Math.min(rows.length, shipments.length)).toBeGreaterThan(20);
    await model.record({ kind: "shipments", rows: shipments.map((accept) => ({ accept })) });
    const { importId } = await model.record({ kind: "activities", rows: rows.map((accept) => ({ accept })) });
    await model.project();
    const { items } = await listActivities("acme", { importId }, page, model.pool);
    expect(items.map(({ importId: _, row: __, ...values }) => values)).toEqual(JSON.parse(JSON.stringify(rows)));
    for (const [number, { activityTimestamp }] of rows.entries()) {
      if (number % 5 !== 0) continue; // each is a query
      const at = instantOf(String(activityTimestamp), "UTC") ?? Number.NaN;
      const found = await listActivities("acme", { importId, from: new Date(at), to: new Date(at + 1) }, page, model.pool);
      expect(found.items.map(({ row }) => row)).toContain(number + 2);
    }
  }
  expect(await findings("acme")).toEqual([]);
});

test("Postgres reads the times as the workers do, where it has to sum the rows itself", async () => {
  const text = "activity_timestamp";
  const { rows } = await model.pool.query<{ text: string; read: string }>(
    `select ${text} as text, extract(epoch from ${instantSql(text)}) * 1000 as read from activities`,
  );
  expect(rows.length).toBeGreaterThan(100);
  for (const { text: sent, read } of rows) expect([sent, Math.floor(Number(read))]).toEqual([sent, instantOf(sent, "UTC")]);
});

test("times and numbers that only earlier versions accepted can be verified and summed", async () => {
  const old = ["1899-12-31T14:00:00.000Z", "+010000-01-01T04:59:59.000Z", "1900-01-01T00:00:00+14:00", "9999-12-31T23:59:59-05:00"];
  await model.record({
    kind: "activities",
    organisationId: "old",
    rows: [...old.map((activityTimestamp) => ({ accept: activity({ activityTimestamp }) })), { accept: activity({ quantity: 1e-320 }) }],
  });
  await model.project();
  expect(await findings("old")).toEqual([]);
});
