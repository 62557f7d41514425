import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { withSnapshot } from "../../src/audit/snapshot.js";
import { type Verification, verify } from "../../src/audit/verify.js";
import { activity, goodsLine, type Story, tell } from "../support/importStory.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";
import { createTestObjectStore } from "../support/stores/stores.js";

let model: ReadModel;
let objects: Awaited<ReturnType<typeof createTestObjectStore>>;
let tempDir: string;
const ids: Record<string, string> = {};

/** Recorded with the file that the stream says was pushed. */
async function record(name: string, story: Story): Promise<void> {
  const { importId } = tell(story);
  const content = `the file of ${name}`;
  const key = `uploads/acme/${importId}`;
  const path = join(tempDir, "upload");
  await writeFile(path, content);
  await objects.store.put(key, path, { contentType: "text/csv" });
  const sha256 = createHash("sha256").update(content).digest("hex");
  await model.record({ ...story, importId, file: { key, name: "march.csv", format: "csv", size: content.length, sha256 } });
  ids[name] = importId;
}

beforeAll(async () => {
  [model, objects, tempDir] = await Promise.all([
    startReadModel(),
    createTestObjectStore(),
    mkdtemp(join(tmpdir(), "waybill-test-audit-")),
  ]);
  await record("activities", {
    kind: "activities",
    rows: [{ accept: activity({ reference: "R1", quantity: 0.1 }) }, { reject: "x", data: { b: "1", a: "\0" } }, { accept: activity() }],
  });
  await record("shipments", {
    kind: "shipments",
    rows: [
      { accept: goodsLine("S1", { customFields: { b: "1", a: "2" } }), shipment: 1 },
      { accept: goodsLine("S2"), shipment: 2 },
      { accept: goodsLine("S1", { item: { itemType: "Pallet" } }), shipment: 1 },
      { reject: "y", handle: "S9" },
    ],
  });
  await record("again", { kind: "shipments", rows: [{ accept: goodsLine("S2", { originSuburb: "later" }) }] });
  await record("cancelled", { kind: "activities", end: "cancelled", rows: [{ accept: activity() }, { reject: "x" }] });
  await record("failed", { kind: "shipments", end: "failed", rows: [{ accept: goodsLine("S7") }] });
  await record("running", { kind: "shipments", end: "running", rows: [{ accept: goodsLine("S3") }, { reject: "z" }] });
  await record("queued", { kind: "activities", end: "queued" });
  await record("others", { kind: "activities", organisationId: "other", rows: [{ accept: activity() }] });
  await model.project();
});
afterAll(async () => {
  await model?.close();
  await objects?.close();
  await rm(tempDir, { recursive: true, force: true });
});

const run = (organisationId?: string): Promise<Verification> =>
  verify({
    ...{ pool: model.pool, eventStore: model.eventStore, objectStore: objects.store, tempDir },
    ...{ signal: new AbortController().signal, organisationId, files: true },
  });

const sentences = async () => (await run()).findings.first.map(({ importId, sentence }) => `${nameOf(importId)}: ${sentence}`);
const nameOf = (importId: string | undefined) => Object.entries(ids).find(([, id]) => id === importId)?.[0] ?? "-";

describe("verify", () => {
  test("finds nothing where nothing is wrong, also in imports that run or came to nothing", async () => {
    expect(await sentences()).toEqual([]);
    const verification = await run();
    expect(verification).toMatchObject({
      imports: 8,
      files: 8,
      rows: { activities: 3, shipments: 2, versions: 4, shipment_lines: 1, rejections: 4 },
    });
    expect(verification.organisations).toEqual([
      { organisationId: "acme", imports: 7, findings: 0 },
      { organisationId: "other", imports: 1, findings: 0 },
    ]);
  });

  const position = (name: string) => `(select position from imports where import_id = '${ids[name]}')`;
  const changes: [string, () => string, unknown[]][] = [
    [
      "a changed activity",
      () => `update activities set charge_code = 'PACK', quantity = 9 where import_position = ${position("activities")} and "row" = 2`,
      ['activities: row 2 of activities: chargeCode is "PACK", the stream says "PICK" (and quantity)'],
    ],
    [
      "a deleted activity",
      () => `delete from activities where import_position = ${position("activities")} and "row" = 4`,
      ["activities: row 4 is missing from activities"],
    ],
    [
      "an activity from nowhere",
      () =>
        `insert into activities select import_position, 99, 'W', 'C', 1, 't' from activities where import_position = ${position("activities")} limit 1`,
      ["activities: row 99 of activities has no counterpart in the stream"],
    ],
    [
      "an activity that a cancelled import left",
      () => `insert into activities values (${position("cancelled")}, 2, 'W1', 'PICK', 3, '2026-03-01T09:30:00Z')`,
      ["cancelled: row 2 of activities has no counterpart in the stream"],
    ],
    [
      "a total that is too large",
      () => `update activity_totals set quantity = quantity + 0.01 where import_position = ${position("activities")}`,
      ["activities: activity_totals has 1 totals of 2 rows, 3.11 in all; the stream has 1 totals of 2 rows, 3.1 in all"],
    ],
    [
      "a total that leads to another row",
      () => `update activity_totals set row_numbers = '{2,5}' where import_position = ${position("activities")}`,
      ["activities: activity_totals has other totals than the stream, though 1 totals of 2 rows, 3.1 in all"],
    ],
    [
      "a total of another hour",
      () => `update activity_totals set half_hour = half_hour + interval '1 hour' where import_position = ${position("activities")}`,
      ["activities: activity_totals has other totals than the stream, though 1 totals of 2 rows, 3.1 in all"],
    ],
    [
      "a lost total",
      () =>
        `delete from activity_totals where import_position = ${position("others")}; delete from activity_groups where organisation_id = 'other'`,
      ["others: activity_totals has 0 totals of 0 rows, 0 in all; the stream has 1 totals of 1 rows, 3 in all"],
    ],
    [
      "a total of a cancelled import",
      () =>
        `insert into activity_totals select organisation_id, customer_id, warehouse_code, charge_code, half_hour, ${position("cancelled")}, 3, 1, '{2}'
           from activity_totals where import_position = ${position("activities")}`,
      ["cancelled: activity_totals has 1 totals of 1 rows, 3 in all; the stream has 0 totals of 0 rows, 0 in all"],
    ],
    [
      "a total that another organisation has",
      () =>
        `update activity_totals set organisation_id = 'other' where import_position = ${position("activities")}; delete from activity_groups where organisation_id = 'acme'`,
      ["activities: activity_totals has them for another organisation"],
    ],
    [
      "a lost group",
      () => `delete from activity_groups where organisation_id = 'acme'`,
      ["-: activity_groups lacks 1 groups of activity_totals"],
    ],
    [
      "a changed rejection",
      () => `update rejections set error = 'fine' where import_position = ${position("activities")}`,
      ['activities: row 3 of rejections: error is "fine", the stream says "x"'],
    ],
    [
      "a deleted rejection",
      () => `delete from rejections where import_position = ${position("running")}`,
      ["running: row 3 is missing from rejections"],
    ],
    [
      "a changed count",
      () => `update imports set failed = 7 where import_id = '${ids["shipments"]}'`,
      ["shipments: imports.failed is 7, the stream says 1"],
    ],
    [
      "a changed status and time",
      () => `update imports set status = 'completed', finished_at = '2026-03-01T10:00:01Z' where import_id = '${ids["failed"]}'`,
      [
        'failed: imports.status is "completed", the stream says "failed"',
        'failed: imports.finished_at is "2026-03-01T10:00:01.000Z", the stream says "2026-03-01T10:00:00.000Z"',
      ],
    ],
    ["a deleted import", () => `delete from imports where import_id = '${ids["queued"]}'`, ["queued: it is missing from imports"]],
    [
      "a shipment's changed lines",
      () => `update shipments set items = '[]' where shipment_id = 'S1'`,
      ["shipments: shipment S1: its goods lines differ"],
    ],
    [
      "a shipment's changed field and origin",
      () => `update shipments set fields = fields || '{"originSuburb":"x"}', import_id = '${ids["shipments"]}' where shipment_id = 'S2'`,
      [`again: shipment S2: its fields differ, it is ascribed to import IMPORT`],
    ],
    ["a deleted shipment", () => `delete from shipments where shipment_id = 'S2'`, ["again: shipment S2: it is missing from the ledger"]],
    [
      "an invented shipment",
      () =>
        `insert into shipments select organisation_id, 'S99', fields, items, source_details, import_id, updated_at, import_position from shipments where shipment_id = 'S1'`,
      ["-: shipment S99: the ledger has it, but no completed import wrote it"],
    ],
    [
      "a lost version",
      () => `delete from shipment_versions where shipment_id = 'S2' and import_position = ${position("shipments")}`,
      ["shipments: shipment_versions has 1 versions; the stream has 2"],
    ],
    [
      "a version whose lines stand elsewhere",
      () => `update shipment_versions set revisions = '{2,3}' where shipment_id = 'S1'`,
      ["shipments: shipment_versions has other versions than the stream, though 2 of them"],
    ],
    [
      "a version that another organisation has",
      () => `update shipment_versions set organisation_id = 'other' where import_position = ${position("again")}`,
      ["again: shipment_versions has them for another organisation"],
    ],
    [
      "a version that a failed import left",
      () => `insert into shipment_versions values (${position("failed")}, 1, 'acme', 'S7', '{2}')`,
      ["failed: shipment_versions has 1 versions; the stream has 0"],
    ],
    ["a lost end", () => `delete from shipment_imports where import_id = '${ids["again"]}'`, ["again: shipment_imports lacks it"]],
    [
      "an end at another time",
      () => `update shipment_imports set completed_at = 'epoch' where import_id = '${ids["again"]}'`,
      ["again: shipment_imports has another end of it"],
    ],
    [
      "an end of an import that runs",
      () => `insert into shipment_imports select ${position("running")}, '${ids["running"]}', 'acme', 9, now()`,
      [expect.stringContaining("where no import has completed")],
    ],
    [
      "a changed goods line of a running import",
      () => `update shipment_lines set shipment = 5`,
      ["running: row 2 of shipment_lines: shipment is 5, the stream says 1"],
    ],
  ];

  describe("finds in the tables", () => {
    const tables = [
      "imports",
      "rejections",
      "activities",
      "activity_totals",
      "activity_groups",
      "shipment_lines",
      "shipments",
      ...["shipment_versions", "shipment_imports"],
    ];
    beforeAll(() => model.pool.query(tables.map((table) => `create table kept_${table} as table ${table}`).join("; ")));
    afterEach(() => model.pool.query(tables.map((table) => `truncate ${table}; insert into ${table} table kept_${table}`).join("; ")));

    test.each(changes)("%s", async (_, change, expected) => {
      await model.pool.query(change());
      const named = (sentence: unknown) => (typeof sentence === "string" ? sentence.replace("IMPORT", ids["shipments"] ?? "") : sentence);
      expect(await sentences()).toEqual(expected.map(named));
    });

    test("many differences: the first 20, and how many there are", async () => {
      await model.pool.query(
        `insert into rejections select ${position("activities")}, number, null, 'e', '{}' from generate_series(1000, 1499) as number`,
      );
      const { findings } = await run();
      expect(findings.first).toHaveLength(20);
      expect(findings.count).toBe(500);
    });

    test("only what belongs to the organisation that was asked about", async () => {
      await model.pool.query("update activities set charge_code = 'PACK'");
      expect((await run("other")).findings.count).toBe(1);
      expect((await run("other")).organisations).toEqual([{ organisationId: "other", imports: 1, findings: 1 }]);
    });

    test("rows that belong to no import at all", async () => {
      await model.pool.query(`insert into activities values (999999999, 2, 'W1', 'PICK', 3, '2026-03-01T09:30:00Z')`);
      expect(await sentences()).toEqual([expect.stringContaining("1 rows of activities at position 999999999")]);
    });
  });

  test("finds a stored file that was changed, and one that is gone", async () => {
    const path = join(tempDir, "changed");
    await writeFile(path, "not the file");
    const key = `uploads/acme/${ids["activities"]}`;
    await objects.store.put(key, path, { contentType: "text/csv" });
    await objects.store.remove(`uploads/acme/${ids["again"]}`);
    expect(await sentences()).toEqual([
      expect.stringMatching(/^activities: the stored file .* has sha-256 [0-9a-f]{64}, recorded was [0-9a-f]{64}$/),
      expect.stringMatching(/^again: the stored file .* is missing$/),
    ]);
    await writeFile(path, "the file of activities");
    await objects.store.put(key, path, { contentType: "text/csv" });
    await writeFile(path, "the file of again");
    await objects.store.put(`uploads/acme/${ids["again"]}`, path, { contentType: "text/csv" });
  });

  test("finds what is wrong with a stream itself", async () => {
    const told = tell({ kind: "activities", end: "running", rows: [{ accept: activity() }, { accept: activity() }] });
    const [requested, started, first] = told.events;
    if (!requested || !started || !first) throw new Error("the story is shorter than told");
    const metadata = first.metadata;
    const completed = {
      importId: told.importId,
      counts: { received: 3, processed: 3, failed: 1 },
      report: null,
      notes: [],
      at: "2026-03-01T10:00:00.000Z",
    };
    const second = { ...first, id: crypto.randomUUID() };
    const end = { id: crypto.randomUUID(), type: "ImportCompleted", json: JSON.stringify(completed), metadata };
    const late = { ...first, id: crypto.randomUUID() };
    await model.eventStore.append(told.stream, [requested, started, first, second, end, late], -1n);
    await model.project();
    const { findings } = await verify({
      ...{ pool: model.pool, eventStore: model.eventStore, objectStore: objects.store, tempDir },
      ...{ signal: new AbortController().signal, organisationId: undefined, files: false },
    });
    expect(findings.first.map(({ sentence }) => sentence)).toEqual(
      expect.arrayContaining([
        "stream: row 2 has a second outcome at revision 3",
        "stream: ImportCompleted says 3 received, the stream has 2",
        "stream: ImportCompleted says 1 failed, the stream has 0",
        "stream: RowAccepted at revision 5 comes after the import's end",
      ]),
    );
  });
});

test("told to stop, it does not wait for the statement that is under way, and lets go of the tables", async () => {
  const stop = new AbortController();
  const { pool } = model;
  const looking = withSnapshot({ pool, signal: stop.signal }, async ({ client }) => {
    const waiting = client.query("select pg_sleep(3600)");
    stop.abort(new Error("enough"));
    await waiting;
  });
  await expect(looking).rejects.toThrow("enough");
  await pool.query("begin; lock table imports in access exclusive mode; commit");
  await expect(withSnapshot({ pool, signal: stop.signal }, async () => undefined)).rejects.toThrow("enough");
});

test("a connection that is lost on the way is told as such, with the reason", async () => {
  const { pool } = model;
  const looking = withSnapshot({ pool, signal: new AbortController().signal }, async ({ client }) => {
    const { rows } = await client.query("select pg_backend_pid() as pid");
    const gone = new Promise((resolve) => client.once("error", resolve));
    await pool.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
    await gone;
    await client.query("select 1");
  });
  await expect(looking).rejects.toThrow(/was lost, run it again: terminating connection due to administrator command/);
});
