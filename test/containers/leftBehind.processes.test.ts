import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "./dockerfile.js";
import { startFakeEngine } from "./fakeEngine.js";

/** Starts a program of this folder on an engine that has no real containers. */
async function startOn(behaviour: Parameters<typeof startFakeEngine>[0], program: string, run = 0) {
  const engine = await startFakeEngine(behaviour);
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-containers-")); // the library leaves a lock file in the temp folder
  const env = { ...process.env, ...engine.environment, TMPDIR: folder, TEST_CONTAINERS_RUN: String(run) };
  const child = spawn(process.execPath, [join(root, "test/containers", program), ...(run ? ["1"] : [])], { env, stdio: "ignore" });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { engine, child, exited };
}

/** What a process that starts an event store joins. */
async function openRun() {
  const server = createServer((socket) => socket.resume());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket));
  const end = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(end);
  return { port: (server.address() as AddressInfo).port, end };
}

test("a run whose second container cannot be made fails, and leaves none behind", async () => {
  const { engine, exited } = await startOn({ refused: "minio" }, "run.mjs");
  expect(await exited).toEqual([1, null]);
  expect(engine.images()).toEqual([]);
});

test("a run that is stopped while its first container starts leaves none behind", async () => {
  const { engine, child, exited } = await startOn({ isSilent: true }, "run.mjs");
  await expect.poll(engine.images).toEqual([expect.stringMatching(/^postgres:/)]);
  child.kill("SIGTERM");
  expect(await exited).toEqual([1, null]);
  expect(engine.images()).toEqual([]);
});

test.each(["it is stopped", "its run is killed"])("an event store leaves no container behind when %s while it starts", async (ending) => {
  const run = await openRun();
  const { engine, child, exited } = await startOn({}, "eventStore.mjs", run.port);
  await expect.poll(engine.images).toEqual([expect.stringMatching(/^eventstore\//)]);
  if (ending === "it is stopped") child.kill("SIGTERM");
  else run.end();
  expect(await exited).toEqual([0, null]);
  expect(engine.images()).toEqual([]);
});

test("an event store of a run that has ended starts no container, since nobody would remove it", async () => {
  const run = await openRun();
  run.end();
  const { engine, exited } = await startOn({}, "eventStore.mjs", run.port);
  expect(await exited).toEqual([1, null]);
  expect(engine.made()).toBe(0);
});
