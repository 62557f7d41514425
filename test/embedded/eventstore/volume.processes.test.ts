import { BACKWARDS, END, type EventStoreDBClient, FORWARDS, NO_STREAM } from "@eventstore/db-client";
import { expect, test } from "vitest";
import { collect, isLong, numbered, numberOf, useEventStore } from "./events.js";

const STREAMS = isLong ? 100_000 : 500;
const EVENTS = isLong ? 1_000_000 : 8_000;

let client: EventStoreDBClient;
useEventStore((started) => {
  ({ client } = started);
});

test(`${STREAMS} streams are each found by name`, async () => {
  for (let from = 0; from < STREAMS; from += 200) {
    const names = Array.from({ length: Math.min(200, STREAMS - from) }, (_, index) => from + index);
    await Promise.all(names.map((n) => client.appendToStream(`many-${n}`, numbered(n, 1), { expectedRevision: NO_STREAM })));
  }
  for (let n = 0; n < STREAMS; n += Math.floor(STREAMS / 97)) {
    expect((await collect(client.readStream(`many-${n}`))).map(numberOf)).toEqual([n]);
  }
  await expect(client.appendToStream("many-0", numbered(1, 1), { expectedRevision: NO_STREAM })).rejects.toMatchObject({
    actualVersion: 0n,
  });
}, 1_200_000);

test(`one stream of ${EVENTS} events is read whole from both ends`, async () => {
  for (let n = 0; n < EVENTS; n += 1_000) {
    await client.appendToStream("long", numbered(n, 1_000), { expectedRevision: n === 0 ? NO_STREAM : BigInt(n - 1) });
  }
  let next = 0;
  for await (const { event } of client.readStream("long", { direction: FORWARDS }))
    if (event && Number(event.revision) === next && numberOf(event) === next) next += 1;
  expect(next).toBe(EVENTS);
  for await (const { event } of client.readStream("long", { direction: BACKWARDS, fromRevision: END })) {
    next -= 1;
    if (event && numberOf(event) !== next) throw new Error(`${numberOf(event)} where ${next} was due`);
  }
  expect(next).toBe(0);
  const middle = await collect(client.readStream("long", { fromRevision: BigInt(EVENTS / 2 + 7), maxCount: 3 }));
  expect(middle.map(numberOf)).toEqual([EVENTS / 2 + 7, EVENTS / 2 + 8, EVENTS / 2 + 9]);
}, 1_200_000);
