// A second computation of a price that shares no code with the product: it uses whole numbers of the smallest unit throughout.
// Lengths are mm, weights g, factors whole, rates and amounts hundredths of a cent, percentages hundredths of a percent.

export interface OracleItem {
  quantity: bigint;
  mm: [bigint, bigint, bigint];
  grams: bigint;
  value: bigint;
}

export interface OracleSurcharge {
  kind: "flat" | "perItem" | "perKg" | "percentOfFreight";
  value: bigint;
  longerThanMm?: bigint;
  heavierThanGrams?: bigint;
  valueOver?: bigint;
  fuelApplies: boolean;
}

export interface OracleCase {
  items: OracleItem[];
  factor: bigint;
  basic: bigint;
  perKg: bigint;
  minimum: bigint;
  breaks: { fromKg: bigint; perKg: bigint }[];
  cumulative: boolean;
  surcharges: OracleSurcharge[];
  fuelPercent: bigint;
  gst: boolean;
}

export interface OraclePrice {
  kg: bigint;
  amount: bigint;
  surcharges: bigint[];
  fuel: bigint;
  gst: bigint;
  total: bigint;
}

/** Divides and rounds to the nearest whole number, halves up. */
function nearest(value: bigint, unit: bigint): bigint {
  const rest = value % unit;
  return rest * 2n >= unit ? value / unit + 1n : value / unit;
}

function most(...values: bigint[]): bigint {
  let best = 0n;
  for (const value of values) if (value > best) best = value;
  return best;
}

export function oraclePrice(of: OracleCase): OraclePrice {
  // mm x mm x mm x factor is a billionth of a kg; grams are a million of those.
  let billionths = 0n;
  for (const { quantity, mm, grams } of of.items) {
    const cubic = mm[0] * mm[1] * mm[2] * of.factor;
    const dead = grams * 1_000_000n;
    billionths += most(cubic, dead) * quantity;
  }
  let kg = billionths / 1_000_000_000n;
  if (kg * 1_000_000_000n < billionths) kg += 1n;

  let charge = 0n;
  if (of.cumulative) {
    for (let one = 0n, rate = of.perKg, index = 0; one < kg; ) {
      const next = of.breaks[index];
      const end = next && next.fromKg < kg ? next.fromKg : kg;
      charge += (end - one) * rate;
      one = end;
      if (next && end === next.fromKg) [rate, index] = [next.perKg, index + 1];
    }
  } else {
    const rate = of.breaks.filter(({ fromKg }) => kg >= fromKg).at(-1)?.perKg ?? of.perKg;
    charge = kg * rate;
  }
  const freight = most(of.basic + charge, of.minimum);
  const amount = nearest(freight, 100n);

  const value = of.items.reduce((sum, item) => sum + item.value * item.quantity, 0n);
  const surcharges: bigint[] = [];
  let fuelBase = amount;
  for (const { kind, value: rate, longerThanMm, heavierThanGrams, valueOver, fuelApplies } of of.surcharges) {
    if (valueOver !== undefined && value <= valueOver) continue;
    let count = 0n;
    for (const item of of.items) {
      if (longerThanMm !== undefined && most(...item.mm) <= longerThanMm) continue;
      if (heavierThanGrams !== undefined && item.grams <= heavierThanGrams) continue;
      count += item.quantity;
    }
    if (count === 0n) continue;
    const cents =
      kind === "flat"
        ? nearest(rate, 100n)
        : kind === "perItem"
          ? nearest(rate * count, 100n)
          : kind === "perKg"
            ? nearest(rate * kg, 100n)
            : nearest(rate * amount, 10_000n);
    surcharges.push(cents);
    if (fuelApplies) fuelBase += cents;
  }
  const fuel = nearest(of.fuelPercent * fuelBase, 10_000n);
  const net = amount + surcharges.reduce((sum, cents) => sum + cents, 0n) + fuel;
  const gst = of.gst ? nearest(net, 10n) : 0n;
  return { kg, amount, surcharges, fuel, gst, total: net + gst };
}
