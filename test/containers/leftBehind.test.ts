import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "./dockerfile.js";
import { startFakeEngine } from "./fakeEngine.js";
import { imageOf } from "./images.mjs";

/** Starts a program of this folder on an engine that has no real containers. */
async function startOn(behaviour: Parameters<typeof startFakeEngine>[0], [program = "", ...args]: readonly string[]) {
  const engine = await startFakeEngine(behaviour);
  const env = { ...process.env, ...engine.environment };
  const child = spawn(process.execPath, [join(root, "test/containers", program), ...args], { env, stdio: "ignore" });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
    await engine.close();
  });
  return { engine, child, exited };
}

test("a run whose second container cannot be made fails, and leaves none behind", async () => {
  const { engine, exited } = await startOn({ refused: "minio" }, ["run.mjs"]);
  expect(await exited).toEqual([1, null]);
  expect(engine.images()).toEqual([]);
});

test.each([
  ["run.mjs", "postgres", "1"],
  ["eventStore.mjs", "eventstore", "0"],
])("%s, stopped while its first container starts, leaves none behind", async (program, service, code) => {
  const { engine, child, exited } = await startOn({ isSilent: true }, [program, "1"]);
  await expect.poll(engine.images).toEqual([imageOf(service)]);
  child.kill("SIGTERM");
  expect(await exited).toEqual([Number(code), null]);
  expect(engine.images()).toEqual([]);
});
