import type { ExplainedCard } from "../../../../domain/rating/explain.js";

const mostDecimals = 20;

/** Amounts of one currency, as people write them: `$1,234.50`. */
export function moneyIn(currency: string) {
  const style = { style: "currency", currency, minimumFractionDigits: 2 } as const;
  const cents = new Intl.NumberFormat("en-AU", { ...style, maximumFractionDigits: 2 });
  const exact = new Intl.NumberFormat("en-AU", { ...style, maximumFractionDigits: mostDecimals });
  return {
    currency,
    cents: (amount: number): string => cents.format(amount),
    /** A rate or an exact amount, which may have more decimals than two, and has no fewer. */
    exact: (amount: number | string): string => exact.format(amount as Intl.StringNumericLiteral),
  };
}

export type Money = ReturnType<typeof moneyIn>;

/** How each price of a customer is made up, side by side. */
export const PriceBreakdown = ({ cards, money }: { cards: readonly ExplainedCard[]; money: Money }) => (
  <details class="breakdown">
    <summary>{cards.length === 1 ? "How this price is made up" : "How these prices are made up"}</summary>
    <div class="price-tables">
      {cards.map((card) => (
        <Price card={card} money={money} />
      ))}
    </div>
  </details>
);

function Price({ card, money }: { card: ExplainedCard; money: Money }) {
  const { entry, steps, differences } = card;
  return (
    <div>
      <table class="price-lines">
        <caption>
          {entry.serviceName} <span class="muted">{entry.rateCardName}</span>
        </caption>
        <tbody>
          {priceLines(card, money).map(({ words, figure, adds }) => (
            <tr class={adds ? "adds" : "muted"}>
              <th scope="row">{words}</th>
              <td class="number">{figure}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <td class="number">{money.cents(steps.total)}</td>
          </tr>
        </tfoot>
      </table>
      {differences.map((sentence) => (
        <p class="differs">Differs from what was answered: {sentence}.</p>
      ))}
    </div>
  );
}

/** One line of how a price is made up. Lines with `adds` make up the total; the other lines explain them. */
export interface PriceLine {
  readonly words: string;
  readonly figure: string;
  readonly adds?: true;
}

/** Freight, each surcharge, fuel and GST, and before them what the freight is made of. */
export function priceLines({ terms, steps }: ExplainedCard, { cents, exact }: Money): readonly PriceLine[] {
  const { lane, originZone, destinationZone, cubicFactor, fuelLevyPercent, gstApplies } = terms;
  const zones = `${originZone} to ${destinationZone}`;
  const onLane = lane.from === originZone && lane.to === destinationZone ? zones : `${zones}, priced as ${lane.from} to ${lane.to}`;
  return [
    { words: `Zones ${onLane}`, figure: "" },
    { words: `Chargeable weight: ${steps.exactKg} kg at ${cubicFactor} kg per cubic metre, rounded up`, figure: `${steps.kg} kg` },
    { words: "Basic charge", figure: cents(steps.basic) },
    ...steps.kgCharge.map(({ kg, perKg, fromKg, charge }) => ({
      words: `${kg} kg at ${exact(perKg)} per kg${fromKg > 0 ? `, the rate from ${fromKg} kg` : ""}`,
      figure: exact(charge),
    })),
    {
      words: steps.minimumApplied ? "Freight, raised to the minimum charge" : "Freight: basic and weight charge",
      figure: cents(steps.amount),
      adds: true,
    },
    ...steps.surcharges.map(({ name, description, amount }) => ({
      words: description === "" ? name : `${name}: ${description}`,
      figure: cents(amount),
      adds: true as const,
    })),
    ...(fuelLevyPercent > 0
      ? [{ words: `Fuel levy, ${fuelLevyPercent}% of ${cents(steps.fuelBase)}`, figure: cents(steps.fuel), adds: true as const }]
      : []),
    {
      words: gstApplies ? `GST, 10% of ${cents(steps.gstBase)}` : "GST: none, not within Australia",
      figure: cents(steps.gst),
      adds: true,
    },
  ];
}
