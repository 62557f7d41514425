import { type AnsweredQuote, type Explanation, explainQuote } from "../domain/rating/explain.js";
import type { QuoteBasis } from "../domain/rating/quotes.js";
import type { QuoteGenerated } from "../events/quoteEvents.js";

/** The event holds what was answered and what it was priced from; both were ours to write. */
export function explainStoredQuote({ basis, response }: QuoteGenerated): Explanation {
  const { results } = response as { results: readonly { quotes: readonly AnsweredQuote[]; noQuoteMessage: string }[] };
  const [result] = results;
  const { agrees, lines } = explainQuote(basis as unknown as QuoteBasis, result?.quotes ?? []);
  return { agrees, lines: result?.noQuoteMessage ? [...lines, result.noQuoteMessage] : lines };
}
