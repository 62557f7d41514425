// Rejected rows by reason: from events that have faults, and from older ones that have only sentences.
import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { faultyColumns } from "../../src/domain/rows/faults.js";
import { listCorrectionRows } from "../../src/queries/rejectedRows/correctionRows.js";
import { countRejectedRows, groupRejections } from "../../src/queries/rejectedRows/rejectionGroups.js";
import { rejectionReasons } from "../../src/queries/rejectedRows/rejectionReasons.js";
import { type Row, tell } from "../support/importStory.js";
import { useBatches } from "./batchStage.js";

const { context, play } = useBatches();
const page = { limit: 100, cursor: undefined, secret: "secret" };

const faulty = "Customer not found; Missing mandatory custom field(s): costCentre";
const rows: readonly Row[] = [
  { reject: `Rejected with its shipment: ${faulty}`, handle: "A", why: { lead: 4 } },
  { reject: "Item type is required", handle: "B", why: { faults: [["required", "itemType"]] } },
  {
    reject: faulty,
    handle: "A",
    why: {
      faults: [
        ["unknownCustomer", "customerId"],
        ["missingCustomField", "customFields.costCentre"],
      ],
    },
  },
  { reject: `Rejected with its shipment: ${faulty}`, handle: "A", why: { lead: 4 } },
];
const olderRows = rows.map((row) => ("reject" in row ? { ...row, why: {} } : row));

let pool: ReturnType<typeof context>["pool"];
beforeEach(async () => {
  pool = context().pool;
  await pool.query("truncate rejection_groups, row_corrections, finished_rows");
});

async function imported(story: readonly Row[], size?: number): Promise<string> {
  const { importId } = tell({ kind: "shipments" });
  await play({ kind: "shipments", rows: story, importId }, size);
  return importId;
}

/** Everything that reads why the rows of an import were rejected. */
async function readings(importId: string) {
  const filter = { kind: "shipments", state: "open", importId } as const;
  const { groups } = await groupRejections("acme", filter, 100, pool);
  const lines = (await listCorrectionRows("acme", filter, page, pool)).items;
  const first = groups.find(({ reason }) => reason === faulty);
  return {
    groups: groups.map(({ reason, rows: counted }) => [reason, counted]).sort(),
    ofReason: (await listCorrectionRows("acme", { ...filter, reasonKey: first?.reasonKey }, page, pool)).items.map(({ row }) => row),
    counted: (await countRejectedRows("acme", importId, pool)).shipments.open.rows,
    marked: lines.map((line) => [line.row, faultyColumns("shipments", line, new Set(["costCentre"]))]),
    plots: [
      await rejectionReasons("acme", { importId, status: "completed" }, pool),
      await rejectionReasons("acme", { importId, status: "processing" }, pool),
    ],
  };
}

const plot = {
  reasons: [
    { reason: "Customer not found", rows: 3 },
    { reason: "Missing mandatory custom field(s): costCentre", rows: 3 },
    { reason: "Item type is required", rows: 1 },
  ],
  others: 0,
  counted: 4,
};
const expected = {
  groups: [
    [faulty, 3],
    ["Item type is required", 1],
  ],
  ofReason: [2, 4, 5],
  counted: 4,
  marked: [
    [2, []],
    [4, ["customerId", "customFields.costCentre"]],
    [5, []],
    [3, ["itemType"]],
  ],
  plots: [plot, plot],
};

describe("groups, marked cells, lists and plots are the same", () => {
  test("for events with faults, also where the line at fault comes in a later batch", async () => {
    expect(await readings(await imported(rows))).toEqual(expected);
    expect(await readings(await imported(rows, 1))).toEqual(expected);
  });

  test("for events that are older than faults", async () => {
    expect(await readings(await imported(olderRows))).toEqual(expected);
  });

  test("for rows that were projected before the tables had faults", async () => {
    const importId = await imported(rows);
    await pool.query("update rejections set lead = null, faults = null");
    expect(await readings(importId)).toEqual(expected);
  });
});

test("a line counts with the line at fault, whatever its own sentence says", async () => {
  const sibling: Row = { reject: "Rejected with its shipment: the reason is at row 3", handle: "A", why: { lead: 3 } };
  const importId = await imported([sibling, { reject: faulty, handle: "A", why: { faults: [["unknownCustomer", "customerId"]] } }]);
  const { groups, ofReason, plots } = await readings(importId);
  expect(groups).toEqual([[faulty, 2]]);
  expect(ofReason).toEqual([2, 3]);
  expect(plots[1]).toMatchObject({ reasons: [{ rows: 2 }, { rows: 2 }], counted: 2 });
});

test("the migration counts the rows that were corrected before they were counted", async () => {
  const sibling: Row = { reject: "Rejected with its shipment: x", handle: "A", why: { lead: 3 } };
  const importId = await imported([sibling, { reject: faulty, handle: "A", why: {} }, { reject: "Item type is required", why: {} }]);
  await pool.query(
    `insert into row_corrections (import_id, "row", correction_id, correction_row, state)
     values ($1, 2, gen_random_uuid(), 1, 'corrected'), ($1, 3, gen_random_uuid(), 2, 'claimed'), ($1, 3, gen_random_uuid(), 2, 'corrected')`,
    [importId],
  );
  await pool.query(`insert into finished_rows values ($1, 4, 'dismissed', null, null, 'member:m')`, [importId]);
  const migration = await readFile(new URL("../../drizzle/0036_corrected_rows_in_groups.sql", import.meta.url), "utf8");
  await pool.query(migration.split("--> statement-breakpoint").at(-1) ?? "");
  const { rows: groups } = await pool.query("select reason, corrected from rejection_groups where import_id = $1 order by reason", [
    importId,
  ]);
  expect(groups).toEqual([
    { reason: faulty, corrected: 2 },
    { reason: "Item type is required", corrected: 0 },
  ]);
});
