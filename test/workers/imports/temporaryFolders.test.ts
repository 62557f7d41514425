import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newWorkerId } from "../../../src/main/roles/worker.js";
import { createOwnFolder } from "../../../src/workers/imports/upkeep/temporaryFolders.js";

const goneProcess = "999999999";
const module = fileURLToPath(new URL("../../../dist/workers/imports/upkeep/temporaryFolders.js", import.meta.url));
const isolated = spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;
let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "waybill-test-folders-"));
});
afterEach(() => rm(parent, { recursive: true }));

async function folder(name: string, ageHours = 0): Promise<string> {
  const path = join(parent, name);
  await mkdir(path);
  const then = new Date(Date.now() - ageHours * 3_600_000);
  await utimes(path, then, then);
  return path;
}

test("folders of worker processes that are gone are removed; those of running workers and of other programs are not", async () => {
  const first = await createOwnFolder(parent, "worker");
  const gone = basename(first).replace(`-${process.pid}-`, `-${goneProcess}-`);
  const removed = await folder(gone);
  await writeFile(join(removed, "rows.csv"), "a,b\n");
  const kept = [first, await folder("somebody-elses", 100), await folder(gone.replace("worker-", "workers-"), 100)];
  const second = await createOwnFolder(parent, "worker");
  expect((await readdir(parent)).map((name) => join(parent, name)).toSorted()).toEqual([...kept, second].toSorted());
});

test("a folder of another container is removed only when it has not been touched for a day, whatever its pid", async () => {
  const young = await folder(`worker-0123456789ab-${goneProcess}-abcdef`, 23);
  const old = await folder(`worker-0123456789ab-${process.pid}-abcdef`, 25);
  const ofEarlierVersion = await folder(`worker-${goneProcess}-abcdef`, 25);
  await createOwnFolder(parent, "worker");
  expect([young, old, ofEarlierVersion].map(existsSync)).toEqual([true, false, false]);
});

test.skipIf(!isolated)("a process in another pid namespace leaves the folders of this one alone", async () => {
  const own = await createOwnFolder(parent, "worker");
  const script = `import(${JSON.stringify(module)}).then(async ({ createOwnFolder }) => console.log(await createOwnFolder(${JSON.stringify(parent)}, "worker")))`;
  const other = spawnSync("unshare", ["--pid", "--fork", process.execPath, "-e", script], { encoding: "utf8" });
  expect(other.stderr).toBe("");
  await createOwnFolder(parent, "worker"); // the other process has ended, but its pid says nothing in this namespace
  expect([own, other.stdout.trim()].map(existsSync)).toEqual([true, true]);
});

test("two workers with the same host name and pid have different ids", () => {
  expect(newWorkerId()).not.toBe(newWorkerId());
});

test("a parent that is removed while folders are made is made again", async () => {
  const inside = join(parent, "tmp", "role");
  let isOver = false;
  const removing = async () => {
    while (!isOver) await rm(join(parent, "tmp"), { recursive: true, force: true }).catch(() => undefined); // a new folder is in it
  };
  const removed = removing();
  try {
    for (let made = 0; made < 30; made += 1) await createOwnFolder(inside, "worker");
  } finally {
    isOver = true;
    await removed;
  }
});
