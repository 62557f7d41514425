import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Block } from "../../../src/embedded/eventstore/blocks.js";
import { createBlockTail } from "../../../src/embedded/eventstore/blockTail.js";

const blockAt = (position: number, length: number): Block => {
  const frames = Buffer.alloc(length);
  return { stream: "s", position, revision: 0, count: 1, createdAt: 0, frames, bytes: frames };
};

test("from any position the tail gives exactly the blocks that follow, or says that it has not all of them", () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 20 });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 60 }), fc.nat(200), (sizes, mostBytes, position) => {
      const tail = createBlockTail(mostBytes);
      const all: Block[] = [];
      let at = 1;
      for (const size of sizes) {
        all.push(blockAt(at, size));
        tail.add(all.at(-1) as Block);
        at += size;
      }
      const wanted = all.filter((block) => block.position + block.frames.length > position);
      const found = tail.from(position);
      if (found) expect([...found]).toEqual(wanted);
      else expect(wanted.reduce((sum, { bytes }) => sum + bytes.length, 0) > mostBytes || position < 1 || wanted.length === 0).toBe(true);
    }),
  );
});

test("a tail keeps no more than it may", () => {
  const tail = createBlockTail(100);
  for (let at = 1; at < 1_000; at += 10) tail.add(blockAt(at, 10));
  expect([...(tail.from(905) ?? [])]).toHaveLength(10);
  expect(tail.from(500)).toBeUndefined();
});

test("what a tail lets go of is free at once, not when it tidies up", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const megabytes = () => {
    collect();
    return process.memoryUsage().arrayBuffers / 1024 / 1024;
  };
  const tail = createBlockTail(1024 * 1024);
  const before = megabytes();
  for (let n = 0; n < 900; n += 1) tail.add(blockAt(1 + n * 65_536, 65_536));
  await expect.poll(() => megabytes() - before, { interval: 100 }).toBeLessThan(16);
  expect([...(tail.from(1 + 899 * 65_536) ?? [])]).toHaveLength(1);
});

test("a tail of many small blocks still begins where it says, while the oldest are let go of", () => {
  const tail = createBlockTail(20_000);
  for (let at = 1; at <= 100_000; at += 10) {
    tail.add(blockAt(at, 10));
    if (at <= 20_000) continue;
    const first = at - 19_990;
    if (at % 990 === 1) expect([...(tail.from(first) ?? [])].map(({ position }) => position)).toEqual(range(first, at));
    expect(tail.from(first - 1)).toBeUndefined();
  }
});

const range = (from: number, to: number): number[] => Array.from({ length: (to - from) / 10 + 1 }, (_, index) => from + index * 10);
