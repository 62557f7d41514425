// The price that a rate card gives: its kg, its surcharges, its tax.
import { describe, expect, it } from "vitest";
import { priceQuotes } from "../../../src/domain/rating/quotes.js";
import { auckland, type CardInput, item, melbourne, price, sydney, withCard } from "./setting.js";

type SurchargeInput = NonNullable<CardInput["surcharges"]>[number];

function surcharge(changes: Partial<SurchargeInput>): SurchargeInput {
  return { key: "EXTRA", name: "Extra", description: "", when: { always: true }, charge: { flat: 10 }, fuelApplies: false, ...changes };
}

/** The amount of one surcharge on these items, without fuel; undefined when it does not apply. */
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

  it("540 kg over a break at 500: 268.00 where each break prices its own kg, 243.00 where the last break prices all kg", () => {
    const items = [item({ quantity: 540 })];
    expect(price({ items, catalogue: withCard({ breakMethod: "cumulative", lanes: [lane] }) }).quotes[0]?.amount).toBe(268);
    expect(price({ items, catalogue: withCard({ breakMethod: "total", lanes: [lane] }) }).quotes[0]?.amount).toBe(243);
  });
});

describe("kg", () => {
  const kgOf = (items = [item()], changes: Partial<CardInput> = {}) => price({ items, catalogue: withCard(changes) }).cards[0]?.steps.kg;

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

  it("exactly at a break are priced by the break that begins there", () => {
    const amount = (quantity: number) => price({ items: [item({ quantity })], catalogue: withCard({ lanes: [lane] }) }).quotes[0]?.amount;
    expect([amount(499), amount(500), amount(501)]).toEqual([249.5, 225, 225.45]);
  });

  it("that would cost less than the minimum cost the minimum", () => {
    const result = price({ items: [item()] });
    expect(result.quotes[0]?.amount).toBe(20);
    expect(result.cards[0]?.steps.minimumApplied).toBe(true);
  });
});

describe("goods", () => {
  it("are answered in centimetres, with the chargeable weight by the organisation's factor to three decimals", () => {
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

  it("applies by conditions on weight, type, declared value and zone", () => {
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

  it("for fuel is absent where the card has no levy", () => {
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
