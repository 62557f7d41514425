import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readQuote, recordQuotes } from "../../src/commands/quote.js";
import type { QuoteGenerated } from "../../src/events/otherEvents.js";
import { streamOf } from "../../src/events/streams.js";
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
  keyPrefix: "wb_live_AbCd",
  requestId: "req-1",
  at: "2026-03-01T01:02:03.000Z",
});

test("quotes for fifty customers are all there when recording returns", async () => {
  const quotes = Array.from({ length: 50 }, quote);
  await recordQuotes(stores, quotes);
  const read = await Promise.all(quotes.map(({ quoteId }) => readQuote(stores, "demo", quoteId)));
  expect(read).toEqual(quotes);
});

test("a quote recorded twice is recorded once", async () => {
  const one = quote();
  await recordQuotes(stores, [one]);
  await recordQuotes(stores, [one]);
  expect((await stores.events.last(streamOf.quote(one.quoteId)))?.revision).toBe(0n);
});

test("a quote carries who asked for it", async () => {
  const one = quote();
  await recordQuotes(stores, [one]);
  const stored = await stores.events.last(streamOf.quote(one.quoteId));
  expect(stored?.metadata).toEqual({ organisation: "demo", actor: "key:wb_live_AbCd", $correlationId: "req-1", v: 1 });
});

test("another organisation's quote, an unknown one and nonsense are all the same nothing", async () => {
  const one = quote();
  await recordQuotes(stores, [one]);
  expect(await readQuote(stores, "other", one.quoteId)).toBeUndefined();
  for (const id of [randomUUID(), "", "1", `${one.quoteId}0`, `../${one.quoteId}`, "quote-1", "$all", "x".repeat(10_000)]) {
    expect(await readQuote(stores, "demo", id)).toBeUndefined();
  }
  expect(await readQuote(stores, "demo", one.quoteId.toUpperCase())).toEqual(one);
});
