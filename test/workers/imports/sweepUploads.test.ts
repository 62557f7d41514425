import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sweepUnfinishedUploads } from "../../../src/workers/imports/upkeep/sweeps.js";
import { openStage, type Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage?.close();
});

test("files that did not arrive whole in the embedded object store are removed after a day", async () => {
  const incoming = join(stage.objectsFolder, "incoming");
  await mkdir(incoming, { recursive: true });
  for (const name of ["old", "new"]) await writeFile(join(incoming, name), "x");
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await utimes(join(incoming, "old"), yesterday, yesterday);
  expect(await sweepUnfinishedUploads(stage.deps())).toBe(1);
  expect(await readdir(incoming)).toEqual(["new"]);
});
