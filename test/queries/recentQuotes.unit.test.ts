import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { quoteAnswerOf } from "../../src/events/quoteAnswer.js";
import type { QuotesGenerated } from "../../src/events/quoteEvents.js";
import { createQuoteMemory, recentQuotes } from "../../src/queries/quotes/recentQuotes.js";

const forTwo = (): QuotesGenerated =>
  JSON.parse(readFileSync(new URL("../fixtures/events/QuotesGenerated.v1.json", import.meta.url), "utf8")).data;
const forOne = (): QuotesGenerated => ({ ...forTwo(), results: forTwo().results.slice(0, 1) });

function heapMegabytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed / 1e6;
}

const texts = 30;
const megabyte = () => Buffer.alloc(1_000_000, "x").toString("latin1");

/** What stays of the texts of thirty answers of a megabyte each, which the memory was told are small. */
function keptOf(event: () => QuotesGenerated): number {
  const memory = createQuoteMemory();
  const before = heapMegabytes();
  for (let n = 0; n < texts; n += 1) memory.keep({ quotesId: `request ${n}`, number: 1 }, recentQuotes(event(), megabyte()), 1);
  const after = heapMegabytes();
  expect(memory.find({ quotesId: "request 0", number: 1 })).toBeDefined(); // so that the memory is still in use when it is measured
  return after - before;
}

test("of a request for several customers the answer's text is not kept, of a request for one it is", () => {
  expect(keptOf(forTwo)).toBeLessThan(5);
  expect(keptOf(forOne)).toBeGreaterThan(texts - 5);
});

test("a fetch is answered from what is kept, for the numbers that the request has", () => {
  const several = recentQuotes(forTwo(), "not used");
  expect([1, 2].map((number) => several.answer(number))).toEqual([1, 2].map((number) => JSON.stringify(quoteAnswerOf(forTwo(), number))));
  expect([0, 3].map((number) => several.answer(number))).toEqual([undefined, undefined]);
  const single = recentQuotes(forOne(), "the text");
  expect([0, 1, 2].map((number) => single.answer(number))).toEqual([undefined, "the text", undefined]);
});
