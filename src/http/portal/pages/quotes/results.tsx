import type { Location } from "../../../../domain/geography/geography.js";
import type { ExplainedCard } from "../../../../domain/rating/explain.js";
import type { ExplainedQuote } from "../../../../queries/quotes/explainQuote.js";
import type { SignedInVisit } from "../../page.js";
import { type Column, Table } from "../../shell/panel.js";
import { CopyButton, ShortId, Time } from "../../shell/values.js";
import { quotesPath } from "./quoteForm.js";

interface Props {
  readonly visit: SignedInVisit;
  readonly quotes: readonly ExplainedQuote[];
  readonly nameOf: (customerId: string) => string | undefined;
}

const placeInWords = ({ suburb, state, postalCode, countryCode }: Location) => `${suburb} ${state} ${postalCode} ${countryCode}`;

/** One request's prices: of each customer the cheapest first, each with how it came about. */
export function Results({ visit, quotes, nameOf }: Props) {
  const [first] = quotes;
  if (!first) return null;
  const { origin, destination, items, at } = first.recorded;
  return (
    <section class="panel results" aria-labelledby="prices">
      <h2 id="prices">
        {placeInWords(origin)} to {placeInWords(destination)}
      </h2>
      <p class="hint">
        Priced <Time visit={visit} at={at} /> by the rates valid on {first.explanation.today || "that day"}. Prices include surcharges and
        GST.
      </p>
      <ul class="quoted-items">
        {items.map(({ quantity, type, length, width, height, weight }) => (
          <li>
            {quantity} x {type ?? "item"}, {length} x {width} x {height} m, {weight} kg each
          </li>
        ))}
      </ul>
      {quotes.length > 1 ? <Compared quotes={quotes} nameOf={nameOf} /> : null}
      {quotes.map((quote) => (
        <CustomersPrices quote={quote} name={nameOf(quote.recorded.customerId)} />
      ))}
      <CopyButton text={asText(quotes, nameOf)} label="Copy as text" />{" "}
      <a href={visit.links.to(`${quotesPath}/${first.quoteId}/history`)}>History</a>
    </section>
  );
}

/** What each service costs each customer, side by side. */
function Compared({ quotes, nameOf }: Omit<Props, "visit">) {
  const services = new Map(quotes.flatMap(({ explanation }) => explanation.cards.map(({ entry }) => [entry.serviceId, entry.serviceName])));
  const columns: Column<ExplainedQuote>[] = [...services].map(([serviceId, name]) => ({
    heading: name,
    number: true,
    cell: ({ explanation }) => {
      const { entry } = explanation.cards.find((card) => card.entry.serviceId === serviceId) ?? {};
      return entry ? money(entry.totalAmount) : <span class="muted">-</span>;
    },
  }));
  const customer: Column<ExplainedQuote> = {
    heading: "Customer",
    names: true,
    cell: ({ recorded: { customerId } }) => nameOf(customerId) ?? customerId,
  };
  return <Table caption="The cheapest price of each service, by customer" columns={[customer, ...columns]} rows={quotes} />;
}

function CustomersPrices({ quote, name }: { quote: ExplainedQuote; name: string | undefined }) {
  const { quoteId, recorded, explanation } = quote;
  return (
    <section class="customer-prices">
      <h3>
        {name ?? recorded.customerId} {name ? <span class="muted">{recorded.customerId}</span> : null}
      </h3>
      <p class="hint">
        Quote <ShortId id={quoteId} about="the quote's id" />
      </p>
      {explanation.cards.length === 0 ? <p>{recorded.noQuoteMessage || "Nothing could be priced"}.</p> : null}
      {explanation.cards.map((card) => (
        <Price card={card} />
      ))}
    </section>
  );
}

function Price({ card }: { card: ExplainedCard }) {
  const { entry, steps, differences } = card;
  return (
    <details class="price">
      <summary>
        <span class="service">{entry.serviceName}</span> <span class="muted">{entry.rateCardName}</span>
        <span class="muted">{entry.deliveryTime}</span>
        {entry.isSpotRate ? <span class="muted">Spot rate</span> : null}
        <strong class="amount">{money(entry.totalAmount)}</strong>
      </summary>
      <table class="price-lines">
        <caption class="unseen">How the price of {entry.serviceName} came about</caption>
        <tbody>
          {priceLines(card).map(({ words, figure, adds }) => (
            <tr class={adds ? "adds" : "muted"}>
              <th scope="row">{words}</th>
              <td class="number">{figure}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <td class="number">{money(steps.total)}</td>
          </tr>
        </tfoot>
      </table>
      {differences.map((sentence) => (
        <p class="differs">Differs from what was answered: {sentence}.</p>
      ))}
    </details>
  );
}

function asText(quotes: readonly ExplainedQuote[], nameOf: Props["nameOf"]): string {
  const [first] = quotes;
  const lines = first ? [`${placeInWords(first.recorded.origin)} to ${placeInWords(first.recorded.destination)}`] : [];
  for (const { quoteId, recorded, explanation } of quotes) {
    lines.push("", `${nameOf(recorded.customerId) ?? recorded.customerId} (quote ${quoteId})`);
    for (const { entry } of explanation.cards) {
      lines.push(`${entry.serviceName}, ${entry.deliveryTime || "time not known"}: ${money(entry.totalAmount)} incl. GST`);
    }
    if (explanation.cards.length === 0) lines.push(recorded.noQuoteMessage);
  }
  return lines.join("\n");
}

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
