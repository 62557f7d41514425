import { afterAll, beforeAll, expect, test } from "vitest";
import { type EventStore, noStream } from "../../../src/ports/eventStore.js";
import type { TestEventStore } from "../../support/stores/eventStore.js";
import { startHostedEventStore } from "../../support/stores/hostedEventStore.js";
import { startTcpProxy, type TcpProxy } from "../../support/stores/tcpProxy.js";
import { all, connect, ids, newStream, someEvents } from "./support.js";

const appends = process.env["WAYBILL_LONG"] ? 50_000 : 240;
const writers = 8;

let node: TestEventStore;
let proxy: TcpProxy;
let direct: EventStore;

beforeAll(async () => {
  node = await startHostedEventStore();
  proxy = await startTcpProxy(node.address);
  direct = connect(node.address);
});
afterAll(async () => {
  await direct?.close();
  await proxy?.stop();
  await node?.stop();
});

test(`${appends} appends through a network that loses 30 % of the answers: every event once, in order`, async () => {
  proxy.set({ kind: "dropReplies", chance: () => Math.random() < 0.3 });
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const store = connect(proxy.address, { attempts: 20 });
      const stream = newStream();
      const events = someEvents((appends / writers) * 3);
      try {
        for (let done = 0; done < events.length; done += 3) {
          const expected = done === 0 ? noStream : BigInt(done - 1);
          const appended = await store.append(stream, events.slice(done, done + 3), expected);
          if (appended.revision !== expected + 3n) throw new Error(`writer ${writer}: ${appended.revision} after ${expected}`);
        }
      } finally {
        await store.close();
      }
      expect(ids(await all(direct.read(stream)))).toEqual(ids(events));
    }),
  );
  expect(proxy.dropped()).toBeGreaterThan(appends / 20);
}, 1_800_000);
