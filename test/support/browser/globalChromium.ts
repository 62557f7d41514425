// Runs once per vitest run. On a fresh clone it unpacks the browser of the npm package, so that several test files do not each unpack it.
import { findChromium } from "./chromium.js";

/** A failure is ignored here: the test files that need the browser report it. */
export async function setup(): Promise<void> {
  await findChromium().catch(() => undefined);
}
