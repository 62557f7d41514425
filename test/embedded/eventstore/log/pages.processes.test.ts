import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newEvent, type ProposedEvent } from "../../../../src/embedded/eventstore/log/blockEncoder.js";
import type { Block } from "../../../../src/embedded/eventstore/log/blocks.js";
import { createCommitLog } from "../../../../src/embedded/eventstore/log/commitLog.js";
import { streamBackwards, streamForwards, streamViewOf, takePage } from "../../../../src/embedded/eventstore/log/reads.js";
import { openStorage, type Storage } from "../../../../src/embedded/eventstore/log/storage.js";
import { createWriter } from "../../../../src/embedded/eventstore/log/writer.js";

const EVENTS = 20_000;
let folder: string;
let storage: Storage;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waybill-pages-"));
  storage = openStorage(folder);
  const writer = createWriter(
    storage,
    createCommitLog(storage, () => undefined),
  );
  const event = (): ProposedEvent => newEvent({ id: randomUUID(), type: "t", data: Buffer.alloc(100, 1) });
  for (let n = 0; n < EVENTS; n += 500) await writer.append("long", n === 0 ? "no_stream" : n - 1, Array.from({ length: 500 }, event));
});

afterAll(async () => {
  await storage?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** How many blocks are read for `wanted` events from this revision. */
function blocksTouched(direction: "forwards" | "backwards", from: number, wanted: number): number {
  let touched = 0;
  function* counted(blocks: Iterable<Block>): Generator<Block> {
    for (const block of blocks) {
      touched += 1;
      yield block;
    }
  }
  const counting: Storage = {
    ...storage,
    streamBlocksFrom: (...where) => counted(storage.streamBlocksFrom(...where)),
    streamBlocksBack: (...where) => counted(storage.streamBlocksBack(...where)),
  };
  const view = streamViewOf(counting, "long");
  if (view.kind !== "visible") throw new Error("the stream is not there");
  touched = 0;
  let next = from;
  for (let left = wanted; left > 0; ) {
    const page = takePage((direction === "forwards" ? streamForwards : streamBackwards)(counting, "long", view, next), next, left);
    next = page.next;
    left -= page.events;
    if (page.done) break;
  }
  return touched;
}

test("reading 1,000 events costs about the same number of blocks from both ends and from the middle of a long stream", () => {
  const fromStart = blocksTouched("forwards", 0, 1_000);
  const others = [
    blocksTouched("backwards", EVENTS - 1, 1_000),
    blocksTouched("forwards", EVENTS / 2, 1_000),
    blocksTouched("backwards", EVENTS / 2, 1_000),
  ];
  expect(fromStart).toBeLessThan(20);
  for (const cost of others) expect(Math.abs(cost - fromStart)).toBeLessThanOrEqual(2);
});

test("one event costs one block", () => {
  for (const revision of [0, 1, EVENTS / 2 + 3, EVENTS - 1]) {
    expect([blocksTouched("forwards", revision, 1), blocksTouched("backwards", revision, 1)]).toEqual([1, 1]);
  }
});
