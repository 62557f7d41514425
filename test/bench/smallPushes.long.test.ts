// The short form of a benchmark: one round with two organisations, of the product and of the bare pipeline.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

interface Measured {
  readonly rate: number;
  readonly p95: number;
  readonly cpu: Record<string, number>;
}
interface Section {
  smallPushesSection(options: object): Promise<{ rows: number; organisations: number; waybill: Measured; bare: Measured }[]>;
}

test("small pushes of the product and of the bare pipeline become visible, in turns", async () => {
  const { smallPushesSection } = (await import(new URL("../../bench/sections/smallPushes.mjs", import.meta.url).href)) as Section;
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-pushes-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const measured = await smallPushesSection({ folder, say: () => undefined, size: { rounds: 1, seconds: 1, many: 2 }, beside: ["bare"] });
  expect(measured.map(({ rows, organisations }) => [rows, organisations])).toEqual([
    [1, 1],
    [1, 2],
    [100, 1],
    [100, 2],
  ]);
  for (const { waybill, bare } of measured) {
    for (const { rate, p95, cpu } of [waybill, bare]) {
      expect(rate).toBeGreaterThan(0);
      expect(p95).toBeGreaterThan(0);
      expect(Object.keys(cpu)).toEqual(expect.arrayContaining(["api", "worker", "projector", "eventstore", "postgres"]));
    }
  }
});
