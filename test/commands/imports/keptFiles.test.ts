import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  dropKeptFile,
  type FileToKeep,
  findKeptFile,
  keepFile,
  keptFilePrefix,
  keptFilesPerOrganisation,
  releaseKeptFile,
} from "../../../src/commands/imports/keptFiles.js";
import { logIdOf } from "../../../src/commands/logIdentity.js";
import { sweepKeptFiles } from "../../../src/workers/imports/upkeep/sweeps.js";
import { openStage, type Stage } from "../../workers/imports/stage.js";

let stage: Stage;
let folder: string;
beforeAll(async () => {
  stage = await openStage();
  folder = await mkdtemp(join(tmpdir(), "waybill-test-kept-"));
  await writeFile(join(folder, "file"), "Site,Qty\nSYD1,2\n");
});
afterAll(async () => {
  await stage?.close();
  await rm(folder, { recursive: true, force: true });
});

const fileOf = (organisationId: string): FileToKeep => ({
  organisationId,
  kind: "activities",
  sourceDetails: "Tuesday",
  file: { path: join(folder, "file"), name: "tuesday.csv", format: "csv", size: 16, sha256: "ab" },
  columns: ["Site", "Qty"],
  evidence: { values: [["SYD1"], ["2"]], numbers: [[], []] },
  notes: ["The file is not UTF-8; it was read as Windows-1252."],
  checked: { take: "", undecided: true },
});
const keep = (organisationId: string) => keepFile(stage.deps(), fileOf(organisationId));
const found = (organisationId: string, fileId: string) => findKeptFile(organisationId, fileId, stage.pool);
const objects = async () => {
  const keys: string[] = [];
  for await (const { key } of stage.objectStore.list(keptFilePrefix(await logIdOf(stage.eventStore)))) keys.push(key);
  return keys;
};

test("a kept file is found with its header and values, by its own organisation alone", async () => {
  const fileId = await keep("one");
  const { file, ...rest } = fileOf("one");
  const { path: _, ...stored } = file;
  const kept = await found("one", fileId);
  expect(kept).toEqual({ ...rest, fileId, importId: null, file: { ...stored, key: expect.stringContaining(fileId) } });
  await stage.objectStore.fetch(kept?.file.key ?? "", join(folder, "copy"));
  expect(await readFile(join(folder, "copy"), "utf8")).toBe("Site,Qty\nSYD1,2\n");
  expect(await found("another", fileId)).toBeUndefined();
  expect(await found("one", "no id at all")).toBeUndefined();
});

test("only a file that became no import is dropped, by its own organisation", async () => {
  const keepChecked = () => keepFile(stage.deps(), { ...fileOf("checking"), checked: { take: "" } });
  const [checked, imported] = [await keepChecked(), await keepChecked()];
  const kept = await found("checking", imported);
  if (kept) await releaseKeptFile(stage.deps(), kept, "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50");
  await dropKeptFile("another", checked, stage.deps());
  expect((await found("checking", checked))?.checked).toEqual({ take: "" });
  for (const fileId of [checked, imported, "no id at all"]) await dropKeptFile("checking", fileId, stage.deps());
  expect(await Promise.all([checked, imported].map(async (id) => (await found("checking", id)) !== undefined))).toEqual([false, true]);
  expect((await objects()).filter((key) => key.endsWith(checked))).toEqual([]);
});

test("an organisation's oldest file makes room for the one after the twentieth; others keep theirs", async () => {
  const others = await keep("quiet");
  const ids: string[] = [];
  const countKept = async () => (await Promise.all(ids.map((id) => found("busy", id)))).filter((each) => each !== undefined).length;
  for (let count = 0; count < keptFilesPerOrganisation; count += 1) ids.push(await keep("busy"));
  expect(await countKept()).toBe(keptFilesPerOrganisation);
  ids.push(await keep("busy"));
  expect(await countKept()).toBe(keptFilesPerOrganisation);
  expect(await found("busy", ids[0] ?? "")).toBeUndefined();
  expect((await objects()).filter((key) => key.includes("/busy/"))).toHaveLength(keptFilesPerOrganisation);
  expect(await found("quiet", others)).toBeDefined();
});

test("imports that files have become take no room from those that wait", async () => {
  const first = await keep("mixed");
  for (let count = 0; count <= keptFilesPerOrganisation; count += 1) {
    const kept = await found("mixed", await keep("mixed"));
    if (kept) await releaseKeptFile(stage.deps(), kept, "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50");
  }
  expect(await found("mixed", first)).toBeDefined();
});

test("a file that is kept again under its id stays one", async () => {
  const fileId = "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f51";
  for (let time = 0; time < 2; time += 1) expect(await keepFile(stage.deps(), { ...fileOf("twice"), fileId })).toBe(fileId);
  expect((await objects()).filter((key) => key.includes("/twice/"))).toHaveLength(1);
});

test("files that are kept at once leave twenty, each with its object", async () => {
  const ids = await Promise.all(Array.from({ length: 2 * keptFilesPerOrganisation }, () => keep("crowded")));
  const kept = (await Promise.all(ids.map((id) => found("crowded", id)))).flatMap((each) => each?.file.key ?? []);
  expect(kept).toHaveLength(keptFilesPerOrganisation);
  expect((await objects()).filter((key) => key.includes("/crowded/")).sort()).toEqual(kept.sort());
});

test("a file that has become an import says so, and its object is gone", async () => {
  const kept = await found("done", await keep("done"));
  if (!kept) throw new Error("not kept");
  const importId = "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50";
  await releaseKeptFile(stage.deps(), kept, importId);
  expect(await found("done", kept.fileId)).toMatchObject({ importId });
  expect(await stage.objectStore.exists(kept.file.key)).toBe(false);
});

test("after a day a file is not found, and a worker removes it", async () => {
  const [old, fresh] = [await keep("days"), await keep("days")];
  const age = (fileId: string, hours: number) =>
    stage.pool.query("update kept_files set kept_at = now() - make_interval(hours => $2) where file_id = $1", [fileId, hours]);
  await age(old, 25);
  await age(fresh, 23);
  expect([await found("days", old), (await found("days", fresh))?.fileId]).toEqual([undefined, fresh]);
  expect(await sweepKeptFiles(stage.deps())).toBe(0); // by the objects' own times none is a day old
  expect((await stage.pool.query("select from kept_files where file_id = $1", [old])).rowCount).toBe(0);
  const { deps } = stage;
  const aged = {
    ...stage.objectStore,
    list: async function* (prefix: string) {
      for await (const object of stage.objectStore.list(prefix))
        yield object.key.includes(old) ? { ...object, modifiedAt: new Date(object.modifiedAt.getTime() - 25 * 3_600_000) } : object;
    },
  };
  expect(await sweepKeptFiles(deps({ objectStore: aged }))).toBe(1);
  const left = await objects();
  expect([left.some((key) => key.includes(old)), left.some((key) => key.includes(fresh))]).toEqual([false, true]);
});
