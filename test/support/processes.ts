import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const distFolder = fileURLToPath(new URL("../../dist", import.meta.url));

/** Compiles what changed, so that tests can start the product's own processes. */
export async function ensureBuilt(): Promise<void> {
  await promisify(execFile)(process.execPath, ["scripts/build.mjs"], { cwd: root });
}

/** Runs a module script in a process of its own; answers its stdout, throws with its stderr when it fails. */
export async function runScript(script: string, args: readonly string[] = []): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, ...args], { cwd: root });
  return stdout;
}
