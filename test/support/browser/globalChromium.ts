// Runs once per vitest run: the browser of the npm package is unpacked, on a fresh clone, before several test files would each do it.
import { findChromium } from "./chromium.js";

/** Where that fails, the files that want the browser say so. */
export async function setup(): Promise<void> {
  await findChromium().catch(() => undefined);
}
