import { EventEmitter } from "node:events";
import { setImmediate as nextIteration } from "node:timers/promises";
import type { EventStoreDBClient } from "@eventstore/db-client";
import { expect, test } from "vitest";
import { createBatchSender } from "../../../src/adapters/eventStore/appending/sendBatch.js";
import { wasNeverSent } from "../../../src/adapters/eventStore/failures.js";

interface FakeCall extends EventEmitter {
  readonly written: Buffer[];
  cancelled: boolean;
  ended: boolean;
}

/** A client whose server answers only when the test says so; calls open at once unless `opening` holds them back. */
function fakeClient(opening: Promise<void> = Promise.resolve()) {
  const calls: FakeCall[] = [];
  const makeBidiStreamRequest = (): FakeCall => {
    const call: FakeCall = Object.assign(new EventEmitter(), {
      written: [] as Buffer[],
      cancelled: false,
      ended: false,
      write: (bytes: Buffer) => call.written.push(bytes),
      end: () => {
        call.ended = true;
      },
      cancel: () => {
        call.cancelled = true;
      },
    });
    calls.push(call);
    return call;
  };
  const client = {
    disposableStreams: new Set(),
    getGRPCClient: () => opening.then(() => ({ makeBidiStreamRequest })),
    callArguments: () => [{}, {}],
    handleError: async () => undefined,
  };
  return { client: client as unknown as EventStoreDBClient, calls };
}

const request = (n: number, size = 10) => ({ correlationId: String(n), bytes: Buffer.alloc(size) });
const acknowledgement = (n: number) => ({ correlationId: String(n), acknowledged: { revision: BigInt(n), position: undefined } });
const outcome = (sending: Promise<unknown>) => sending.catch((error: Error) => error);

test("appends share one call, and each gets its own answer in whatever order the answers come", async () => {
  const { client, calls } = fakeClient();
  const send = createBatchSender(60_000);
  const sending = [0, 1, 2].map((n) => send(client, request(n), `quote-${n}`));
  await nextIteration();
  sending.push(send(client, request(3), "quote-3"));
  expect(calls).toHaveLength(1);
  expect(calls[0]?.written).toHaveLength(4);
  for (const n of [2, 3, 0, 1]) calls[0]?.emit("data", acknowledgement(n));
  expect(await Promise.all(sending)).toMatchObject([0n, 1n, 2n, 3n].map((revision) => ({ revision })));
});

test("a call that breaks fails the appends that had no answer; the next append opens another", async () => {
  const { client, calls } = fakeClient();
  const send = createBatchSender(60_000);
  const [first, second] = [outcome(send(client, request(0), "quote-0")), outcome(send(client, request(1), "quote-1"))];
  await nextIteration();
  calls[0]?.emit("data", acknowledgement(0));
  calls[0]?.emit("error", Object.assign(new Error("14 UNAVAILABLE: gone"), { code: 14, details: "gone" }));
  expect(await first).toMatchObject({ revision: 0n });
  expect(await second).toBeInstanceOf(Error);
  const third = send(client, request(2), "quote-2");
  await nextIteration();
  expect(calls).toHaveLength(2);
  expect(calls[1]?.written).toHaveLength(1);
  calls[1]?.emit("data", acknowledgement(2));
  expect(await third).toMatchObject({ revision: 2n });
});

test("without an answer in time the call is cancelled and all its appends fail, so that none is sent later", async () => {
  const { client, calls } = fakeClient();
  const send = createBatchSender(20);
  const sending = [0, 1].map((n) => outcome(send(client, request(n), `quote-${n}`)));
  expect(await Promise.all(sending)).toMatchObject([{ name: "StoreUnavailable" }, { name: "StoreUnavailable" }]);
  expect(calls.map(({ cancelled }) => cancelled)).toEqual([true]);
});

test("an append that waited too long for a connection is given up, and not sent afterwards", async () => {
  let connect: () => void = () => undefined;
  const { client, calls } = fakeClient(
    new Promise((resolve) => {
      connect = resolve;
    }),
  );
  const send = createBatchSender(20);
  expect(wasNeverSent(await outcome(send(client, request(0), "quote-0")))).toBe(true);
  connect();
  await nextIteration();
  expect(calls.flatMap(({ written }) => written)).toEqual([]);
});

test("the number of appends sent and not answered is bounded; the rest are sent as answers come", async () => {
  const { client, calls } = fakeClient();
  const send = createBatchSender(60_000);
  const sending = Array.from({ length: 600 }, (_, n) => send(client, request(n), `quote-${n}`));
  await nextIteration();
  const sent = calls[0]?.written.length ?? 0;
  expect(sent).toBeGreaterThan(1);
  expect(sent).toBeLessThan(600);
  for (let n = 0; n < 600; n += 1) calls[0]?.emit("data", acknowledgement(n));
  await Promise.all(sending);
  expect(calls).toHaveLength(1);
});

test("a call that is not used any more is ended", async () => {
  const { client, calls } = fakeClient();
  const sending = createBatchSender(250)(client, request(0), "quote-0");
  await nextIteration();
  calls[0]?.emit("data", acknowledgement(0));
  await sending;
  await expect.poll(() => calls[0]?.ended).toBe(true);
  expect(calls[0]?.cancelled).toBe(false);
});
