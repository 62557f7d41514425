// Which rate cards and lanes answer a request, for which customer and on which day, and how the answer reads.
import { describe, expect, it } from "vitest";
import type { Filters } from "../../../src/domain/rating/quoteRequest.js";
import { priceQuotes } from "../../../src/domain/rating/quotes.js";
import { sampleFile } from "../catalogue/sample.js";
import { type CardInput, catalogueOf, item, melbourne, perth, price, sydney, withCard } from "./setting.js";

describe("lanes", () => {
  it("are matched by both ends before the destination, the destination before the origin, and the origin before neither", () => {
    const lanes = [
      { from: "*", to: "*", basic: 1 },
      { from: "SYD", to: "*", basic: 2 },
      { from: "*", to: "MEL", basic: 3 },
      { from: "SYD", to: "MEL", basic: 4 },
    ];
    const amounts = [4, 3, 2, 1].map((count) => price({ catalogue: withCard({ lanes: lanes.slice(0, count) }) }).quotes[0]?.amount);
    expect(amounts).toEqual([4, 3, 2, 1]);
  });

  it("do not apply in the opposite direction", () => {
    expect(price({ origin: melbourne, destination: sydney })).toMatchObject({
      quotes: [],
      noQuoteMessage: expect.stringContaining("No rate for the lane"),
    });
  });
});

describe("without a quote", () => {
  it("the message says why: no rate card, nothing left after the filters, or no rate for the lane", () => {
    expect(price({ now: new Date("2025-06-01T00:00:00Z") }).noQuoteMessage).toMatch(/^No rate card for the customer CUST-001/);
    expect(price({ filters: { carrierIds: ["other"] } }).noQuoteMessage).toMatch(/^Nothing left after the filters/);
    expect(price({ destination: perth }).noQuoteMessage).toBe("No rate for the lane from Sydney 2000 AU to Perth 6000 AU");
    expect(price().noQuoteMessage).toBe("");
  });
});

describe("validity", () => {
  const quoted = (changes: Partial<CardInput>, now: string) => price({ catalogue: withCard(changes), now: new Date(now) }).quotes.length;

  it("begins and ends with the day in the organisation's time zone, both included", () => {
    const year = { validFrom: "2026-01-01", validTo: "2026-12-31" };
    expect(quoted(year, "2025-12-31T12:59:59Z")).toBe(0);
    expect(quoted(year, "2025-12-31T13:00:00Z")).toBe(1);
    expect(quoted(year, "2026-12-31T12:59:59Z")).toBe(1);
    expect(quoted(year, "2026-12-31T13:00:00Z")).toBe(0);
  });

  it("of a spot rate ends at the moment it expires", () => {
    const spot = { message: "Backload", expiresAt: "2026-11-15T10:00:00+11:00" };
    expect(quoted({ spot }, "2026-11-14T22:59:59Z")).toBe(1);
    expect(quoted({ spot }, "2026-11-14T23:00:00Z")).toBe(0);
    expect(price({ catalogue: withCard({ spot }), now: new Date("2026-11-01T00:00:00Z") }).quotes[0]).toMatchObject({
      isSpotRate: true,
      spotRateMessage: "Backload",
    });
  });
});

describe("several cards", () => {
  const file = sampleFile();
  const [base] = file.rateCards ?? [];
  if (!base) throw new Error("the sample has a card");
  const catalogue = catalogueOf({
    ...file,
    services: [...(file.services ?? []), { id: "fast", carrierId: "roadco", name: "Fast", type: "DOMESTIC", class: "EXPRESS" }],
    rateCards: [
      { ...base, id: "dear", serviceId: "fast", lanes: [{ from: "*", to: "*", basic: 200 }] },
      base,
      { ...base, id: "cheap", breakMethod: "cumulative", lanes: [{ from: "*", to: "*", basic: 2 }] },
    ],
    customers: [
      { id: "CUST-001", name: "A", carrierIds: [], rateCardIds: ["dear", "road-2026", "cheap"] },
      { id: "CUST-002", name: "B", carrierIds: [], rateCardIds: [] },
      { id: "CUST-003", name: "C", carrierIds: [], rateCardIds: ["dear"] },
    ],
  });
  const ids = (filters: Filters) => price({ catalogue, filters }).quotes.map(({ rateCardId }) => rateCardId);

  it("come cheapest first", () => {
    expect(ids({})).toEqual(["cheap", "road-2026", "dear"]);
  });

  it("are filtered: a card must match one value of each given field", () => {
    expect(ids({ rateCardIds: ["dear", "cheap"] })).toEqual(["cheap", "dear"]);
    expect(ids({ serviceIds: ["fast"] })).toEqual(["dear"]);
    expect(ids({ serviceClasses: ["express"], serviceTypes: ["DOMESTIC", "INTERNATIONAL"] })).toEqual(["dear"]);
    expect(ids({ serviceClasses: ["EXPRESS"], rateCardIds: ["cheap"] })).toEqual([]);
    expect(ids({ carrierIds: ["roadco"], serviceIds: [], rateCardIds: [] })).toEqual(["cheap", "road-2026", "dear"]);
  });

  it("are priced for each customer by the customer's own cards", () => {
    const { results } = priceQuotes({
      catalogue,
      customerIds: ["CUST-003", "CUST-002", "CUST-001"],
      items: [item()],
      origin: sydney,
      destination: melbourne,
      filters: {},
      now: new Date("2026-11-15T00:00:00Z"),
    });
    expect(results.map(({ customerId, quotes }) => [customerId, quotes.length])).toEqual([
      ["CUST-003", 1],
      ["CUST-002", 0],
      ["CUST-001", 3],
    ]);
    expect(results[1]?.noQuoteMessage).toMatch(/^No rate card for the customer CUST-002/);
  });
});

describe("fifty customers in one request", () => {
  const file = sampleFile();
  const [base] = file.rateCards ?? [];
  if (!base) throw new Error("the sample has a card");
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  const catalogue = catalogueOf({
    ...file,
    rateCards: numbers.map((index) => ({ ...base, id: `card-${index}`, lanes: [{ from: "SYD", to: "MEL", basic: 100 + index }] })),
    customers: numbers.map((index) => ({ id: `C${index}`, name: `C${index}`, carrierIds: [], rateCardIds: [`card-${index}`] })),
  });

  it("each get their own price, in the order asked", () => {
    const customerIds = numbers.map((index) => `C${index}`).reverse();
    const { results } = priceQuotes({
      catalogue,
      customerIds,
      items: [item()],
      origin: sydney,
      destination: melbourne,
      filters: {},
      now: new Date("2026-11-15T00:00:00Z"),
    });
    expect(results.map(({ customerId }) => customerId)).toEqual(customerIds);
    expect(results.map(({ quotes }) => quotes[0]?.amount)).toEqual(numbers.map((index) => 149 - index));
  });
});

describe("delivery time", () => {
  it("is written in words, such as 1-2 business days", () => {
    const text = (min: number, max: number, unit: "D" | "H" | "W") =>
      price({ catalogue: withCard({ lanes: [{ from: "SYD", to: "MEL", transit: { min, max, unit } }] }) }).quotes[0]?.deliveryTime;
    expect([
      text(1, 2, "D"),
      text(1, 1, "D"),
      text(3, 3, "D"),
      text(0, 0, "D"),
      text(0, 1, "D"),
      text(4, 8, "H"),
      text(1, 1, "H"),
      text(2, 3, "W"),
    ]).toEqual([
      "1-2 business days",
      "1 business day",
      "3 business days",
      "Same day",
      "0-1 business days",
      "4-8 hours",
      "1 hour",
      "2-3 weeks",
    ]);
  });
});
