import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { withSnapshot } from "../../src/audit/compareImport.js";
import { newFindings } from "../../src/audit/findings.js";
import { importHistory } from "../../src/audit/history/importHistory.js";
import { verifyStreams } from "../../src/audit/verify.js";
import { type Verification, verify } from "../../src/cli/audit/verify.js";
import { activity, goodsLine, type Story, tell } from "../support/importStory.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";
import { type ReversalStory, reverse } from "../support/reversalStory.js";
import { createTestObjectStore } from "../support/stores/stores.js";
import { changes, position } from "./tableChanges.js";

let model: ReadModel;
let objects: Awaited<ReturnType<typeof createTestObjectStore>>;
let tempDir: string;
const ids: Record<string, string> = {};

/** Records an import and stores the file that its stream names. */
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
  model = await startReadModel();
  objects = await createTestObjectStore();
  tempDir = await mkdtemp(join(tmpdir(), "waybill-test-audit-"));
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
  await record("together", {
    kind: "shipments",
    rows: [
      { reject: "Rejected with its shipment: Item type is required", handle: "S8", why: { lead: 3 } },
      { reject: "Item type is required", handle: "S8", why: { faults: [["required", "itemType"]] } },
      { reject: "Rejected with its shipment: the reason is at row 3", handle: "S8", why: { lead: 3 } },
    ],
  });
  await record("again", { kind: "shipments", rows: [{ accept: goodsLine("S2", { originSuburb: "later" }) }] });
  await record("reversed", { kind: "shipments", rows: [{ accept: goodsLine("S5") }, { accept: goodsLine("S6") }] });
  await record("later", { kind: "shipments", rows: [{ accept: goodsLine("S6", { originSuburb: "\0" }) }] });
  const importId = ids["reversed"] ?? "";
  await reverse(model.eventStore, { importId, rows: [[2, 2]], shipments: [[1, 1]], count: 1, reason: "one\0" });
  await reverse(model.eventStore, { importId, count: 1 });
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

/** What the audit's own code finds in the live tables. */
async function findingsOf(organisationId?: string) {
  const findings = newFindings();
  const { signal } = new AbortController();
  const stores = { eventStore: model.eventStore, objectStore: objects.store, tempDir };
  await withSnapshot({ pool: model.pool, signal }, (snapshot) =>
    verifyStreams(snapshot, { ...stores, signal, organisationId, files: true }, findings),
  );
  return findings;
}
const sentences = async () => (await findingsOf()).first.map(({ importId, sentence }) => `${nameOf(importId)}: ${sentence}`);
const nameOf = (importId: string | undefined) => Object.entries(ids).find(([, id]) => id === importId)?.[0] ?? "-";

describe("verify", () => {
  test("finds nothing where nothing is wrong, also for running, queued, failed and cancelled imports", async () => {
    expect(await sentences()).toEqual([]);
    const verification = await run();
    expect(verification.findings.first).toEqual([]);
    expect(verification).toMatchObject({
      imports: 11,
      files: 11,
      rows: { activities: 3, shipments: 3, shipment_versions: 7, shipment_lines: 1, rejections: 7, reversals: 2 },
    });
    expect(verification.organisations).toEqual([
      { organisationId: "acme", imports: 10, findings: 0 },
      { organisationId: "other", imports: 1, findings: 0 },
    ]);
  });

  describe("finds in the tables", () => {
    const tables = ["imports", "rejections", "activities", "activity_totals", "shipment_lines", "shipments"];
    beforeAll(() => model.pool.query(tables.map((table) => `create table kept_${table} as table ${table}`).join("; ")));
    afterEach(() => model.pool.query(tables.map((table) => `truncate ${table}; insert into ${table} table kept_${table}`).join("; ")));

    test.each(changes)("%s", async (_, change, expected) => {
      await model.pool.query(change(ids));
      expect(await sentences()).toEqual(expected);
    });

    test("many differences: lists the first 20 and counts all", async () => {
      await model.pool.query(
        `insert into rejections select ${position(ids, "activities")}, number, null, 'e', '{}' from generate_series(1000, 1499) as number`,
      );
      for (const findings of [await findingsOf(), (await run()).findings]) {
        expect(findings.first).toHaveLength(20);
        expect(findings.count).toBe(500);
        expect(findings.byOrganisation.get("acme")).toBe(500);
      }
    });

    test("only differences of the organisation that was asked about", async () => {
      await model.pool.query("update activities set charge_code = 'PACK'");
      expect((await findingsOf("other")).count).toBe(1);
      expect((await run("other")).findings.count).toBe(1);
      expect((await run("other")).organisations).toEqual([{ organisationId: "other", imports: 1, findings: 1 }]);
    });

    test("rows that belong to no import at all", async () => {
      await model.pool.query(`insert into activities values (999999999, 2, 'W1', 'PICK', 3, '2026-03-01T09:30:00Z')`);
      expect(await sentences()).toEqual(["-: activities, import_position 999999999, row 2: the streams have no such row"]);
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

  test("finds what contradicts itself within a stream", async () => {
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

  test("finds what contradicts itself within a stream of reversals, and what contradicts its import", async () => {
    const found = async (story: Story, ...reversals: Partial<ReversalStory>[]) => {
      const organisationId = `reversals-${crypto.randomUUID()}`;
      const { importId } = await model.record({ ...story, organisationId });
      for (const reversal of reversals) await reverse(model.eventStore, { organisationId, importId, count: 1, ...reversal });
      await model.project();
      const { findings } = await verify({
        ...{ pool: model.pool, eventStore: model.eventStore, objectStore: objects.store, tempDir },
        ...{ signal: new AbortController().signal, organisationId, files: false },
      });
      return findings.first.map(({ sentence }) => sentence);
    };
    const line = (id: string, shipment: number) => ({ accept: goodsLine(id), shipment });
    const shipments: Story = { kind: "shipments", rows: [line("A", 1), line("B", 2), line("A", 1)] };
    expect(
      await found(
        shipments,
        {
          rows: [
            [2, 2],
            [4, 4],
          ],
          shipments: [[1, 1]],
        },
        {},
      ),
    ).toEqual([]);
    expect(await found(shipments, { rows: [[2, 2]], shipments: [[1, 1]] })).toEqual([
      "stream of reversals: RowsReversed at revision 0 has other rows than its shipments",
    ]);
    expect(await found(shipments, { rows: [[3, 3]], shipments: [[2, 2]] }, { count: 2 })).toEqual([
      "stream of reversals: RowsReversed at revision 1 counts 2, but takes back 1",
      "stream of reversals: RowsReversed at revision 1 takes back more than there is",
    ]);
    expect(await found({ kind: "shipments", end: "running" }, { count: 0 })).toEqual(["stream of reversals: the import has not completed"]);
  });

  describe("notices a worker that", () => {
    const foundOf = async (story: Story) => {
      const { importId } = await model.record(story);
      await model.project();
      const { findings } = await verify({
        ...{ pool: model.pool, eventStore: model.eventStore, objectStore: objects.store, tempDir },
        ...{ signal: new AbortController().signal, organisationId: story.organisationId, files: false },
      });
      const history = await importHistory(importId, { eventStore: model.eventStore, signal: new AbortController().signal });
      return { found: findings.first.map(({ sentence }) => sentence), faults: history?.fold.faults };
    };
    const lines = [goodsLine("A1"), goodsLine("B1"), goodsLine("A1")];

    test.each(["file", "data"] as const)("put two shipments of a push of %s together", async (source) => {
      const rows = lines.slice(0, 2).map((accept) => ({ accept, shipment: 1 }));
      const row = source === "file" ? 3 : 2;
      const { found, faults } = await foundOf({ kind: "shipments", organisationId: `together-${source}`, source, rows });
      const sentence = `row ${row} is a line of shipment B1, but has the number of another shipment, 1`;
      expect(faults).toEqual([sentence, "ImportCompleted says 1 processed, the stream has 2"]);
      expect(found).toEqual([
        `stream: ${sentence}`,
        "stream: ImportCompleted says 1 processed, the stream has 2",
        expect.stringMatching(/^imports, .*: processed is 1, the streams say 2$/),
        expect.stringMatching(/^shipments, .*shipment_id A1: items is/),
        expect.stringMatching(/^shipments, .*shipment_id B1: the row is missing$/),
      ]);
    });

    test("took a shipment apart", async () => {
      const rows = lines.map((accept, index) => ({ accept, shipment: index + 1 }));
      const { found, faults } = await foundOf({ kind: "shipments", organisationId: "apart", rows });
      const sentence = "row 4 is a line of shipment A1, which has number 1, but has number 3";
      expect(faults).toEqual([sentence, "ImportCompleted says 3 processed, the stream has 2"]);
      expect(found).toEqual(
        expect.arrayContaining([`stream: ${sentence}`, expect.stringMatching(/^shipments, .*shipment_id A1: items is/)]),
      );
    });
  });

  test("finds nothing wrong in a JSON push that has one shipment id twice", async () => {
    await model.record({
      ...{ kind: "shipments", organisationId: "twice", source: "data" },
      rows: [
        { accept: goodsLine("A1"), shipment: 1 },
        { accept: goodsLine("A1"), shipment: 1 },
        { accept: goodsLine("A1", { originSuburb: "later" }), shipment: 2 },
      ],
    });
    await model.project();
    const { findings } = await verify({
      ...{ pool: model.pool, eventStore: model.eventStore, objectStore: objects.store, tempDir },
      ...{ signal: new AbortController().signal, organisationId: "twice", files: false },
    });
    expect(findings.first).toEqual([]);
  });
});
