import type { Page } from "../../../../queries/page.js";
import type { ExplainedQuote } from "../../../../queries/quotes/explainQuote.js";
import type { ListedQuote, QuoteFilter } from "../../../../queries/quotes/quoteList.js";

/** The first page of the list with the quotes that the page shows, which were read from their stream: the list may not have them yet. */
export function withNewQuotes(found: Page<ListedQuote>, shown: readonly ExplainedQuote[], filter: QuoteFilter): Page<ListedQuote> {
  const [newest] = found.items;
  const listed = new Set(found.items.map(({ quoteId }) => quoteId));
  const missing = shown.filter(
    ({ quoteId, recorded }) => !listed.has(quoteId) && fits(recorded, filter) && (!newest || recorded.at > new Date(newest.generatedAt)),
  );
  return { ...found, items: [...missing.map(listedQuote).reverse(), ...found.items] };
}

const fits = ({ customerId, at }: ExplainedQuote["recorded"], filter: QuoteFilter): boolean =>
  (filter.customerId === undefined || filter.customerId === customerId) &&
  (filter.from === undefined || at >= filter.from) &&
  (filter.to === undefined || at < filter.to);

function listedQuote({ quoteId, recorded }: ExplainedQuote): ListedQuote {
  const { customerId, at, origin, destination, noQuoteMessage, cards } = recorded;
  const [cheapest] = cards;
  return {
    quoteId,
    customerId,
    generatedAt: at.toISOString(),
    origin,
    destination,
    serviceCount: cards.length,
    cheapest: cheapest ? { serviceName: cheapest.entry.serviceName, totalAmount: cheapest.entry.totalAmount } : null,
    noQuoteMessage,
  };
}
