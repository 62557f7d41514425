// The audit on logs with corrections and reversals of activities in random orders.
import { afterAll, beforeAll, expect, test } from "vitest";
import { compareImport, withSnapshot } from "../../src/audit/compareImport.js";
import { newFindings } from "../../src/audit/findings.js";
import { verifyStreams } from "../../src/audit/verify.js";
import { verify } from "../../src/cli/audit/verify.js";
import { seeded } from "../faults/randomness.js";
import { randomLog } from "../projections/correctionLogs.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";
import { createTestObjectStore } from "../support/stores/stores.js";

let model: ReadModel;
let objects: Awaited<ReturnType<typeof createTestObjectStore>>;
const importIds = new Set<string>();

beforeAll(async () => {
  model = await startReadModel();
  objects = await createTestObjectStore();
  for (const { stream, id, type, data, metadata, revision } of randomLog(seeded(4), 200)) {
    await model.eventStore.append(stream, [{ id, type, json: JSON.stringify(data), metadata }], revision - 1n);
    if (stream.startsWith("import-")) importIds.add(stream.slice("import-".length));
  }
  await model.project();
});
afterAll(async () => {
  await model?.close();
  await objects?.close();
});

const signal = new AbortController().signal;
const options = () => ({
  ...{ eventStore: model.eventStore, objectStore: objects.store, tempDir: "", signal },
  ...{ organisationId: undefined, files: false },
});
/** What the audit's own code finds in the live tables. */
const findings = async () => {
  const found = newFindings();
  await withSnapshot({ pool: model.pool, signal }, (snapshot) => verifyStreams(snapshot, options(), found));
  return found.first.map(({ sentence }) => sentence);
};

test("what the tables say of corrections, reversals and totals is what the streams say", async () => {
  const { rows } = await model.pool.query(
    `select (select count(*)::int from reversals) as reversals, (select count(*)::int from uncounted_activities where reversed_position is not null) as reversed,
            (select count(*)::int from uncounted_activities where replaced_by_position is not null) as replaced,
            (select count(*)::int from uncounted_imports) as imports`,
  );
  for (const [name, count] of Object.entries(rows[0] as Record<string, number>)) expect(count, name).toBeGreaterThan(0);
  expect(await findings()).toEqual([]);
  expect((await verify({ ...options(), pool: model.pool })).findings.first).toEqual([]);
});

test("each import alone agrees with the tables as well", async () => {
  const { pool, eventStore } = model;
  for (const importId of importIds) {
    expect(await compareImport({ pool, eventStore, signal }, importId), importId).toEqual({ verdict: "agrees" });
  }
});

test.each([
  [
    "a reversed row that is marked no more",
    "delete from uncounted_activities where reversed_position is not null",
    /uncounted_activities, .*: the row is missing/,
  ],
  [
    "a replaced row that is marked no more",
    "update uncounted_activities set replaced_by_position = null where replaced_by_position is not null",
    /uncounted_activities, .*: replaced_by_position is null/,
  ],
  ["an import that is reversed no more", "delete from uncounted_imports", /uncounted_imports, .*: the row is missing/],
  ["a forgotten correction", "delete from activity_corrections", /activity_corrections, .*: the row is missing/],
  ["a change of another amount", "update activity_changes set quantity = quantity + 1", /activity_changes, .*: quantity is/],
  ["a lost change", "delete from activity_changes", /activity_changes, /],
  ["a reversed row that counts again", backAgain(), /activity_totals, .*: the streams have no such row/],
])("%s is found", async (_, change, expected) => {
  const { rows: saved } = await model.pool.query<{ name: string }>("select tablename as name from pg_tables where schemaname = 'public'");
  const names = saved.map(({ name }) => name).filter((name) => change.includes(name));
  for (const name of names) await model.pool.query(`create table kept_${name} as table ${name}`);
  try {
    await model.pool.query(change);
    expect((await findings()).join("\n")).toMatch(expected);
  } finally {
    for (const name of names)
      await model.pool.query(`truncate ${name}; insert into ${name} select * from kept_${name}; drop table kept_${name}`);
  }
});

/** The totals and the changes say that a reversed row counts, as if it had been put back. */
function backAgain(): string {
  return `
    insert into activity_totals as t (organisation_id, customer_id, warehouse_code, charge_code, half_hour, import_position, quantity, row_count, row_numbers)
    select organisation_id, customer_id, warehouse_code, charge_code, half_hour, import_position, -quantity, -row_count, row_numbers
      from activity_changes where row_count < 0 and import_position not in (select import_position from uncounted_imports)
       and import_position not in (select import_position from activity_totals) limit 1`;
}
