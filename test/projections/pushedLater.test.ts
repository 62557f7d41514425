// Of two imports of the same shipment the one that was pushed later wins (its ImportRequested is later in the log), whichever ran first.
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import { deriveShipmentVersions } from "../../src/audit/history/shipmentVersions.js";
import { shipmentText } from "../../src/cli/audit/auditText.js";
import { verify } from "../../src/cli/audit/verify.js";
import type { EventStore } from "../../src/ports/eventStore.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { rebuild } from "../../src/projections/rebuild/rebuild.js";
import { findShipment } from "../../src/queries/shipments/shipmentLedger.js";
import { listVersions, readVersion } from "../../src/queries/shipments/shipmentVersions.js";
import { goodsLine, tell } from "../support/importStory.js";
import { type ReadModel, startReadModel, until } from "../support/readModel.js";
import { createTestObjectStore } from "../support/stores/stores.js";

let model: ReadModel;
const signal = new AbortController().signal;
const older = tell({
  kind: "shipments",
  at: "2026-03-01T12:00:00.000Z", // pushed first, run last
  rows: [{ accept: goodsLine("S1", { originSuburb: "older" }) }, { accept: goodsLine("S2", { originSuburb: "older" }) }],
});
const newer = tell({
  kind: "shipments",
  source: "data", // in a file two lines with one id are one shipment
  at: "2026-03-01T11:00:00.000Z",
  rows: [{ accept: goodsLine("S1", { originSuburb: "replaced" }) }, { accept: goodsLine("S1", { originSuburb: "newer" }) }],
});

beforeAll(async () => {
  model = await startReadModel();
  await model.eventStore.append(older.stream, older.events.slice(0, 1), -1n);
  await model.eventStore.append(newer.stream, newer.events, -1n);
  await model.project();
  await model.eventStore.append(older.stream, older.events.slice(1), 0n);
  await model.project();
});
afterAll(() => model?.close());

const expectRightLedger = async () => {
  expect(await findShipment("acme", "S1", model.pool)).toMatchObject({
    originSuburb: "newer",
    importId: newer.importId,
    updatedAt: "2026-03-01T11:00:00.000Z",
  });
  expect(await findShipment("acme", "S2", model.pool)).toMatchObject({ originSuburb: "older", importId: older.importId });
};

test("an older push that runs later has its counts, and overwrites nothing newer", async () => {
  await expectRightLedger();
  const { rows } = await model.pool.query("select processed, failed from imports where import_id = $1", [older.importId]);
  expect(rows).toEqual([{ processed: 2, failed: 0 }]);
});

test("a rebuild gives the same rows, and an audit finds nothing", async () => {
  const quiet = pino({ level: "silent" });
  const { pool, eventStore } = model;
  const migrations = migrationStatements();
  const { comparisons } = await rebuild({ pool, eventStore, logger: quiet, signal, migrations, projections: allProjections });
  for (const { live, rebuilt } of comparisons) expect(live).toEqual(rebuilt);
  await expectRightLedger();
  const objects = await createTestObjectStore();
  onTestFinished(objects.close);
  const verified = await verify({
    ...{ pool, eventStore, objectStore: objects.store, tempDir: tmpdir() },
    ...{ signal, organisationId: undefined, files: false },
  });
  expect(verified.findings.first).toEqual([]);
});

test("the versions of a shipment are in the order in which they were pushed, and say which were never in the ledger", async () => {
  const versions = await deriveShipmentVersions({ eventStore: model.eventStore, organisationId: "acme", shipmentId: "S1", signal });
  expect(versions.map(({ fields, supersededBy }) => [fields["originSuburb"], supersededBy])).toEqual([
    ["older", newer.importId],
    ["replaced", newer.importId],
    ["newer", null],
  ]);
  expect(shipmentText("S1", versions, ({ id }) => id).filter((line) => line.startsWith("Version"))).toEqual([
    `Version 1, completed 2026-03-01T12:00:00.000Z, never in the ledger: import ${newer.importId} was pushed later and already there`,
    "Version 2, completed 2026-03-01T11:00:00.000Z, never in the ledger: a later element of the same import replaced it",
    "Version 3, in the ledger from 2026-03-01T11:00:00.000Z",
  ]);
});

test("the tables list the same versions, and each is read from its import's stream", async () => {
  const { pool, eventStore } = model;
  const asked = { shipmentId: "S1", asOf: undefined, upTo: undefined, count: 10 };
  const page = await listVersions("acme", asked, pool);
  let events = 0;
  const counted: EventStore = Object.assign(Object.create(eventStore), {
    async *read(...args: Parameters<EventStore["read"]>) {
      for await (const event of eventStore.read(...args)) {
        events += 1;
        yield event;
      }
    },
  });
  const read = await Promise.all((page?.versions ?? []).map((placed) => readVersion(placed, counted, signal)));
  expect(events).toBe(6); // for each of three versions the import's first event and the shipment's line
  const audited = await deriveShipmentVersions({ eventStore, organisationId: "acme", shipmentId: "S1", signal });
  expect(page?.all).toBe(audited.length);
  for (const [index, { requestId: _, writtenAt: __, shownAt: ___, ...version }] of audited.entries())
    expect(read[index]).toMatchObject({ number: index + 1, ...version });
  expect(await listVersions("acme", { ...asked, upTo: 2, count: 1 }, pool)).toMatchObject({ all: 3, versions: [{ number: 2 }] });
  expect(await listVersions("acme", { ...asked, asOf: new Date(0) }, pool)).toEqual({ all: 0, versions: [], shown: null });
  expect(await listVersions("other", asked, pool)).toEqual({ all: 0, versions: [], shown: null });
});

test("the migration and the projector repair a database in which an older push has overwritten a newer one", async () => {
  const { pool } = model;
  await model.withoutProjector(async () => {
    await pool.query(`alter table shipments rename column import_position to position;
                      create index shipments_by_update on shipments (organisation_id, position)`);
    await pool.query(
      `update shipments set fields = fields || '{"originSuburb":"older"}', import_id = $1, updated_at = '2026-03-01T12:00:00Z', position = 9999999
        where shipment_id = 'S1'`,
      [older.importId],
    );
    const migration = await readFile(new URL("../../drizzle/0005_pushed_later_wins.sql", import.meta.url), "utf8");
    for (const statement of migration.split("--> statement-breakpoint")) await pool.query(statement);
    // The row is still there until the projector has written the table anew.
    expect(await findShipment("acme", "S1", pool)).toMatchObject({ originSuburb: "older" });
  });
  await until(async () => (await pool.query("select from checkpoints where projection = 'shipments'")).rowCount === 1);
  await model.project();
  await expectRightLedger();
});
