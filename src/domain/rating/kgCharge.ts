import type { Lane, RateCard } from "../catalogue/schema.js";
import { add, type Decimal, knownDecimal, multiply, subtract, toText } from "../money.js";

/** One rate and the kg it prices. */
export interface KgStep {
  readonly fromKg: number;
  readonly perKg: number;
  readonly kg: string;
  readonly charge: string;
}

interface Rate {
  readonly fromKg: number;
  readonly perKg: number;
}

const zero: Decimal = { coefficient: 0n, scale: 0 };

/** `total`: the break that the whole weight falls in prices all of it. `cumulative`: each break prices its own kg. */
export function kgCharge(lane: Lane, method: RateCard["breakMethod"], kg: Decimal): { charge: Decimal; steps: KgStep[] } {
  const rates = reachedBy(lane, kg);
  const priced =
    method === "total"
      ? rates.slice(-1).map((rate) => ({ rate, kg }))
      : rates.map((rate, index) => ({ rate, kg: between(rate, rates[index + 1], kg) }));
  const steps = priced.map(({ rate, kg: own }) => ({ rate, own, charge: multiply(knownDecimal(rate.perKg), own) }));
  return {
    charge: steps.reduce((sum, step) => add(sum, step.charge), zero),
    steps: steps.map(({ rate, own, charge }) => ({ fromKg: rate.fromKg, perKg: rate.perKg, kg: toText(own), charge: toText(charge) })),
  };
}

/** The rates whose break the weight has reached, lowest first. A break from 0 kg takes the place of the lane's own rate. */
function reachedBy(lane: Lane, kg: Decimal): Rate[] {
  const whole = Number(kg.coefficient);
  const reached = lane.breaks.filter((weightBreak) => weightBreak.fromKg <= whole);
  return reached[0]?.fromKg === 0 ? reached : [{ fromKg: 0, perKg: lane.perKg }, ...reached];
}

function between(rate: Rate, next: Rate | undefined, kg: Decimal): Decimal {
  return subtract(next ? knownDecimal(next.fromKg) : kg, knownDecimal(rate.fromKg));
}
