import { expect, test } from "vitest";
import { encodeBlocks, newEvent } from "../../../../src/embedded/eventstore/log/blockEncoder.js";
import type { Block } from "../../../../src/embedded/eventstore/log/blocks.js";
import { createCommitLog } from "../../../../src/embedded/eventstore/log/commitLog.js";
import type { Storage } from "../../../../src/embedded/eventstore/log/storage.js";

/** A storage whose writes end when the test says so. */
function slowDisk() {
  const groups: { streams: string[]; done: () => void; failed: (error: Error) => void }[] = [];
  const write = (blocks: readonly Block[]): Promise<void> =>
    new Promise((done, failed) => groups.push({ streams: blocks.map(({ stream }) => stream), done, failed }));
  return { groups, storage: { endPosition: () => 1, write } as unknown as Storage };
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function appender(log: ReturnType<typeof createCommitLog>) {
  const acknowledged: string[] = [];
  const append = (stream: string): Promise<void> => {
    const event = newEvent({ id: "9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9c01", type: "t", data: Buffer.from("x") });
    return log
      .append(encodeBlocks({ stream, revision: 0, position: log.nextPosition(), createdAt: 1, events: [event] }))
      .then(() => void acknowledged.push(stream));
  };
  return { append, acknowledged };
}

test("appends that arrive during a transaction share the next one, and each is acknowledged and published only after its own", async () => {
  const { groups, storage } = slowDisk();
  const log = createCommitLog(storage, () => undefined);
  const { append, acknowledged } = appender(log);
  const published: string[] = [];
  log.subscribe(({ stream }) => published.push(stream));
  void append("a");
  void append("b");
  await turn();
  for (const stream of ["c", "d", "e"]) void append(stream);
  const settled = log.waitForAppends().then(() => void acknowledged.push("settled"));
  await turn();
  expect(groups.map(({ streams }) => streams)).toEqual([["a", "b"]]);
  expect([acknowledged, published]).toEqual([[], []]);
  groups[0]?.done();
  await turn();
  expect([acknowledged, published]).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  expect(groups.map(({ streams }) => streams)).toEqual([
    ["a", "b"],
    ["c", "d", "e"],
  ]);
  groups[1]?.done();
  await settled;
  expect(acknowledged).toEqual(["a", "b", "c", "d", "e", "settled"]);
  expect(log.committedEnd()).toBe(log.nextPosition());
});

test("after a failed write the log acknowledges no append, neither waiting ones nor later ones", async () => {
  const { groups, storage } = slowDisk();
  const failures: unknown[] = [];
  const log = createCommitLog(storage, (error) => failures.push(error));
  const { append, acknowledged } = appender(log);
  const first = append("a");
  await turn();
  const second = append("b");
  groups[0]?.failed(new Error("disk full"));
  await expect(first).rejects.toThrow("disk full");
  await expect(second).rejects.toThrow("disk full");
  await expect(append("c")).rejects.toThrow("disk full");
  await expect(log.waitForAppends()).rejects.toThrow("disk full");
  expect([failures.length, acknowledged]).toEqual([1, []]);
});
