import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { quoteAnswerOf } from "../../src/events/quoteAnswer.js";
import { type QuotesGenerated, quoteIdOf, quotePlaceOf } from "../../src/events/quoteEvents.js";

const event = (): QuotesGenerated =>
  JSON.parse(readFileSync(new URL("../fixtures/events/QuotesGenerated.v1.json", import.meta.url), "utf8")).data;
const id = "018f4d2e-7b6a-7cc0-9d5e-dddddddddddd";

const road = {
  serviceName: "Road Standard",
  serviceId: "roadco-std",
  rateCardName: "Road 2026",
  rateCardId: "road-2026",
  amount: 138.5,
  totalAmount: 274.63,
  gstAmount: 24.97,
  isSpotRate: false,
  spotRateMessage: "",
  deliveryTime: "1-2 business days",
  minTransitTime: 1,
  maxTransitTime: 2,
  transitTimeUnit: "D",
  surcharges: [
    { name: "Oversize", description: "An item longer than 2 m", key: "OVERSIZE", amount: 80 },
    { name: "Fuel levy", description: "22.5% fuel levy", key: "FUEL", amount: 31.16 },
  ],
};

test("the answer made from a stored quotes event is exactly the first answer, whole or for one customer", () => {
  const { origin, destination } = event();
  const [first, second] = [
    {
      customerId: "CUST-001",
      quoteId: `${id}-1`,
      noQuoteMessage: "",
      quotes: [
        {
          rateId: `${id}-1-1`,
          ...road,
          ...{ rateCardName: "Spot", rateCardId: "spot", amount: 20, totalAmount: 22, gstAmount: 2 },
          ...{ isSpotRate: true, spotRateMessage: "This week only", surcharges: [] },
          ...{ deliveryTime: "", minTransitTime: 0, maxTransitTime: 0, transitTimeUnit: "D" },
        },
        { rateId: `${id}-1-2`, ...road },
      ],
    },
    { customerId: "CUST-002", quoteId: `${id}-2`, noQuoteMessage: "No rate card for the customer CUST-002 is valid today", quotes: [] },
  ];
  const goods = [{ type: "Carton", quantity: 2, length: 240, width: 50, height: 50, weight: 90, chargeableWeight: 300 }];
  expect(quoteAnswerOf(event())).toEqual({ origin, destination, goods, results: [first, second] });
  expect(quoteAnswerOf(event(), 1)).toEqual({ origin, destination, goods, results: [first] });
  expect(quoteAnswerOf(event(), 2)).toEqual({ origin, destination, goods, results: [second] });
  for (const number of [0, 3, 99]) expect(quoteAnswerOf(event(), number)).toBeUndefined();
});

test("an event that refers to an entry it does not hold throws", () => {
  const broken = event();
  broken.results[0]?.cards.push(7);
  expect(() => quoteAnswerOf(broken)).toThrow("entry 7 of a list of 2");
});

test("a quote id is a request id and a number from 1 to 99, or for old quotes a request id alone; other texts are none", () => {
  expect(quotePlaceOf(`${id}-1`)).toEqual({ quotesId: id, number: 1 });
  expect(quotePlaceOf(`${id.toUpperCase()}-50`)).toEqual({ quotesId: id, number: 50 });
  expect(quotePlaceOf(id)).toEqual({ quotesId: id, number: 0 });
  for (const place of [`${id}-1`, `${id}-50`, id]) expect(quoteIdOf(quotePlaceOf(place) ?? { quotesId: "", number: 0 })).toBe(place);
  for (const none of ["", "1", `${id}-0`, `${id}-01`, `${id}-100`, `${id}-`, `${id}-1-1`, `${id}0`, `../${id}`, `${id}-1\n`, "quotes-1"])
    expect(quotePlaceOf(none)).toBeUndefined();
});
