import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { demoOrganisation } from "../../../src/demo/demoOrganisation.js";
import { createConsignment } from "../../../src/domain/rating/consignment.js";
import { priceOf } from "../../../src/domain/rating/price.js";
import { type OracleCase, oraclePrice } from "./oracle.js";
import { isApplicable, itemsOf, randomCase, termsOf } from "./randomCase.js";
import { catalogueOf, price } from "./setting.js";

const long = process.env["WAYBILL_LONG"] === "1";
const cases = long ? 1_000_000 : 20_000;
const runs = { numRuns: long ? 20_000 : 500 };
const firstSeed = long ? Date.now() >>> 0 : 1;

function priced(of: OracleCase): ReturnType<typeof priceOf> {
  return priceOf(termsOf(of), createConsignment(itemsOf(of)));
}

const someCase = fc.integer({ min: 0, max: 0xffff_ffff }).map(randomCase);

function cents(amount: number): bigint {
  return BigInt(Math.round(amount * 100));
}

describe("a price", () => {
  it(`is amount plus surcharges plus GST to the cent, as whole-number arithmetic has it, in ${cases} random cases`, {
    timeout: 600_000,
  }, () => {
    for (let count = 0; count < cases; count += 1) {
      const seed = (firstSeed + count) >>> 0;
      const of = randomCase(seed);
      const expected = oraclePrice(of);
      const { amount, total, lines, steps } = priced(of);
      const surcharges = lines.filter(({ key }) => key !== "FUEL").map((line) => cents(line.amount));
      const agrees =
        BigInt(steps.kg) === expected.kg &&
        amount === expected.amount &&
        surcharges.length === expected.surcharges.length &&
        surcharges.every((each, index) => each === expected.surcharges[index]) &&
        cents(steps.fuel) === expected.fuel &&
        cents(steps.gst) === expected.gst &&
        total === expected.total &&
        total === amount + lines.reduce((sum, line) => sum + cents(line.amount), 0n) + cents(steps.gst);
      // An assertion per case would cost more than the prices.
      if (!agrees) expect({ seed, steps, lines, total }).toEqual({ seed, expected });
    }
  });

  it("is only tested for cards that the organisation file's schema accepts", () => {
    fc.assert(
      fc.property(someCase, (of) => isApplicable(termsOf(of))),
      { numRuns: 100 },
    );
  });

  it("never falls when weight rises under total pricing, unless a break has a lower rate", () => {
    fc.assert(
      fc.property(someCase, fc.nat({ max: 500_000 }), (of, grams) => {
        const rising = of.breaks.map(({ fromKg }, index) => ({ fromKg, perKg: of.perKg + BigInt(index) * 100n }));
        const lighter: OracleCase = { ...of, cumulative: false, breaks: rising };
        const heavier: OracleCase = {
          ...lighter,
          items: of.items.map((item, index) => (index === 0 ? { ...item, grams: item.grams + BigInt(grams) } : item)),
        };
        expect(priced(heavier).total).toBeGreaterThanOrEqual(priced(lighter).total);
      }),
      runs,
    );
  });

  it("never falls when weight rises under cumulative pricing", () => {
    fc.assert(
      fc.property(someCase, fc.nat({ max: 500_000 }), (of, grams) => {
        const lighter: OracleCase = { ...of, cumulative: true };
        const heavier: OracleCase = { ...lighter, items: of.items.map((item) => ({ ...item, grams: item.grams + BigInt(grams) })) };
        expect(priced(heavier).total).toBeGreaterThanOrEqual(priced(lighter).total);
      }),
      runs,
    );
  });

  it("does not depend on the order of the items", () => {
    const shuffled = someCase.chain((of) => fc.tuple(fc.constant(of), fc.shuffledSubarray(of.items, { minLength: of.items.length })));
    fc.assert(
      fc.property(shuffled, ([of, items]) => {
        expect(priced({ ...of, items })).toEqual(priced(of));
      }),
      runs,
    );
  });

  it("does not change when a quantity is split over two lines", () => {
    fc.assert(
      fc.property(someCase, fc.nat(), (of, at) => {
        const [first, ...rest] = of.items;
        if (!first || first.quantity < 2n) return;
        const part = 1n + (BigInt(at) % (first.quantity - 1n));
        const items = [{ ...first, quantity: part }, ...rest, { ...first, quantity: first.quantity - part }];
        expect(priced({ ...of, items })).toEqual(priced(of));
      }),
      runs,
    );
  });
});

describe("a stored price", () => {
  it("comes out the same from goods and terms that went through JSON", () => {
    fc.assert(
      fc.property(someCase, (of) => {
        const [terms, items] = [termsOf(of), itemsOf(of)];
        const stored = JSON.parse(JSON.stringify({ terms, items }));
        expect(priceOf(stored.terms, createConsignment(stored.items))).toEqual(priceOf(terms, createConsignment(items)));
      }),
      runs,
    );
  });
});

describe("filters", () => {
  it("only ever remove quotes", () => {
    const of = (...values: string[]) => fc.subarray([...values, "other"]);
    const filters = fc.record(
      {
        carrierIds: of("roadco", "swift"),
        serviceIds: of("roadco-std", "roadco-exp", "swift-overnight"),
        rateCardIds: of("road-standard", "road-express", "overnight", "road-spot-syd-mel"),
        serviceTypes: of("DOMESTIC", "INTERNATIONAL"),
        serviceClasses: of("STANDARD", "EXPRESS", "OVERNIGHT"),
      },
      { requiredKeys: [] },
    );
    const catalogue = catalogueOf(demoOrganisation);
    const all = price({ catalogue }).quotes;
    expect(all.length).toBe(4);
    fc.assert(
      fc.property(filters, (given) => {
        const left = price({ catalogue, filters: given }).quotes;
        for (const quote of left) expect(all).toContainEqual(quote);
        expect(left.length).toBeLessThanOrEqual(all.length);
      }),
      { numRuns: 200 },
    );
  });
});
