import type { Lane, RateCard, Surcharge } from "../catalogue/schema.js";
import { add, type Cents, centsToNumber, compare, decimal, knownDecimal, larger, percentOf, toCents } from "../money.js";
import type { Consignment } from "./consignment.js";
import { type KgStep, kgCharge } from "./kgCharge.js";
import { itemsMeeting, surchargeAmount } from "./surcharges.js";

/** All that one card's price depends on besides the goods; plain JSON, so that it can be stored and priced again. */
export interface PriceTerms {
  readonly originZone: string;
  readonly destinationZone: string;
  readonly cubicFactor: number;
  readonly lane: Lane;
  readonly breakMethod: RateCard["breakMethod"];
  readonly surcharges: readonly Surcharge[];
  readonly fuelLevyPercent: number;
  /** Both ends are in Australia. */
  readonly gstApplies: boolean;
}

export interface SurchargeLine {
  readonly name: string;
  readonly description: string;
  readonly key: string;
  readonly amount: number;
}

/** How the price came about. Numbers are rounded to the cent; texts are exact. */
export interface PriceSteps {
  readonly exactKg: string;
  readonly kg: number;
  readonly basic: number;
  readonly kgCharge: readonly KgStep[];
  readonly minimumApplied: boolean;
  readonly amount: number;
  readonly surcharges: readonly (SurchargeLine & { readonly items: number; readonly fuelApplies: boolean })[];
  readonly fuelBase: number;
  readonly fuel: number;
  readonly gstBase: number;
  readonly gst: number;
  readonly total: number;
}

export interface Price {
  readonly amount: Cents;
  readonly total: Cents;
  readonly lines: readonly SurchargeLine[];
  readonly steps: PriceSteps;
}

const gstPercent = decimal(10);

/** The steps of one card's price, in the order in which they are rounded. */
export function priceOf(terms: PriceTerms, consignment: Consignment): Price {
  const { lane } = terms;
  const kg = consignment.kg(terms.cubicFactor);
  const whole = { coefficient: kg.whole, scale: 0 };
  const { charge, steps } = kgCharge(lane, terms.breakMethod, whole);
  const freight = add(knownDecimal(lane.basic), charge);
  const minimum = knownDecimal(lane.minimum);
  const amount = toCents(larger(minimum, freight));

  const applied = terms.surcharges.flatMap((surcharge) => {
    const items = itemsMeeting(surcharge, consignment, terms);
    return items === 0 ? [] : [{ surcharge, items, cents: surchargeAmount(surcharge, amount, whole, items) }];
  });
  const sumOf = (lines: readonly { cents: Cents }[]): Cents => lines.reduce((sum, { cents }) => sum + cents, 0n);
  const fuelBase = amount + sumOf(applied.filter(({ surcharge }) => surcharge.fuelApplies));
  const fuel = percentOf(knownDecimal(terms.fuelLevyPercent), fuelBase);
  const gstBase = amount + sumOf(applied) + fuel;
  const gst = terms.gstApplies ? percentOf(gstPercent, gstBase) : 0n;

  const lines = applied.map(({ surcharge: { name, description, key }, cents }) => ({
    name,
    description,
    key,
    amount: centsToNumber(cents),
  }));
  return {
    amount,
    total: gstBase + gst,
    lines: terms.fuelLevyPercent > 0 ? [...lines, fuelLine(terms.fuelLevyPercent, centsToNumber(fuel))] : lines,
    steps: {
      exactKg: kg.exact,
      kg: Number(kg.whole),
      basic: lane.basic,
      kgCharge: steps,
      minimumApplied: compare(minimum, freight) > 0,
      amount: centsToNumber(amount),
      surcharges: lines.map((line, index) => ({
        ...line,
        items: applied[index]?.items ?? 0,
        fuelApplies: applied[index]?.surcharge.fuelApplies ?? false,
      })),
      fuelBase: centsToNumber(fuelBase),
      fuel: centsToNumber(fuel),
      gstBase: centsToNumber(gstBase),
      gst: centsToNumber(gst),
      total: centsToNumber(gstBase + gst),
    },
  };
}

/** Used for new and for stored quotes. */
export function fuelLine(percent: number, amount: number): SurchargeLine {
  return { name: "Fuel levy", description: `${percent}% fuel levy`, key: "FUEL", amount };
}
