import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EventStore, noStream, type StoredEvent } from "../../../src/ports/eventStore.js";
import { type LeaderAndFollower, startLeaderAndFollower } from "../../support/stores/leaderAndFollower.js";
import { connect, type Follower, follower, ids, newStream, someEvents } from "./support.js";

// Only two embedded nodes give the same events the same positions.
const { TEST_EVENTSTORE_URL: url, TEST_EVENTSTORE_COMMAND: command } = process.env;

describe.skipIf(url || command)("beside a leader whose events a follower has not got yet", () => {
  let cluster: LeaderAndFollower;
  let store: EventStore;
  let copy: EventStore;
  const stream = newStream();
  const events = someEvents(12);
  const followers: Follower[] = [];
  const follow = (...args: Parameters<typeof follower>) => {
    const made = follower(...args);
    followers.push(made);
    return made;
  };
  let before: StoredEvent | undefined;

  beforeAll(async () => {
    cluster = await startLeaderAndFollower();
    store = connect(cluster.address, { stallMs: 200 });
    copy = connect(cluster.follower.address);
    await store.append(stream, events.slice(0, 4), noStream);
    await copy.append(stream, events.slice(0, 4), noStream);
    before = await store.last(stream);
    await store.append(stream, events.slice(4), 3n);
  });
  afterAll(async () => {
    await Promise.all(followers.map((one) => one.stop()));
    await Promise.all([store?.close(), copy?.close()]);
    await cluster?.stop();
  });

  test("a replay reads from the leader, to the leader's end", async () => {
    const replayed: StoredEvent[] = [];
    const reached = await store.replay({ prefixes: ["import-"] }, async (batch) => void replayed.push(...batch.events));
    expect(ids(replayed)).toEqual(ids(events));
    expect(reached).toEqual(await store.head());
    expect(cluster.followerReads()).toBe(0);
  });

  test("a subscription's position stays at what the follower node has sent, and events that reach that node later are handed over", async () => {
    const [fresh, resumed] = [undefined, before?.position].map((from) => follow(store, { prefixes: ["import-"], from })) as [
      Follower,
      Follower,
    ];
    await expect.poll(() => [fresh, resumed].every(({ batches }) => batches.at(-1)?.caughtUp)).toBe(true);
    expect(cluster.followerReads()).toBeGreaterThan(0);
    expect([fresh, resumed].map((one) => one.position())).toEqual([before?.position, before?.position]);
    const reads = cluster.followerReads();
    // The subscription is opened again and again while the follower node sends nothing.
    await expect.poll(() => cluster.followerReads()).toBeGreaterThan(reads + 1);
    await copy.append(stream, events.slice(4), 3n);
    await expect.poll(() => [fresh.events.length, resumed.events.length]).toEqual([12, 8]);
    expect(ids(fresh.events)).toEqual(ids(events));
    expect(fresh.position()).toEqual(await store.head());
  });
});
