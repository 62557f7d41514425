import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { everythingOn, until } from "../processes.js";

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const file = "test/support/stores/eventStore.processes.test.ts";

test.runIf(process.platform === "linux")("a run of tests that ends by a signal leaves neither its folders nor its Postgres", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waybill-stopped-"));
  const { TEST_FOLDER: _folder, TEST_STORES_FOLDER: _stores, ...environment } = process.env;
  const env = { ...environment, TMPDIR: folder, TEST_STORES_PARENT: folder };
  const child = spawn(process.execPath, [vitest, "run", file], { env, stdio: "ignore" });
  const exited = once(child, "exit");
  try {
    await until("its Postgres runs", async () =>
      [...(await everythingOn(folder)).values()].some((command) => command.includes("postgres -D")),
    );
    child.kill("SIGTERM");
    await exited;
    expect((await readdir(folder)).filter((name) => name.startsWith("waybill-"))).toEqual([]);
    await until("its processes have ended", async () => (await everythingOn(folder)).size === 0);
  } finally {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
});
