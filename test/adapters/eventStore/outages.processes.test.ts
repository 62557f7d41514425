import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { StoreUnavailable } from "../../../src/portErrors.js";
import { type EventStore, noStream } from "../../../src/ports/eventStore.js";
import { eventually } from "../../support/eventually.js";
import { startTestEventStore, type TestEventStore } from "../../support/stores/eventStore.js";
import { startTcpProxy, type TcpProxy } from "../../support/stores/tcpProxy.js";
import { all, connect, ids, impatient, insist, newStream, someEvents } from "./support.js";

let node: TestEventStore;
let proxy: TcpProxy;
let direct: EventStore;
const stores: EventStore[] = [];

/** A store for one test, closed when the test ends. */
const open = (...args: Parameters<typeof connect>): EventStore => {
  const store = connect(...args);
  stores.push(store);
  return store;
};

beforeAll(async () => {
  node = await startTestEventStore();
  direct = connect(node.address);
});
beforeEach(async () => {
  proxy = await startTcpProxy(node.address);
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await proxy.stop();
});
afterAll(async () => {
  await direct?.close();
  await node?.stop();
});

const failure = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe.each([
  ["a few events", 2],
  ["a chunk of events", 100],
])("%s", (_, count) => {
  test.each(["deaf", "blackHole"] as const)(
    "an append into a network that is %s ends with an unknown outcome and can be sent again",
    async (kind) => {
      const store = open(proxy.address, impatient);
      const [stream, events] = [newStream(), someEvents(count)];
      await insist(() => store.ping());
      proxy.set({ kind });
      expect(await failure(store.append(stream, events, noStream))).toMatchObject({ name: "StoreUnavailable", outcomeUnknown: true });
      proxy.set({ kind: "pass" });
      expect(await insist(() => store.append(stream, events, noStream))).toMatchObject({ revision: BigInt(count - 1) });
      expect(ids(await all(direct.read(stream)))).toEqual(ids(events));
    },
  );

  test("an append whose answer was lost succeeds when its events are in the stream", async () => {
    const store = open(proxy.address);
    const [stream, events] = [newStream(), someEvents(count)];
    await insist(() => store.ping());
    proxy.set({ kind: "dropReplies", chance: () => proxy.dropped() === 0 });
    const appended = await store.append(stream, events, noStream);
    const read = await all(direct.read(stream));
    expect(proxy.dropped()).toBe(1);
    expect(appended).toEqual({ revision: BigInt(count - 1), position: read.at(-1)?.position });
    expect(ids(read)).toEqual(ids(events));
  });

  test("an append without an answer is a wrong version when another writer has appended meanwhile", async () => {
    const store = open(proxy.address, { ...impatient, attempts: 200, patienceMs: 120_000 });
    const [stream, events] = [newStream(), someEvents(count)];
    await insist(() => store.ping());
    proxy.set({ kind: "blackHole" });
    const pending = failure(store.append(stream, events, noStream));
    await direct.append(stream, someEvents(1), noStream);
    proxy.set({ kind: "pass" });
    expect(await pending).toMatchObject({ name: "WrongVersion", actual: 0n });
  });

  test("an append to an address where no server listens fails with a known outcome: it has not landed", async () => {
    const store = open("esdb://127.0.0.1:1?tls=false", impatient);
    expect(await failure(store.append(newStream(), someEvents(count), noStream))).toMatchObject({
      name: "StoreUnavailable",
      outcomeUnknown: false,
    });
  });

  test("one client's lost connection does not disturb the appends of another client", async () => {
    const doomed = open(proxy.address, impatient);
    await insist(() => doomed.ping());
    const streams = Array.from({ length: 20 }, () => newStream());
    const rounds = Array.from({ length: 10 }, async (_unused, round) => {
      const stream = streams[round] as string;
      proxy.set({ kind: "deaf" });
      const hanging = failure(doomed.append(newStream(), someEvents(count), noStream));
      const landing = direct.append(stream, someEvents(count), noStream);
      proxy.cut();
      expect(await landing).toMatchObject({ revision: BigInt(count - 1) });
      expect(await hanging).toBeInstanceOf(StoreUnavailable);
    });
    await Promise.all(rounds);
  });
});

test("a read from a silent server fails, and the next read opens a new connection", async () => {
  const store = open(proxy.address, impatient);
  const stream = newStream();
  await direct.append(stream, someEvents(3), noStream);
  await insist(() => store.ping());
  proxy.set({ kind: "blackHole" });
  expect(await failure(all(store.read(stream)))).toBeInstanceOf(StoreUnavailable);
  expect(await failure(store.ping())).toBeInstanceOf(StoreUnavailable);
  expect(await failure(store.head())).toBeInstanceOf(StoreUnavailable);
  const before = proxy.connections();
  proxy.set({ kind: "pass" });
  expect(await insist(() => all(store.read(stream)))).toHaveLength(3);
  expect(proxy.connections()).toBeGreaterThan(before);
});

test("a read whose connection breaks goes on after the last event it handed over", async () => {
  const store = open(proxy.address);
  const stream = newStream();
  const events = someEvents(3000);
  for (let first = 0; first < 3000; first += 500) await direct.append(stream, events.slice(first, first + 500), BigInt(first - 1));
  const read: string[] = [];
  for await (const event of store.read(stream)) {
    read.push(event.id);
    if (read.length === 700) proxy.cut();
  }
  expect(read).toEqual(ids(events));
});

test("closing leaves no connection behind", async () => {
  const store = open(proxy.address);
  await store.append(newStream(), someEvents(1), noStream);
  await store.append(newStream(), someEvents(50), noStream);
  expect(proxy.openConnections()).toBeGreaterThan(0);
  await store.close();
  await expect.poll(() => proxy.openConnections()).toBe(0);
});

/** A server for one test, stopped when the test ends. */
async function ownServer(): Promise<{ own: TestEventStore; store: EventStore; patient: EventStore }> {
  const own = await startTestEventStore();
  const [store, patient] = [connect(own.address, impatient), connect(own.address)];
  onTestFinished(async () => {
    await Promise.all([store.close(), patient.close()]);
    await own.stop();
  });
  await insist(() => store.ping());
  return { own, store, patient };
}

/** Signals the whole process group if there is one, since a wrapper script may have started the server. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    process.kill(pid, name);
  }
}

describe.skipIf(process.env["TEST_EVENTSTORE_URL"])("the server itself", () => {
  test("frozen: calls end in time with a typed error; thawed, the same store object works", async (context) => {
    const { own, store, patient } = await ownServer();
    const [stream, events] = [newStream(), someEvents(3)];
    const pid = own.pid as number;
    signal(pid, "SIGSTOP");
    try {
      const pinged = await failure(store.ping());
      context.skip(pinged === undefined, "this server cannot be frozen from here");
      expect(pinged).toBeInstanceOf(StoreUnavailable);
      expect(await failure(store.append(stream, events, noStream))).toMatchObject({ name: "StoreUnavailable", outcomeUnknown: true });
      expect(await failure(store.last(stream))).toBeInstanceOf(StoreUnavailable);
      expect(await failure(store.replay({ prefixes: ["import-"] }, async () => undefined))).toBeInstanceOf(StoreUnavailable);
    } finally {
      signal(pid, "SIGCONT");
    }
    expect(await patient.append(stream, events, noStream)).toMatchObject({ revision: 2n });
    expect(ids(await insist(() => all(store.read(stream))))).toEqual(ids(events));
  });

  test("killed and started again: acknowledged events are there, and the same store object works", async (context) => {
    const { own, store, patient } = await ownServer();
    const [stream, events] = [newStream(), someEvents(4)];
    await patient.append(stream, events.slice(0, 2), noStream);
    await own.kill();
    const pinged = await failure(store.ping());
    context.skip(pinged === undefined, "this server cannot be killed from here");
    expect(pinged).toBeInstanceOf(StoreUnavailable);
    expect(await failure(store.append(stream, events.slice(2), 1n))).toBeInstanceOf(StoreUnavailable);
    await own.restart();
    await patient.append(stream, events.slice(2), 1n);
    await eventually(async () => (await store.last(stream).catch(() => undefined)) !== undefined, "the store object to work again");
    expect(ids(await insist(() => all(store.read(stream))))).toEqual(ids(events));
  });
});
