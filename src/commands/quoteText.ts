// The JSON of the quotes of one request. Customers of one organisation share most of what they are answered (the places, the goods,
// the cards they have in common), so each piece is turned into text once and the texts are put together: what is answered, what is
// recorded and what a later fetch answers are the same pieces.

import type { Location } from "../domain/geography/geography.js";
import type { Principal } from "../domain/principal.js";
import type { Goods } from "../domain/rating/consignment.js";
import type { PriceTerms } from "../domain/rating/price.js";
import type { Filters } from "../domain/rating/quoteRequest.js";
import type { PricedCard, PricedResult, QuoteEntry } from "../domain/rating/quotes.js";

export interface QuoteFacts {
  readonly origin: Location;
  readonly destination: Location;
  readonly goods: readonly Goods[];
  readonly filters: Filters;
  /** The fields of the event before and behind what was priced. */
  readonly organisationId: string;
  readonly catalogueVersion: number;
  readonly by: Principal;
  readonly requestId: string;
  readonly at: string;
}

export interface QuoteText {
  readonly quoteId: string;
  /** The contract's answer to a fetch of this quote. */
  readonly response: string;
  /** The data of its event. */
  readonly event: string;
}

export interface QuoteTexts {
  readonly quotes: readonly QuoteText[];
  /** The contract's answer to the request, with all results. */
  readonly response: string;
}

export function quoteTexts(facts: QuoteFacts, results: readonly (PricedResult & { readonly quoteId: string })[]): QuoteTexts {
  const textOf = remembered<object>(JSON.stringify);
  const cardText = remembered(textOfCard);
  const [origin, destination] = [textOf(facts.origin), textOf(facts.destination)];
  const before = `{"origin":${origin},"destination":${destination},"goods":${JSON.stringify(facts.goods)},"results":[`;
  const organisation = `"organisationId":${JSON.stringify(facts.organisationId)}`;
  const behind = `"filters":${JSON.stringify(facts.filters)}},"by":${JSON.stringify(facts.by)},"requestId":${JSON.stringify(facts.requestId)},"at":"${facts.at}"}`;
  const all: string[] = [];
  const quotes = results.map(({ quoteId, customerId, noQuoteMessage, quotes: entries, basis }) => {
    const customer = `"customerId":${JSON.stringify(customerId)}`;
    const result = `{${customer},"quoteId":"${quoteId}","noQuoteMessage":${JSON.stringify(noQuoteMessage)},"quotes":${entriesText(quoteId, entries, textOf)}}`;
    all.push(result);
    const response = `${before}${result}]}`;
    const cards = `[${basis.cards.map(cardText).join(",")}]`;
    const priced = `{"items":${textOf(basis.items)},"origin":${origin},"destination":${destination},"today":"${basis.today}","cards":${cards},`;
    const event = `{"quoteId":"${quoteId}",${organisation},${customer},"catalogueVersion":${facts.catalogueVersion},"response":${response},"basis":${priced}${behind}`;
    return { quoteId, response, event };
  });
  return { quotes, response: `${before}${all.join(",")}]}` };
}

function entriesText(quoteId: string, entries: readonly QuoteEntry[], textOf: (value: object) => string): string {
  const texts = entries.map((entry, index) => `{"rateId":"${rateIdOf(quoteId, index)}",${textOf(entry).slice(1)}`);
  return `[${texts.join(",")}]`;
}

const rateIdOf = (quoteId: string, index: number): string => `${quoteId}-${index + 1}`;

const termsText = new WeakMap<PriceTerms, string>();

/** The terms are the larger part of a card, and the same objects with every quote. */
function textOfCard({ rateCardId, serviceId, zoneMapId, terms, steps }: PricedCard): string {
  const known = termsText.get(terms) ?? JSON.stringify(terms);
  termsText.set(terms, known);
  const names = `"rateCardId":${JSON.stringify(rateCardId)},"serviceId":${JSON.stringify(serviceId)},"zoneMapId":${JSON.stringify(zoneMapId)}`;
  return `{${names},"terms":${known},"steps":${JSON.stringify(steps)}}`;
}

function remembered<Value extends object>(textOf: (value: Value) => string): (value: Value) => string {
  const known = new Map<Value, string>();
  return (value) => {
    let text = known.get(value);
    if (text === undefined) {
      text = textOf(value);
      known.set(value, text);
    }
    return text;
  };
}
