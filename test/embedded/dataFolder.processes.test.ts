import { cp, mkdir, mkdtemp, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { ensureSigningSecret, ensureUsableFolder, takeFolder } from "../../src/embedded/dataFolder.js";
import { readRuntime, writeRuntime } from "../../src/embedded/runtimeFile.js";
import { eventually } from "../support/eventually.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-test-folder-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([
  ["it has never had an owner", undefined],
  ["its owner is gone", JSON.stringify({ pid: 2 ** 22 - 1, identity: "4194303-1-x", kind: "start" })],
  ["its owner's pid belongs to another process now", JSON.stringify({ pid: process.pid, identity: `${process.pid}-0-x`, kind: "start" })],
  ["a power cut emptied the lock", ""],
])("of twelve attempts at once exactly one takes the folder when %s", async (_, left) => {
  if (left !== undefined) await writeFile(join(folder, "lock"), left);
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => takeFolder(folder, "DATA_DIR", "command")));
  const taken = outcomes.filter((outcome) => "release" in outcome);
  expect(taken).toHaveLength(1);
  expect(outcomes.filter((outcome) => "heldBy" in outcome && outcome.heldBy.pid === process.pid)).toHaveLength(11);
  await taken[0]?.release();
  expect(await readdir(folder)).toEqual([]);
});

test("a lock that cannot be read is an error that names it and what to set, without waiting", async () => {
  await mkdir(join(folder, "lock"));
  await expect(takeFolder(folder, "--data", "eventstore")).rejects.toThrow(
    /lock, which says who uses the folder, cannot be read: illegal operation.*\. Set --data to another folder\.$/,
  );
  expect(await readdir(folder)).toEqual(["lock"]);
});

test("an owner is told when its lock is removed, not when the folder is moved", async () => {
  const here = join(folder, "here");
  await mkdir(here);
  const lock = await takeFolder(here, "DATA_DIR", "start");
  if (!("release" in lock)) throw new Error("the folder is taken");
  const file = await open(join(here, "lock"));
  const looks = vi.spyOn(Object.getPrototypeOf(file), "stat"); // how the owner looks at its lock
  await file.close();
  onTestFinished(() => looks.mockRestore());
  let isLost = false;
  const watching = new AbortController();
  onTestFinished(() => watching.abort());
  const watched = lock.whenLost(watching.signal).then(() => {
    isLost = true;
  });
  const looked = (times: number) => eventually(() => isLost || looks.mock.calls.length >= times, "a look at the lock");
  await looked(1);
  await rename(here, join(folder, "there"));
  await looked(looks.mock.calls.length + 2); // it looks a second time only if it has found the lock the first time
  expect(isLost).toBe(false);
  await rm(join(folder, "there", "lock"));
  await watched;
});

test("the runtime file is readable by its owner only, and an empty one counts as missing", async () => {
  const runtime = { owner: "x", databaseUrl: "postgres://a:b@c/d", eventStoreUrl: "esdb://e", processes: [] };
  await writeRuntime(folder, runtime);
  expect(await readRuntime(folder)).toEqual(runtime);
  expect((await stat(join(folder, "runtime.json"))).mode & 0o777).toBe(0o600);
  await writeFile(join(folder, "runtime.json"), "");
  expect(await readRuntime(folder)).toBe(undefined);
});

test("the lock and the runtime file of a running service are ignored in a copy of its folder, and are valid after the folder is moved", async () => {
  const original = join(folder, "original");
  await mkdir(original);
  const runtime = { owner: "x", databaseUrl: "postgres://a:b@c/d", eventStoreUrl: "esdb://e", processes: [] };
  await writeRuntime(original, runtime);
  const lock = await takeFolder(original, "DATA_DIR", "start");
  expect(lock).toHaveProperty("release");
  await cp(original, join(folder, "copy"), { recursive: true });
  expect(await readRuntime(join(folder, "copy"))).toBe(undefined);
  expect(await takeFolder(join(folder, "copy"), "DATA_DIR", "command")).toHaveProperty("release");
  await rename(original, join(folder, "moved"));
  expect(await readRuntime(join(folder, "moved"))).toEqual(runtime);
  expect(await takeFolder(join(folder, "moved"), "DATA_DIR", "command")).toHaveProperty("heldBy");
});

test("an empty file of the signing secret is an error that names it", async () => {
  await writeFile(join(folder, "signing-secret"), "");
  await expect(ensureSigningSecret(folder)).rejects.toThrow(/signing-secret is empty/);
});

test("twelve first reads of the signing secret at once get the same one, and only the owner can read its file", async () => {
  const secrets = new Set(await Promise.all(Array.from({ length: 12 }, () => ensureSigningSecret(folder))));
  expect(secrets.size).toBe(1);
  const [secret] = secrets;
  expect(secret?.length).toBeGreaterThanOrEqual(32);
  expect(await ensureSigningSecret(folder)).toBe(secret);
  expect((await stat(join(folder, "signing-secret"))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["signing-secret"]);
});

test("a folder is created with its parents, also by twelve calls at once, and left empty", async () => {
  const path = join(folder, "a", "b", "c");
  await Promise.all(Array.from({ length: 12 }, () => ensureUsableFolder(path, "DATA_DIR")));
  expect(await readdir(path)).toEqual([]);
  expect((await stat(path)).mode & 0o777).toBe(0o711);
});

test.each([
  ["a file", "file", "not a directory"],
  ["below a file", "file/data", "not a directory"],
  ["where nothing can be made", "/proc/waybill/data", "no such file or directory"],
  ["where nothing can be written", "/proc", "no such file or directory"],
])("a data folder that is %s is refused with its path, the reason and what to do", async (_, place, reason) => {
  await writeFile(join(folder, "file"), "");
  const path = resolve(folder, place);
  await expect(ensureUsableFolder(path, "DATA_DIR")).rejects.toThrow(
    `The folder ${path} cannot be used: ${reason}. Set DATA_DIR to a folder that this user may write to.`,
  );
});
