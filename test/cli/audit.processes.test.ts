import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFileObjectStore } from "../../src/adapters/objectStore/fileObjectStore.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { useCommandLine } from "../support/commandLine.js";
import { activity, goodsLine, type Story, tell } from "../support/importStory.js";
import { organisationFile } from "../support/organisationFile.js";
import { until, waybill } from "../support/processes.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";

let model: ReadModel;
let folder: string;
let environment: Record<string, string>;
let activities: string;
const command = useCommandLine();
const signingSecret = "a secret of thirty-two characters";

/** Records an import and stores its file in the embedded object store. */
async function record(story: Story): Promise<string> {
  const { importId } = tell(story);
  const key = `uploads/acme/${importId}`;
  const path = join(folder, "submission");
  await writeFile(path, importId);
  const store = createFileObjectStore({ folder: join(folder, "objects"), publicUrl: "http://127.0.0.1", signingSecret });
  await store.put(key, path, { contentType: "text/csv" });
  const sha256 = createHash("sha256").update(importId).digest("hex");
  await model.record({ ...story, importId, file: { key, name: "march.csv", format: "csv", size: importId.length, sha256 } });
  return importId;
}

beforeAll(async () => {
  model = await startReadModel();
  folder = await mkdtemp(join(tmpdir(), "waybill-test-cli-"));
  environment = {
    DATA_DIR: folder,
    DATABASE_URL: model.url,
    EVENTSTORE_URL: model.address,
    SIGNING_SECRET: signingSecret,
  };
  activities = await record({ kind: "activities", rows: [{ accept: activity() }, { reject: "Charge code is required" }] });
  await record({ kind: "shipments", rows: [{ accept: goodsLine("S1") }] });
  await model.project();
});
afterAll(async () => {
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});

test("audit import prints the import's history, and with --rows --json each row as a line of JSON", async () => {
  const story = await waybill(["audit", "import", activities], environment); // in its own process; the other commands of this file share one
  expect(story.stdout).toContain("The tables agree with it, row by row.");
  expect(story.stdout).toContain("the stored file still has this hash");
  expect(story.code).toBe(0);
  const rows = await command(["audit", "import", activities, "--rows", "--json", "--as-of", "3"], environment);
  expect(
    rows.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { row: 2, outcome: "accepted" },
    { row: 3, outcome: "rejected", error: "Charge code is required" },
    { summary: { status: "processing", whole: false, counts: { received: 2 } } },
  ]);
});

test("audit import reports no difference for an import that the projector has not read yet", async () => {
  const [text, json] = await model.withoutProjector(async () => {
    const importId = await record({ kind: "shipments", end: "queued" });
    return Promise.all([
      command(["audit", "import", importId], environment),
      command(["audit", "import", importId, "--json"], environment),
    ]);
  });
  await model.project();
  const why = "the projection has not come to this import yet; try again once the projector has caught up";
  expect(text).toMatchObject({ code: 0, stdout: expect.stringContaining(`\nThe tables could not be compared: ${why}.\n`) });
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([0, { projection: { verdict: "not comparable", why } }]);
});

test("audit verify exits with 0, and with 1 once a row was changed", async () => {
  const sound = await command(["audit", "verify"], environment);
  expect([sound.code, sound.stdout]).toEqual([0, expect.stringContaining("Everything agrees with the streams.")]);
  await model.pool.query("update activities set charge_code = 'PACK'");
  const changed = await command(["audit", "verify", "--json"], environment);
  expect(changed.code).toBe(1);
  expect(JSON.parse(changed.stdout)).toMatchObject({ differences: 1, first: [{ organisationId: "acme", importId: activities }] });
});

test("audit verify of an organisation agrees with rows that a command wrote before the projector, and reports a lost one and a shipment from nowhere", async () => {
  const path = join(folder, "fresh.json");
  await writeFile(path, JSON.stringify(organisationFile("fresh")));
  const sound = await model.withoutProjector(async () => {
    expect((await command(["org", "apply", path], environment)).code).toBe(0);
    return command(["audit", "verify", "--org", "fresh"], environment);
  });
  expect(sound).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Verified 0 imports .*Everything agrees with the streams.$/ms) });
  await model.pool.query(
    `insert into shipments select 'fresh', shipment_id, fields, items, source_details, import_id, updated_at, import_position from shipments`,
  );
  await model.project();
  await model.pool.query("create table kept as table organisations; delete from organisations where id = 'fresh'");
  const ghost = await command(["audit", "verify", "--org", "fresh", "--json"], environment);
  await model.pool.query("delete from shipments where organisation_id = 'fresh'");
  await model.pool.query("insert into organisations select * from kept where id = 'fresh'; drop table kept");
  const sentences = [
    "organisations, id fresh: the row is missing",
    "shipments, organisation_id fresh, shipment_id S1: the streams have no such row",
  ];
  const first = sentences.map((sentence) => ({ organisationId: "fresh", sentence }));
  expect([ghost.code, JSON.parse(ghost.stdout)]).toMatchObject([1, { differences: 2, first }]);
});

test("projections rebuild repairs the changed table and says so; status shows nothing left to project", async () => {
  const rebuilt = await command(["projections", "rebuild", "activities"], environment);
  // 3 rows: the activity, its total and its group.
  expect([rebuilt.code, rebuilt.stdout]).toEqual([0, expect.stringMatching(/^activities +6 +[0-9a-f]{16} +was different/m)]);
  expect((await command(["audit", "verify"], environment)).code).toBe(0);
  await model.project(); // the organisation that an earlier test applied is projected too
  const status = await command(["projections", "status", "--json"], environment);
  expect((JSON.parse(status.stdout) as { events: number }[]).every(({ events }) => events === 0)).toBe(true);
  expect(JSON.parse(status.stdout)).toHaveLength(allProjections.length);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "projections rebuild that gets %s says that it was stopped, and leaves the tables as they were",
  async (signal) => {
    const everything = async () =>
      (
        await model.pool.query(
          `select 'activities'::regclass::oid::text as table, (select json_agg(a) from activities a) as rows,
                (select json_agg(json_build_array(projection, commit, prepare) order by projection) from checkpoints) as checkpoints,
                to_regnamespace('waybill_rebuild')::text as shadow`,
        )
      ).rows;
    await model.project();
    const before = await everything();
    const reader = await model.pool.connect();
    try {
      // A long read holds a lock, and the rebuild's last step, the swap of the tables, waits for it.
      await reader.query("begin; lock table activities in access share mode");
      let rebuild: ChildProcess | undefined;
      const result = waybill(["projections", "rebuild"], environment, (child) => (rebuild = child));
      const waits = "select from pg_stat_activity where datname = current_database() and query like 'lock table %' and state = 'active'";
      await until("the swap waits", async () => ((await model.pool.query(waits)).rowCount ?? 0) > 0);
      rebuild?.kill(signal);
      expect(await result).toEqual({
        code: 1,
        stdout: "",
        // Lines about its progress may come before.
        stderr: expect.stringMatching(/(^|\n)The rebuild was stopped\. The live tables are unchanged; run it again when it suits\n$/),
      });
    } finally {
      await reader.query("rollback");
      reader.release();
    }
    expect(await everything()).toEqual(before);
    expect((await command(["audit", "verify"], environment)).code).toBe(0);
  },
);

test("audit verify that gets SIGTERM says that it was stopped", async () => {
  const holder = await model.pool.connect();
  try {
    await holder.query("begin; lock table imports in access exclusive mode");
    let verifying: ChildProcess | undefined;
    const result = waybill(["audit", "verify"], environment, (child) => (verifying = child));
    const waits =
      "select from pg_stat_activity where datname = current_database() and query like '%waybill_audit%' and wait_event_type = 'Lock'";
    await until("it waits", async () => ((await model.pool.query(waits)).rowCount ?? 0) > 0);
    verifying?.kill("SIGTERM");
    expect(await result).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(/(^|\n)It was stopped before it was done\.\n$/) });
  } finally {
    await holder.query("rollback");
    holder.release();
  }
});

test("audit shipment lists the shipment's versions", async () => {
  const found = await command(["audit", "shipment", "S1", "--org", "acme"], environment);
  expect(found.stdout).toContain("Shipment S1: 1 version\n");
  const none = await command(["audit", "shipment", "S1", "--org", "other"], environment);
  expect([none.code, none.stdout]).toEqual([1, ""]);
});

test("values that a caller pushed cannot look like a line of the audit", async () => {
  const forged = "evil\u001b[31m\nStatus        failed";
  const shown = "evil\\u001b[31m\\nStatus        failed";
  const importId = await record({
    kind: "shipments",
    sourceDetails: forged,
    rows: [{ accept: goodsLine(forged, { reference: forged }) }, { reject: forged }],
  });
  await model.project();
  const story = await command(["audit", "import", importId, "--rows"], environment);
  expect(story.stdout).toContain(`Reference     ${shown}\n`);
  expect(story.stdout).toContain(`rejected  ${shown}\n`);
  expect(story.stdout.match(/^Status .*$/gm)).toEqual(["Status        completed"]);
  const versions = await command(["audit", "shipment", forged, "--org", "acme"], environment);
  expect(versions.stdout).toContain(`Shipment ${shown}: 1 version\n`);
  expect(versions.stdout).toContain(`  reference = ${shown}\n`);
  const none = await command(["audit", "shipment", forged, "--org", "other"], environment);
  expect(none.stderr).toBe(`No completed import of other has written a shipment ${shown}\n`);
  for (const { stdout } of [story, versions]) expect(stdout).not.toContain("\u001b");
});

const mistaken: [string[], string][] = [
  [["audit", "verify", "--org", "misspelt"], "There is no organisation misspelt"],
  [["audit", "import", "nonsense"], "nonsense is not an import id"],
  [
    ["audit", "import", "01a1dd3b-948c-77d6-89c7-a44053ebeedc", "--as-of", "yesterday"],
    "yesterday is neither a revision nor a time with a zone such as 2026-03-01T09:30:00Z",
  ],
  [
    ["projections", "rebuild", "nope"],
    "There is no projection nope. There are: organisations, members, imports, reversals, rejections, activities, versions, shipments, quotes, log",
  ],
];
test.each(mistaken)("%j ends with one clear line", async (args, line) => {
  const { code, stdout, stderr } = await waybill(args, environment);
  expect([code, stdout, stderr.trim()]).toEqual([1, "", line]);
});

test("audit log prints what was done and compares it; a difference is exit code 1, an unknown organisation is said", async () => {
  const file = join(folder, "organisation.json");
  await writeFile(file, JSON.stringify(organisationFile("logged")));
  expect((await command(["org", "apply", file], environment)).code).toBe(0);
  await model.project();
  const told = await command(["audit", "log", "--org", "logged"], environment);
  expect(told.stdout).toContain("The command line applied version 1 of the catalogue: organisation created");
  expect([told.code, told.stdout.trim().split("\n").at(-1)]).toEqual([0, "1 entry. The log agrees with the streams."]);
  await model.pool.query("delete from log_entries where organisation_id = 'logged'");
  const differs = await command(["audit", "log", "--org", "logged", "--json"], environment);
  expect([differs.code, JSON.parse(differs.stdout)]).toMatchObject([1, { differences: 1, entries: [{ event: "CatalogueApplied" }] }]);
  const later = await command(["audit", "log", "--org", "logged", "--from", "2100-01-01T00:00:00Z"], environment);
  expect([later.code, later.stdout.trim()]).toEqual([0, "0 entries. The log agrees with the streams."]);
  expect((await command(["audit", "log", "--org", "nobody"], environment)).stderr).toContain("There is no organisation nobody");
});
