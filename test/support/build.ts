// What the tests share: the build, and the stores they run on.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Processes that tests start run compiled code; this compiles it once for all of them. */
export function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url))], { stdio: "inherit" });
}
