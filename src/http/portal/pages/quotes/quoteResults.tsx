import type { Location } from "../../../../domain/geography/geography.js";
import type { ExplainedCard } from "../../../../domain/rating/explain.js";
import type { ExplainedQuote } from "../../../../queries/quotes/explainQuote.js";
import { countInWords, dayInWords } from "../../shell/formats.js";
import { Badge, CopyButton, Link, ShortId, Time, Unbroken } from "../../shell/markup.js";
import { type Column, Table } from "../../shell/table.js";
import { quotesPath } from "./quoteForm.js";

interface QuotesProps {
  readonly quotes: readonly ExplainedQuote[];
  readonly nameOf: (customerId: string) => string | undefined;
}

const placeInWords = ({ suburb, state, postalCode, countryCode }: Location) => `${suburb} ${state} ${postalCode} ${countryCode}`;

/** The prices of one request. Each customer's prices are listed cheapest first, with the steps of each price. */
export function QuoteResults({ quotes, nameOf }: QuotesProps) {
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
      <QuotedItems items={items.slice(0, maxListedItems)} />
      {items.length > maxListedItems ? (
        <details class="quoted-items">
          <summary>{countInWords(items.length - maxListedItems, "more item", "more items")}</summary>
          <QuotedItems items={items.slice(maxListedItems)} />
        </details>
      ) : null}
      {quotes.length > 1 ? <PriceComparison quotes={quotes} nameOf={nameOf} money={money} /> : null}
      {quotes.map((quote) => (
        <CustomerPrices quote={quote} name={nameOf(quote.recorded.customerId)} money={money} />
      ))}
      <div class="button-row">
        <CopyButton text={pricesAsText(quotes, nameOf, money)} label="Copy as text" />
        <Link to={`${quotesPath}/${first.quoteId}/history`}>History</Link>
      </div>
    </section>
  );
}

/** The number of items that are always visible. The others can be unfolded. */
const maxListedItems = 10;

const QuotedItems = ({ items }: { items: ExplainedQuote["recorded"]["items"] }) => (
  <ul class="quoted-items">
    {items.map(({ quantity, type, length, width, height, weight }) => (
      <li>
        {quantity} x {type ?? "item"}, {length} x {width} x {height} m, {weight} kg each
      </li>
    ))}
  </ul>
);

/** A table with each customer's price for each service. */
function PriceComparison({ quotes, nameOf, money }: QuotesProps & { money: Money }) {
  const services = new Map(quotes.flatMap(({ explanation }) => explanation.cards.map(({ entry }) => [entry.serviceId, entry.serviceName])));
  const columns: Column<ExplainedQuote>[] = [...services].map(([serviceId, name]) => ({
    heading: name,
    number: true,
    cell: ({ explanation }) => {
      const { entry } = explanation.cards.find((card) => card.entry.serviceId === serviceId) ?? {};
      return entry ? money.cents(entry.totalAmount) : <span class="muted">-</span>;
    },
  }));
  columns.unshift({ heading: "Customer", isRowHeader: true, cell: ({ recorded: { customerId } }) => nameOf(customerId) ?? customerId });
  return <Table caption="The cheapest price of each service, by customer" columns={columns} rows={quotes} />;
}

function CustomerPrices({ quote, name, money }: { quote: ExplainedQuote; name: string | undefined; money: Money }) {
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
          <Table caption={`Prices for ${name ?? recorded.customerId}, cheapest first`} columns={priceColumns(money)} rows={cards} />
          <details class="breakdown">
            <summary>{cards.length === 1 ? "How this price is made up" : "How these prices are made up"}</summary>
            <div class="price-tables">
              {cards.map((card) => (
                <PriceBreakdown card={card} money={money} />
              ))}
            </div>
          </details>
        </>
      )}
    </section>
  );
}

const priceColumns = ({ cents, currency }: Money): readonly Column<ExplainedCard>[] => [
  { heading: "Service", isRowHeader: true, cell: ({ entry }) => <Unbroken text={entry.serviceName} /> },
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

function pricesAsText(quotes: readonly ExplainedQuote[], nameOf: QuotesProps["nameOf"], { cents, currency }: Money): string {
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

const maxDecimals = 20;

/** Amounts of one currency, as people write them: `$1,234.50`. */
export function moneyIn(currency: string) {
  const style = { style: "currency", currency, minimumFractionDigits: 2 } as const;
  const cents = new Intl.NumberFormat("en-AU", { ...style, maximumFractionDigits: 2 });
  const exact = new Intl.NumberFormat("en-AU", { ...style, maximumFractionDigits: maxDecimals });
  return {
    currency,
    cents: (amount: number): string => cents.format(amount),
    /** A rate or an exact amount, with two decimals or more. */
    exact: (amount: number | string): string => exact.format(amount as Intl.StringNumericLiteral),
  };
}

export type Money = ReturnType<typeof moneyIn>;

function PriceBreakdown({ card, money }: { card: ExplainedCard; money: Money }) {
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

/** The steps of a price. Lines with `adds` sum up to the total: freight, each surcharge, fuel and GST. The other lines explain them. */
export function priceLines({ terms, steps }: ExplainedCard, { cents, exact }: Money) {
  const { lane, originZone, destinationZone, cubicFactor, fuelLevyPercent, gstApplies } = terms;
  const zones = `${originZone} to ${destinationZone}`;
  const laneWords = lane.from === originZone && lane.to === destinationZone ? zones : `${zones}, priced as ${lane.from} to ${lane.to}`;
  return [
    { words: `Zones ${laneWords}`, figure: "" },
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
