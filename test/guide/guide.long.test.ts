// Runs the commands of docs/guide.md on the whole product, from an empty data folder, and compares their output. `npm run guide` updates the guide.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMachine, freePort, type Machine } from "../support/processes.js";
import { withOutputs } from "./guideFile.js";
import { type GuideShell, startGuideShell } from "./guideShell.js";
import { createStandIns } from "./standIns.js";

const guide = "docs/guide.md";
let machine: Machine;
let folder: string;
let shell: GuideShell;

beforeAll(async () => {
  machine = await createMachine();
  folder = await mkdtemp(join(tmpdir(), "waybill-guide-"));
  await mkdir(join(folder, "clone"));
  // As for a reader, the folder is inside the clone, so that its programs find the client in the clone's node_modules.
  await symlink(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"));
  shell = startGuideShell(join(folder, "clone"), machine.environment);
});
afterAll(async () => {
  await shell?.stop();
  await machine?.clear();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

test("the guide's commands print what the guide shows", async () => {
  const standIns = createStandIns({ url: machine.url, receiver: String(await freePort()), dataDir: machine.dataDir });
  const text = await readFile(guide, "utf8");
  const made = await withOutputs(text, async (commands) =>
    standIns.outOf(commands === "npm ci && npm start\n" ? (await machine.start()).stdout() : await shell.run(standIns.into(commands))),
  );
  if (process.env["UPDATE_GUIDE"] === "1") await writeFile(guide, made);
  else expect(made).toBe(text);
});
