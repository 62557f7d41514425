// Runs once per vitest run: the folders in which stores and test files make their own. They are removed when the run's process ends, so that
// nothing stays behind, however a test file or the run ends.
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, where the system has one: an event store waits for the disk at every append. */
const memory = process.env["TEST_STORES_PARENT"] ?? "/dev/shm";
const roomForStores = 4 * 1024 ** 3;

export function setup(): void {
  if (process.env["TEST_FOLDER"]) return; // another project of this run has made them
  const folders = [tmpdir(), hasRoom() ? memory : tmpdir()].map((parent) => mkdtempSync(join(parent, "waybill-tests-"))) as [
    string,
    string,
  ];
  process.once("exit", () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  const [files, stores] = folders;
  for (const folder of folders) chmodSync(folder, 0o711); // Postgres has another account where this process is root
  // The workers get this environment.
  process.env["TEST_FOLDER"] = process.env["TMPDIR"] = files;
  process.env["TEST_STORES_FOLDER"] = stores;
}

function hasRoom(): boolean {
  if (!existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > roomForStores;
}
