import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startEventStoreNode } from "../../../src/embedded/eventstore/node.js";

const entry = fileURLToPath(new URL("../../support/stores/eventStoreProcess.mjs", import.meta.url));
let folder: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waybill-folder-"));
  children = [];
});

afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

function run(): { child: ChildProcess; said: () => string } {
  const child = spawn(process.execPath, [entry, "0", folder], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    text += chunk;
  });
  children.push(child);
  return { child, said: () => text };
}

const started = (child: ChildProcess): Promise<unknown> => once(child, "message");

test("a second process on the same folder is refused with one clear line", async () => {
  const first = run();
  await started(first.child);
  const second = run();
  const [code] = await once(second.child, "close");
  expect(code).toBe(1);
  expect(second.said().trim().split("\n")).toEqual([expect.stringContaining(`is in use by process ${first.child.pid}`)]);
});

test("of four processes that start at once, exactly one gets the folder", async () => {
  const all = Array.from({ length: 4 }, run);
  const outcomes = await Promise.all(
    all.map(({ child }) => Promise.race([started(child).then(() => "runs"), once(child, "close").then(() => "refused")])),
  );
  expect(outcomes.toSorted()).toEqual(["refused", "refused", "refused", "runs"]);
});

test("after kill -9 the folder is free at once", async () => {
  const first = run();
  await started(first.child);
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  const second = run();
  await started(second.child);
  expect(second.child.exitCode).toBeNull();
});

test("a lock on the folder whose pid now belongs to another process does not prevent a start", async () => {
  writeFileSync(join(folder, "lock"), JSON.stringify({ pid: process.pid, identity: "somebody else", kind: "eventstore", lockId: "1" }));
  const node = await startEventStoreNode({ port: 0, dataDir: folder });
  await node.stop();
});

test("a second node in the same process is refused the folder until the first has stopped", async () => {
  const first = await startEventStoreNode({ port: 0, dataDir: folder });
  try {
    await expect(startEventStoreNode({ port: 0, dataDir: folder })).rejects.toThrow("in use");
  } finally {
    await first.stop();
  }
  const second = await startEventStoreNode({ port: 0, dataDir: folder });
  await second.stop();
});

test("a node ends with the process that forked it", async () => {
  const { child } = run();
  await started(child);
  child.disconnect();
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
});
