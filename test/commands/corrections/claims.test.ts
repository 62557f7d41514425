// A claim and a reversal of the same row stand on two streams: the one that comes first in the log counts, whatever the claim has seen.
import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectEventStore } from "../../../src/adapters/eventStore/connect.js";
import { claimRows } from "../../../src/commands/corrections/correctionsStream.js";
import { streamPrefix } from "../../../src/events/streams.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { activity, append, tell } from "../../support/importStory.js";
import { reverse } from "../../support/reversalStory.js";
import type { TestEventStore } from "../../support/stores/eventStore.js";
import { startHostedEventStore } from "../../support/stores/hostedEventStore.js";

let node: TestEventStore;
let eventStore: EventStore;
beforeAll(async () => {
  node = await startHostedEventStore();
  eventStore = connectEventStore({ address: node.address, logger: pino({ level: "silent" }) });
});
afterAll(async () => {
  await eventStore?.close();
  await node?.stop();
});

const by = { kind: "worker", id: "w1" } as const;
const context = { organisation: "acme", by, correlationId: "test" };

async function pushed(): Promise<string> {
  const told = tell({ kind: "activities", source: "data", rows: [{ accept: activity() }, { reject: "no" }, { accept: activity() }] });
  await append(eventStore, told);
  return told.importId;
}

const claimOf = (importId: string, rows: number[], correction: string = randomUUID()) => ({
  ...{ importId, correction, rows, by, now: new Date() },
  superseded: async () => new Map<number, string>(),
});

/** An event store in which something happens just before a claim is appended. */
const overtakenBy = (happens: () => Promise<void>): EventStore => ({
  ...eventStore,
  append: async (stream, ...rest) => {
    if (stream.startsWith(streamPrefix.corrections)) await happens();
    return eventStore.append(stream, ...rest);
  },
});

test("a claim is refused the rows that are reversed just before it, also when it is repeated after an interruption", async () => {
  const importId = await pushed();
  const claim = claimOf(importId, [2, 3, 1]);
  const refused = [{ row: 3, correctionRow: 2, why: "reversed" }];
  const reversal = () => reverse(eventStore, { importId, rows: [[3, 3]], count: 1 });
  expect(await claimRows(overtakenBy(reversal), claim, context)).toEqual(refused);
  expect(await claimRows(eventStore, claim, context)).toEqual(refused);
  // What is reversed after the claim was claimed before.
  await reverse(eventStore, { importId, rows: "all", count: 1 });
  expect(await claimRows(eventStore, claim, context)).toEqual(refused);
  expect(await claimRows(eventStore, claimOf(importId, [1, 3]), context)).toEqual([
    { row: 1, correctionRow: 1, why: "claimed", importId: claim.correction },
    { row: 3, correctionRow: 2, why: "reversed" },
  ]);
});

test("a claim is refused every row of an import that is reversed as a whole just before it", async () => {
  const importId = await pushed();
  const reversal = () => reverse(eventStore, { importId, rows: "all", count: 2 });
  expect(await claimRows(overtakenBy(reversal), claimOf(importId, [2, 1]), context)).toEqual([
    { row: 2, correctionRow: 1, why: "withdrawn" },
    { row: 1, correctionRow: 2, why: "withdrawn" },
  ]);
});
