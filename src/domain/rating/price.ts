import type { Lane, RateCard, Surcharge } from "../catalogue/schema.js";
import {
  add,
  type Cents,
  cachedDecimal,
  centsToNumber,
  compare,
  type Decimal,
  decimal,
  larger,
  multiply,
  percentOf,
  subtract,
  toCents,
  toText,
  zero,
} from "../exactDecimal.js";
import { type Consignment, isDeclaredOver } from "./consignment.js";
import type { Item } from "./quoteRequest.js";

/** All that one card's price depends on besides the goods. It is plain JSON, so that it can be stored and priced again. */
export interface PriceTerms {
  readonly originZone: string;
  readonly destinationZone: string;
  readonly cubicFactor: number;
  readonly lane: Lane;
  readonly breakMethod: RateCard["breakMethod"];
  readonly surcharges: readonly Surcharge[];
  readonly fuelLevyPercent: number;
  /** Whether both ends are in Australia. */
  readonly gstApplies: boolean;
}

export interface SurchargeLine {
  readonly name: string;
  readonly description: string;
  readonly key: string;
  readonly amount: number;
}

/** How the price came about. Computed amounts are rounded to the cent; texts are exact. */
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

const gstPercent = decimal(10);

/** Computes one card's price with its lines and steps. Each amount is rounded before others are computed from it. */
export function priceOf(terms: PriceTerms, consignment: Consignment) {
  const { lane } = terms;
  const kg = consignment.chargeableKg(terms.cubicFactor);
  const wholeKg = { coefficient: kg.whole, scale: 0 };
  const { charge, steps } = kgCharge(lane, terms.breakMethod, wholeKg);
  const freight = add(cachedDecimal(lane.basic), charge);
  const minimum = cachedDecimal(lane.minimum);
  const amount = toCents(larger(minimum, freight));

  const applied = terms.surcharges.flatMap((surcharge) => {
    const items = countMeeting(surcharge, consignment, terms);
    return items === 0 ? [] : [{ surcharge, items, cents: surchargeAmount(surcharge, amount, wholeKg, items) }];
  });
  const sumOf = (lines: readonly { cents: Cents }[]): Cents => lines.reduce((sum, { cents }) => sum + cents, 0n);
  const fuelBase = amount + sumOf(applied.filter(({ surcharge }) => surcharge.fuelApplies));
  const fuel = percentOf(cachedDecimal(terms.fuelLevyPercent), fuelBase);
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

/** The line of the fuel levy, for new and for stored quotes. */
export function fuelLine(percent: number, amount: number): SurchargeLine {
  return { name: "Fuel levy", description: `${percent}% fuel levy`, key: "FUEL", amount };
}

interface Rate {
  readonly fromKg: number;
  readonly perKg: number;
}

/** One rate and the kg it prices. */
export interface KgStep extends Rate {
  readonly kg: string;
  readonly charge: string;
}

/** `total`: the highest break reached prices the whole weight. `cumulative`: each break prices its own kg. */
function kgCharge(lane: Lane, method: RateCard["breakMethod"], kg: Decimal): { charge: Decimal; steps: KgStep[] } {
  const rates = reachedRates(lane, kg);
  const priced =
    method === "total"
      ? rates.slice(-1).map((rate) => ({ rate, kg }))
      : rates.map((rate, index) => ({ rate, kg: kgBetween(rate, rates[index + 1], kg) }));
  const steps = priced.map(({ rate, kg: part }) => ({ rate, part, charge: multiply(cachedDecimal(rate.perKg), part) }));
  return {
    charge: steps.reduce((sum, step) => add(sum, step.charge), zero),
    steps: steps.map(({ rate, part, charge }) => ({ fromKg: rate.fromKg, perKg: rate.perKg, kg: toText(part), charge: toText(charge) })),
  };
}

/** The rates whose break the weight has reached, lowest first. A break from 0 kg takes the place of the lane's own rate. */
function reachedRates(lane: Lane, kg: Decimal): Rate[] {
  const whole = Number(kg.coefficient);
  const reached = lane.breaks.filter((weightBreak) => weightBreak.fromKg <= whole);
  return reached[0]?.fromKg === 0 ? reached : [{ fromKg: 0, perKg: lane.perKg }, ...reached];
}

const kgBetween = (rate: Rate, next: Rate | undefined, kg: Decimal): Decimal =>
  subtract(next ? cachedDecimal(next.fromKg) : kg, cachedDecimal(rate.fromKg));

/** How many items meet every part of the surcharge's condition; 0 when one of its parts about the consignment does not hold. */
function countMeeting({ when }: Surcharge, consignment: Consignment, zones: Pick<PriceTerms, "originZone" | "destinationZone">): number {
  if (when.originZones && !when.originZones.includes(zones.originZone)) return 0;
  if (when.destinationZones && !when.destinationZones.includes(zones.destinationZone)) return 0;
  if (when.declaredValueOver !== undefined && !isDeclaredOver(consignment, when.declaredValueOver)) return 0;
  return consignment.items.reduce((sum, item) => (isMetBy(item, when) ? sum + item.quantity : sum), 0);
}

/** Compares the JSON numbers directly, which is exact: they are in the same order as their decimal texts. */
function isMetBy(item: Item, when: Surcharge["when"]): boolean {
  const { itemLongerThan, itemHeavierThan, itemTypes } = when;
  if (itemLongerThan !== undefined && Math.max(item.length, item.width, item.height) <= itemLongerThan) return false;
  if (itemHeavierThan !== undefined && item.weight <= itemHeavierThan) return false;
  return itemTypes === undefined || itemTypes.some((type) => type.toLowerCase() === item.type?.toLowerCase());
}

function surchargeAmount({ charge }: Surcharge, amount: Cents, kg: Decimal, items: number): Cents {
  if (charge.flat !== undefined) return toCents(cachedDecimal(charge.flat));
  if (charge.perItem !== undefined) return toCents(multiply(cachedDecimal(charge.perItem), { coefficient: BigInt(items), scale: 0 }));
  if (charge.perKg !== undefined) return toCents(multiply(cachedDecimal(charge.perKg), kg));
  return percentOf(cachedDecimal(charge.percentOfFreight ?? 0), amount);
}
