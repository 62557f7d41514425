import { beforeEach, describe, expect, test, vi } from "vitest";
import { splitFrames } from "../../../../src/adapters/eventStore/protocol/frames.js";
import type { SubscriptionFeed } from "../../../../src/embedded/eventstore/calls/subscriptionFeed.js";
import { subscribe } from "../../../../src/embedded/eventstore/calls/subscriptions.js";
import type { Block } from "../../../../src/embedded/eventstore/log/blocks.js";
import type { CommitLog } from "../../../../src/embedded/eventstore/log/commitLog.js";
import type { Storage } from "../../../../src/embedded/eventstore/log/storage.js";
import { type Call, frameOf } from "../../../../src/embedded/eventstore/protocol/grpc.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  return () => vi.useRealTimers();
});

/** A subscription that has caught up, the messages that it has sent since, and what it was ended with. */
async function goLive({ withCheckpoints = false } = {}) {
  const sent: number[] = [];
  const failures: unknown[] = [];
  const listeners = new Set<(block: Block) => void>();
  const call = {
    send: (frames: Buffer) => sent.push([...splitFrames(frames)].length),
    backlog: () => 0,
    drained: () => Promise.resolve(),
    isOver: () => failures.length > 0,
    onClose: () => undefined,
    fail: (error: unknown) => failures.push(error),
  } as unknown as Call;
  const log = {
    subscribe(listener: (block: Block) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as CommitLog;
  const one = frameOf([[1, "an event"]]);
  const ofEach = withCheckpoints ? Buffer.concat([one, frameOf([[3, "a checkpoint"]])]) : one;
  const feed: SubscriptionFeed = {
    nextPage: () => ({ frames: [], events: 0, done: true, next: 0 }),
    liveRuns: ({ count }) => [{ frames: Buffer.concat(Array<Buffer>(count).fill(ofEach)), events: count }],
  };
  await subscribe(call, { refresh: () => undefined } as unknown as Storage, log, feed);
  sent.length = 0;
  const commit = (count: number) => {
    for (const listener of [...listeners]) listener({ count } as Block);
  };
  vi.advanceTimersByTime(1_000);
  return { sent, failures, commit };
}

describe("a live subscription", () => {
  test("sends an event after a rest at once, and those that follow it within 20 ms together", async () => {
    const { sent, commit } = await goLive();
    commit(1);
    expect(sent).toEqual([1]);
    for (let n = 0; n < 5; n += 1) commit(1);
    vi.advanceTimersByTime(19);
    expect(sent).toEqual([1]);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1, 5]);
    vi.advanceTimersByTime(20);
    commit(1);
    expect(sent).toEqual([1, 5, 1]);
    vi.advanceTimersByTime(1_000);
    expect(sent).toEqual([1, 5, 1]);
  });

  test("waits no longer when half of what may wait has gathered", async () => {
    const { sent, commit } = await goLive();
    commit(1);
    for (let n = 0; n < 15; n += 1) commit(1);
    expect(sent).toEqual([1]);
    commit(1);
    expect(sent).toEqual([1, 16]);
  });

  test.each([
    [1, [1, 16]],
    [2, [1, 15]],
    [16, [1, 15, 16]],
    [32, [1, 15, 32]],
  ])("is not taken for slow because events gather: %i events at once after 15", async (count, messages) => {
    const { sent, failures, commit } = await goLive();
    commit(1);
    for (let n = 0; n < 15; n += 1) commit(1);
    commit(count);
    expect({ sent, failures }).toEqual({ sent: messages, failures: [] });
  });

  test("is not taken for slow because checkpoints gather with the events", async () => {
    const { failures, commit } = await goLive({ withCheckpoints: true });
    for (let n = 0; n < 5; n += 1) commit(1);
    commit(16);
    expect(failures).toEqual([]);
  });

  test("is ended when more is committed at once than may wait", async () => {
    const { failures, commit } = await goLive();
    commit(33);
    expect(failures).toHaveLength(1);
  });
});
