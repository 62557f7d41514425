import type { ExplainedCard } from "../../../../domain/rating/explain.js";

/** One line of how a price came about. Lines with `adds` make up the total; the other lines explain them. */
export interface PriceLine {
  readonly words: string;
  readonly figure: string;
  readonly adds?: true;
}

export const money = (amount: number) => amount.toFixed(2);

/** An exact amount may have more places than two, and has no fewer. */
function withCents(amount: string): string {
  const [whole = "", places = ""] = amount.split(".");
  return `${whole}.${places.padEnd(2, "0")}`;
}

/** Freight, each surcharge, fuel and GST, and before them what the freight is made of. */
export function priceLines({ terms, steps }: ExplainedCard): readonly PriceLine[] {
  const { lane, originZone, destinationZone, cubicFactor, fuelLevyPercent, gstApplies } = terms;
  const zones = `${originZone} to ${destinationZone}`;
  const onLane = lane.from === originZone && lane.to === destinationZone ? zones : `${zones}, priced as ${lane.from} to ${lane.to}`;
  return [
    { words: `Zones ${onLane}`, figure: "" },
    { words: `Chargeable weight: ${steps.exactKg} kg at ${cubicFactor} kg a cubic metre, rounded up`, figure: `${steps.kg} kg` },
    { words: "Basic charge", figure: money(steps.basic) },
    ...steps.kgCharge.map(({ kg, perKg, fromKg, charge }) => ({
      words: `${kg} kg at ${perKg} a kg${fromKg > 0 ? `, the rate from ${fromKg} kg` : ""}`,
      figure: withCents(charge),
    })),
    {
      words: steps.minimumApplied ? "Freight, raised to the minimum charge" : "Freight: basic and weight charge",
      figure: money(steps.amount),
      adds: true,
    },
    ...steps.surcharges.map(({ name, description, amount }) => ({
      words: description === "" ? name : `${name}: ${description}`,
      figure: money(amount),
      adds: true as const,
    })),
    ...(fuelLevyPercent > 0
      ? [{ words: `Fuel levy, ${fuelLevyPercent}% of ${money(steps.fuelBase)}`, figure: money(steps.fuel), adds: true as const }]
      : []),
    {
      words: gstApplies ? `GST, 10% of ${money(steps.gstBase)}` : "GST: none, not within Australia",
      figure: money(steps.gst),
      adds: true,
    },
  ];
}
