import { describe, expect, it } from "vitest";
import { explainQuote, type RecordedQuote } from "../../../src/domain/rating/explain.js";
import type { Filters } from "../../../src/domain/rating/quoteRequest.js";
import { priceQuotes } from "../../../src/domain/rating/quotes.js";
import { sampleFile } from "../catalogue/sample.js";
import { auckland, type CardInput, catalogueOf, item, melbourne, perth, price, sydney, withCard } from "./setting.js";

type SurchargeInput = NonNullable<CardInput["surcharges"]>[number];

function surcharge(changes: Partial<SurchargeInput>): SurchargeInput {
  return { key: "EXTRA", name: "Extra", description: "", when: { always: true }, charge: { flat: 10 }, fuelApplies: false, ...changes };
}

/** What one surcharge comes to on these items, fuel aside; undefined when it does not apply. */
function charged(changes: Partial<SurchargeInput>, items = [item()], destination = melbourne): number | undefined {
  const result = price({ catalogue: withCard({ surcharges: [surcharge(changes)] }), items, destination });
  return result.quotes[0]?.surcharges.find(({ key }) => key === "EXTRA")?.amount;
}

const lane = { from: "SYD", to: "MEL", basic: 0, minimum: 0, perKg: 0.5, breaks: [{ fromKg: 500, perKg: 0.45 }] };

describe("the worked prices of the documentation", () => {
  it("180 kg from Sydney to Melbourne", () => {
    const [quote] = price().quotes;
    expect(quote).toEqual({
      serviceName: "Road Standard",
      serviceId: "roadco-std",
      rateCardName: "Road 2026",
      rateCardId: "road-2026",
      amount: 88.1,
      totalAmount: 118.71,
      gstAmount: 10.79,
      isSpotRate: false,
      spotRateMessage: "",
      deliveryTime: "1-2 business days",
      minTransitTime: 1,
      maxTransitTime: 2,
      transitTimeUnit: "D",
      surcharges: [{ name: "Fuel levy", description: "22.5% fuel levy", key: "FUEL", amount: 19.82 }],
    });
  });

  it("540 kg over a break at 500: 268.00 where each break prices its own kg, 243.00 where the last prices all", () => {
    const items = [item({ quantity: 540 })];
    expect(price({ items, catalogue: withCard({ breakMethod: "cumulative", lanes: [lane] }) }).quotes[0]?.amount).toBe(268);
    expect(price({ items, catalogue: withCard({ breakMethod: "total", lanes: [lane] }) }).quotes[0]?.amount).toBe(243);
  });
});

describe("kg", () => {
  const kgOf = (items = [item()], changes: Partial<CardInput> = {}) =>
    price({ items, catalogue: withCard(changes) }).basis.cards[0]?.steps.kg;

  it("are the larger of weight and volume per item, summed, then rounded up once", () => {
    expect(kgOf([item({ quantity: 3, weight: 0.4 })])).toBe(2);
    expect(kgOf([item({ quantity: 2, weight: 0.5 }), item({ weight: 1 })])).toBe(2);
    expect(kgOf([item({ length: 1, width: 1, height: 1, weight: 10 })])).toBe(250);
    expect(kgOf([item({ length: 1, width: 1, height: 1, weight: 300 })])).toBe(300);
    expect(kgOf([item({ weight: 12.000000001 })])).toBe(13);
  });

  it("never come from binary fractions: 0.1 + 0.2 is 0.3", () => {
    expect(kgOf([item({ quantity: 10, weight: 0.1, length: 0.01 }), item({ quantity: 10, weight: 0.2, length: 0.01 })])).toBe(3);
    expect(kgOf([item({ quantity: 1, length: 1.1, width: 1.1, height: 1.1, weight: 1 })])).toBe(333);
  });

  it("at a break fall in the break that begins there", () => {
    const amount = (quantity: number) => price({ items: [item({ quantity })], catalogue: withCard({ lanes: [lane] }) }).quotes[0]?.amount;
    expect([amount(499), amount(500), amount(501)]).toEqual([249.5, 225, 225.45]);
  });

  it("below the minimum cost the minimum", () => {
    const result = price({ items: [item()] });
    expect(result.quotes[0]?.amount).toBe(20);
    expect(result.basis.cards[0]?.steps.minimumApplied).toBe(true);
  });
});

describe("goods", () => {
  it("come back in centimetres, with the chargeable weight by the organisation's factor to three decimals", () => {
    const { goods } = priceQuotes({
      catalogue: withCard({}),
      customerIds: [],
      items: [
        item({ quantity: 2, length: 1.15, width: 0.29, height: 0.07, weight: 4.2, type: "Carton" }),
        item({ weight: 0.0001, length: 0.001 }),
      ],
      origin: sydney,
      destination: melbourne,
      filters: {},
      now: new Date(),
    });
    expect(goods).toEqual([
      { type: "Carton", quantity: 2, length: 115, width: 29, height: 7, weight: 4.2, chargeableWeight: 11.673 },
      { type: "", quantity: 1, length: 0.1, width: 10, height: 10, weight: 0.0001, chargeableWeight: 0.003 },
    ]);
  });
});

describe("a surcharge", () => {
  it("is flat, per item, per kg or a percentage of the freight", () => {
    const items = [item({ quantity: 10, weight: 18 })];
    expect(charged({ charge: { flat: 12.345 } }, items)).toBe(12.35);
    expect(charged({ charge: { perItem: 4 } }, items)).toBe(40);
    expect(charged({ charge: { perKg: 0.1 } }, items)).toBe(18);
    expect(charged({ charge: { percentOfFreight: 15 } }, items)).toBe(13.22);
  });

  it("per item counts only the items that meet its condition", () => {
    const items = [item({ quantity: 3, length: 2.4 }), item({ quantity: 2, height: 2.01 }), item({ quantity: 5, length: 2 })];
    expect(charged({ when: { itemLongerThan: 2 }, charge: { perItem: 40 } }, items)).toBe(200);
  });

  it("holds by weight, type, declared value and zone", () => {
    expect(charged({ when: { itemHeavierThan: 30 } }, [item({ weight: 30 })])).toBeUndefined();
    expect(charged({ when: { itemHeavierThan: 30 } }, [item({ weight: 30.001 })])).toBe(10);
    expect(charged({ when: { itemTypes: ["Pallet"] } }, [item({ type: "pallet" })])).toBe(10);
    expect(charged({ when: { itemTypes: ["Pallet"] } }, [item(), item({ type: "Carton" })])).toBeUndefined();
    expect(charged({ when: { declaredValueOver: 100 } }, [item({ quantity: 2, itemValue: 50 })])).toBeUndefined();
    expect(charged({ when: { declaredValueOver: 100 } }, [item({ quantity: 2, itemValue: 50 }), item({ itemValue: 0.01 })])).toBe(10);
    expect(charged({ when: { destinationZones: ["MEL"] } })).toBe(10);
    expect(charged({ when: { destinationZones: ["SYD"] } })).toBeUndefined();
    expect(charged({ when: { originZones: ["SYD"], destinationZones: ["MEL"] } })).toBe(10);
  });

  it("with several conditions needs them all, of the same item", () => {
    const when = { itemLongerThan: 2, itemHeavierThan: 30 };
    expect(charged({ when }, [item({ length: 3 }), item({ weight: 40 })])).toBeUndefined();
    expect(charged({ when }, [item({ length: 3, weight: 40 })])).toBe(10);
  });

  it("counts towards fuel only where it says so", () => {
    const fuel = (fuelApplies: boolean) =>
      price({ catalogue: withCard({ surcharges: [surcharge({ charge: { flat: 100 }, fuelApplies })] }) }).quotes[0]?.surcharges[1]?.amount;
    expect(fuel(false)).toBe(19.82);
    expect(fuel(true)).toBe(42.32);
  });

  it("for fuel is absent where there is no levy", () => {
    expect(price({ catalogue: withCard({ fuelLevyPercent: 0 }) }).quotes[0]?.surcharges).toEqual([]);
  });
});

describe("GST", () => {
  it("is charged only where both ends are in Australia", () => {
    const lanes = [
      { from: "SYD", to: "NZ", perKg: 1 },
      { from: "NZ", to: "SYD", perKg: 1 },
    ];
    const catalogue = withCard({ lanes });
    expect(price({ catalogue, destination: auckland }).quotes[0]).toMatchObject({ gstAmount: 0, amount: 180, totalAmount: 220.5 });
    expect(price({ catalogue, origin: auckland, destination: sydney }).quotes[0]).toMatchObject({ gstAmount: 0 });
  });
});

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

  it("do not run backwards", () => {
    expect(price({ origin: melbourne, destination: sydney })).toMatchObject({
      quotes: [],
      noQuoteMessage: expect.stringContaining("No rate for the lane"),
    });
  });
});

describe("without a quote", () => {
  it("the message says which of the three it was", () => {
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

  it("of a spot rate ends at its moment", () => {
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

  it("are narrowed by any value of a field and by all of the fields", () => {
    expect(ids({ rateCardIds: ["dear", "cheap"] })).toEqual(["cheap", "dear"]);
    expect(ids({ serviceIds: ["fast"] })).toEqual(["dear"]);
    expect(ids({ serviceClasses: ["express"], serviceTypes: ["DOMESTIC", "INTERNATIONAL"] })).toEqual(["dear"]);
    expect(ids({ serviceClasses: ["EXPRESS"], rateCardIds: ["cheap"] })).toEqual([]);
    expect(ids({ carrierIds: ["roadco"], serviceIds: [], rateCardIds: [] })).toEqual(["cheap", "road-2026", "dear"]);
  });

  it("are priced for each customer by the customer's own", () => {
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
  it("reads as people say it", () => {
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

describe("a recorded quote", () => {
  const items = [item({ quantity: 3, length: 2.4, weight: 41.37 }), item({ weight: 0.333 })];
  const recorded = (): RecordedQuote & { cards: { steps: { total: number } }[] } => {
    const { quotes, basis, customerId, noQuoteMessage } = price({ items });
    const cards = quotes.map((entry, index) => ({ entry, terms: {}, steps: {}, ...basis.cards[index] }));
    const asked = { customerId, items, origin: sydney, destination: melbourne, filters: {} };
    return { ...JSON.parse(JSON.stringify({ ...asked, noQuoteMessage, cards })), at: new Date("2026-11-15T00:00:00Z") };
  };

  it("is derived again to the cent from the catalogue of its day", () => {
    const { agrees, cards, differences, today } = explainQuote(recorded(), withCard({}));
    expect({ agrees, differences, today }).toEqual({ agrees: true, differences: [], today: "2026-11-15" });
    expect(cards[0]?.steps).toEqual(recorded().cards[0]?.steps);
    expect(cards[0]?.differences).toEqual([]);
  });

  it("that was tampered with does not agree, and is told what differs", () => {
    const quote = recorded();
    const total = quote.cards[0]?.steps.total ?? 0;
    Object.assign(quote.cards[0]?.steps ?? {}, { total: total + 1 });
    const { agrees, cards } = explainQuote(quote, withCard({}));
    expect(agrees).toBe(false);
    expect(cards[0]?.differences).toEqual([`total was recorded as ${total + 1} and comes out as ${total}`]);
  });

  it("does not agree with another catalogue, nor with one that has other cards", () => {
    expect(explainQuote(recorded(), withCard({ fuelLevyPercent: 22.6 })).agrees).toBe(false);
    const gone = explainQuote(recorded(), withCard({ validTo: "2026-11-14" }));
    expect(gone.agrees).toBe(false);
    expect(gone.differences[0]).toBe("road-2026 was answered and does not come out again");
    const unanswered = explainQuote({ ...recorded(), cards: [] }, withCard({}));
    expect(unanswered.cards[0]?.differences).toEqual(["it was not answered"]);
  });
});
