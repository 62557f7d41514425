import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findQuote, readQuote, recordQuotes } from "../../src/commands/quote.js";
import { createRecentQuotes } from "../../src/commands/recentQuotes.js";
import type { QuoteGenerated } from "../../src/events/quoteEvents.js";
import { streamOf } from "../../src/events/streams.js";
import type { EventStore } from "../../src/ports.js";
import { type CommandStores, startCommandStores } from "./support.js";

let stores: CommandStores;
beforeAll(async () => {
  stores = await startCommandStores();
});
afterAll(() => stores?.close());

const quote = (): QuoteGenerated => ({
  quoteId: randomUUID(),
  organisationId: "demo",
  customerId: "CUST-001",
  catalogueVersion: 3,
  response: { results: [{ total: 118.71 }] },
  basis: { kg: 180, steps: ["12.50 + 180 x 0.42 = 88.10"] },
  by: { kind: "key", id: "k-1" } as const,
  requestId: "req-1",
  at: "2026-03-01T01:02:03.000Z",
});

const record = (...quotes: QuoteGenerated[]) =>
  recordQuotes(
    stores,
    quote(),
    quotes.map((each) => ({ quoteId: each.quoteId, event: JSON.stringify(each) })),
  );
/** As a process does that has never seen the quote. */
const elsewhere = () => ({ events: stores.events, recentQuotes: createRecentQuotes() });

test("quotes for fifty customers are all there when recording returns", async () => {
  const quotes = Array.from({ length: 50 }, quote);
  await record(...quotes);
  expect(await Promise.all(quotes.map(({ quoteId }) => findQuote(stores, quoteId)))).toEqual(quotes);
  const reader = elsewhere();
  for (const each of quotes) expect(await readQuote(reader, "demo", each.quoteId)).toBe(JSON.stringify(each.response));
});

test("a quote recorded twice is recorded once", async () => {
  const one = quote();
  await record(one);
  await record(one);
  expect((await stores.events.last(streamOf.quote(one.quoteId)))?.revision).toBe(0n);
});

test("a quote carries who asked for it", async () => {
  const one = quote();
  await record(one);
  const stored = await stores.events.last(streamOf.quote(one.quoteId));
  expect(stored?.metadata).toEqual({ organisation: "demo", actor: "key:k-1", $correlationId: "req-1", v: 2 });
});

test("another organisation's quote, an unknown one and nonsense are all the same nothing", async () => {
  const one = quote();
  await record(one);
  const reader = elsewhere();
  // Twice: the second time it is known to the process, and still somebody else's.
  for (let turn = 0; turn < 2; turn += 1) expect(await readQuote(reader, "other", one.quoteId)).toBeUndefined();
  for (const id of [randomUUID(), "", "1", `${one.quoteId}0`, `../${one.quoteId}`, "quote-1", "$all", "x".repeat(10_000)]) {
    expect(await readQuote(reader, "demo", id)).toBeUndefined();
  }
  expect(await readQuote(reader, "demo", one.quoteId.toUpperCase())).toBe(JSON.stringify(one.response));
});

test("a quote that was fetched once is fetched without the event store, by its own organisation only", async () => {
  const one = quote();
  await record(one);
  let reads = 0;
  const read: EventStore["read"] = (...args) => {
    reads += 1;
    return stores.events.read(...args);
  };
  const reader = { events: { ...stores.events, read }, recentQuotes: createRecentQuotes() };
  for (let turn = 0; turn < 3; turn += 1) {
    expect(await readQuote(reader, "demo", one.quoteId)).toBe(JSON.stringify(one.response));
    expect(await readQuote(reader, "other", one.quoteId)).toBeUndefined();
  }
  expect(reads).toBe(1);
});

test("what is kept of recent quotes is bounded, the oldest goes first", () => {
  const recent = createRecentQuotes(100);
  for (let n = 0; n < 10; n += 1) recent.keep(String(n), { organisationId: "demo", response: "x".repeat(30) });
  expect(Array.from({ length: 10 }, (_, n) => recent.find(String(n)) !== undefined)).toEqual([...Array(7).fill(false), true, true, true]);
});
