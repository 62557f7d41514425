import type { Location } from "../../../../domain/geography/geography.js";
import type { ExplainedCard } from "../../../../domain/rating/explain.js";
import type { ExplainedQuote } from "../../../../queries/quotes/explainQuote.js";
import { countInWords, dayInWords } from "../../shell/formats.js";
import { Badge, CopyButton, Link, ShortId, Time, Unbroken } from "../../shell/parts.js";
import { type Column, Table } from "../../shell/table.js";
import { quotesPath } from "./quoteForm.js";

interface Props {
  readonly quotes: readonly ExplainedQuote[];
  readonly nameOf: (customerId: string) => string | undefined;
}

const placeInWords = ({ suburb, state, postalCode, countryCode }: Location) => `${suburb} ${state} ${postalCode} ${countryCode}`;

/** One request's prices: of each customer the cheapest first, each with how it is made up. */
export function QuoteResults({ quotes, nameOf }: Props) {
  const [first] = quotes;
  if (!first) return null;
  const { origin, destination, items, at } = first.recorded;
  const money = moneyIn(first.currency);
  return (
    <section class="panel results" aria-labelledby="prices">
      <h2 id="prices">
        {placeInWords(origin)} to {placeInWords(destination)}
      </h2>
      <p class="hint">
        Priced <Time at={at} /> at the rates valid on {first.explanation.today === "" ? "that day" : dayInWords(first.explanation.today)}.
        Totals are in {money.currency} and include surcharges, fuel levy and GST.
      </p>
      <QuotedItems items={items.slice(0, firstItems)} />
      {items.length > firstItems ? (
        <details class="quoted-items">
          <summary>{countInWords(items.length - firstItems, "more item", "more items")}</summary>
          <QuotedItems items={items.slice(firstItems)} />
        </details>
      ) : null}
      {quotes.length > 1 ? <PriceComparison quotes={quotes} nameOf={nameOf} money={money} /> : null}
      {quotes.map((quote) => (
        <CustomersPrices quote={quote} name={nameOf(quote.recorded.customerId)} money={money} />
      ))}
      <div class="button-row">
        <CopyButton text={asText(quotes, nameOf, money)} label="Copy as text" />
        <Link to={`${quotesPath}/${first.quoteId}/history`}>History</Link>
      </div>
    </section>
  );
}

/** So many items are listed above the prices. */
const firstItems = 10;

const QuotedItems = ({ items }: { items: ExplainedQuote["recorded"]["items"] }) => (
  <ul class="quoted-items">
    {items.map(({ quantity, type, length, width, height, weight }) => (
      <li>
        {quantity} x {type ?? "item"}, {length} x {width} x {height} m, {weight} kg each
      </li>
    ))}
  </ul>
);

/** What each service costs each customer, side by side. */
function PriceComparison({ quotes, nameOf, money }: Props & { money: Money }) {
  const services = new Map(quotes.flatMap(({ explanation }) => explanation.cards.map(({ entry }) => [entry.serviceId, entry.serviceName])));
  const columns: Column<ExplainedQuote>[] = [...services].map(([serviceId, name]) => ({
    heading: name,
    number: true,
    cell: ({ explanation }) => {
      const { entry } = explanation.cards.find((card) => card.entry.serviceId === serviceId) ?? {};
      return entry ? money.cents(entry.totalAmount) : <span class="muted">-</span>;
    },
  }));
  columns.unshift({ heading: "Customer", names: true, cell: ({ recorded: { customerId } }) => nameOf(customerId) ?? customerId });
  return <Table caption="The cheapest price of each service, by customer" columns={columns} rows={quotes} />;
}

function CustomersPrices({ quote, name, money }: { quote: ExplainedQuote; name: string | undefined; money: Money }) {
  const { quoteId, recorded, explanation } = quote;
  const { cards } = explanation;
  return (
    <section class="customer-prices">
      <h3>
        {name ?? recorded.customerId} {name ? <span class="muted">{recorded.customerId}</span> : null}{" "}
        <span class="hint">
          Quote <ShortId id={quoteId} about="the quote's id" />
        </span>
      </h3>
      {cards.length === 0 ? (
        <p>{recorded.noQuoteMessage || "No price could be calculated"}.</p>
      ) : (
        <>
          <Table caption={`Prices for ${name ?? recorded.customerId}, cheapest first`} columns={columns(money)} rows={cards} />
          <details class="breakdown">
            <summary>{cards.length === 1 ? "How this price is made up" : "How these prices are made up"}</summary>
            <div class="price-tables">
              {cards.map((card) => (
                <Price card={card} money={money} />
              ))}
            </div>
          </details>
        </>
      )}
    </section>
  );
}

const columns = ({ cents, currency }: Money): readonly Column<ExplainedCard>[] => [
  { heading: "Service", names: true, cell: ({ entry }) => <Unbroken text={entry.serviceName} /> },
  {
    heading: "Rate card",
    cell: ({ entry }) => (
      <span>
        {entry.rateCardName} {entry.isSpotRate ? <Badge state={{ label: "Spot rate", badge: "busy" }} /> : null}
      </span>
    ),
  },
  { heading: "Delivery", cell: ({ entry }) => <Unbroken text={entry.deliveryTime || "Not known"} /> },
  { heading: "Freight", number: true, cell: ({ steps }) => cents(steps.amount) },
  { heading: "Surcharges", number: true, cell: ({ steps }) => cents(steps.surcharges.reduce((sum, { amount }) => sum + amount, 0)) },
  { heading: "Fuel levy", number: true, cell: ({ steps }) => cents(steps.fuel) },
  { heading: "GST", number: true, cell: ({ steps }) => cents(steps.gst) },
  { heading: `Total (${currency})`, number: true, cell: ({ entry }) => <strong>{cents(entry.totalAmount)}</strong> },
];

function asText(quotes: readonly ExplainedQuote[], nameOf: Props["nameOf"], { cents, currency }: Money): string {
  const [first] = quotes;
  const lines = first ? [`${placeInWords(first.recorded.origin)} to ${placeInWords(first.recorded.destination)}`] : [];
  for (const { quoteId, recorded, explanation } of quotes) {
    lines.push("", `${nameOf(recorded.customerId) ?? recorded.customerId} (quote ${quoteId})`);
    for (const { entry } of explanation.cards) {
      lines.push(`${entry.serviceName}, ${entry.deliveryTime || "time not known"}: ${cents(entry.totalAmount)} ${currency} incl. GST`);
    }
    if (explanation.cards.length === 0) lines.push(recorded.noQuoteMessage);
  }
  return lines.join("\n");
}

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

/** How a price is made up. The lines with `adds` make up the total: freight, each surcharge, fuel and GST. The others explain them. */
export function priceLines({ terms, steps }: ExplainedCard, { cents, exact }: Money) {
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
      adds: true,
    })),
    ...(fuelLevyPercent > 0
      ? [{ words: `Fuel levy, ${fuelLevyPercent}% of ${cents(steps.fuelBase)}`, figure: cents(steps.fuel), adds: true }]
      : []),
    {
      words: gstApplies ? `GST, 10% of ${cents(steps.gstBase)}` : "GST: none, not within Australia",
      figure: cents(steps.gst),
      adds: true,
    },
  ];
}
