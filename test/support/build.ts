// What the tests share: the build, and the stores they run on.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

declare global {
  /** The configuration's plugin waits for it (`projects/compiledSources.ts`). That module is loaded elsewhere, so they share a global. */
  var testBuild: Promise<unknown> | undefined;
}

/** Processes that tests start run compiled code; this compiles it once for all of them, beside the tests of the project `unit`. */
export function setup(): void {
  globalThis.testBuild ??= promisify(execFile)(process.execPath, [fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url))]);
  globalThis.testBuild.catch(() => undefined); // each test file fails with it
}
