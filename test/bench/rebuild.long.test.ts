// The short form of a benchmark: both sides that it compares must read the same events.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Measured {
  readonly rows: number;
}

test("a rebuild and the client's own subscription beside it read the same events", async () => {
  const { rebuildSection } = await import(new URL("../../bench/sections/rebuild.mjs", import.meta.url).href);
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-bench-"));
  try {
    const { waybill, bare } = (await rebuildSection({ folder, say: () => undefined, rows: 500 })) as Record<"waybill" | "bare", Measured>;
    expect(waybill.rows).toBeGreaterThan(500); // the demo's events as well
    expect(bare.rows).toBe(waybill.rows);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
