// Runs once per vitest run: the folder in which test files make their temporary folders, so that nothing stays behind, however a test file ends.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env["TEST_FOLDER"]) return; // another project of this run has made it
  const folder = await mkdtemp(join(tmpdir(), "waybill-tests-"));
  process.env["TEST_FOLDER"] = process.env["TMPDIR"] = folder; // the workers get this environment
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
