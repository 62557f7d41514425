import { quoteAnswerOf } from "../../events/quoteAnswer.js";
import type { QuotePlace, QuotesGenerated } from "../../events/quoteEvents.js";

/** A quote request, with what a fetch of its quotes needs. */
export interface RecentQuotes {
  readonly organisationId: string;
  /** The contract's answer to a fetch of one quote, as JSON; undefined when the request has no such result. */
  answer(number: number): string | undefined;
}

/**
 * A cache of the quotes that this process has just recorded or read. A recorded quote never changes, so no entry becomes stale. The caller
 * compares the organisation for each fetch.
 */
export interface QuoteMemory {
  /** `size`: the number of characters of the answer. The cache is bounded by their sum. */
  keep(place: QuotePlace, quotes: RecentQuotes, size: number): void;
  find(place: QuotePlace): RecentQuotes | undefined;
}

/** About two thousand quotes, for an integrator who fetches quotes right after their request. */
const mostCharacters = 4 * 1024 * 1024;

export function createQuoteMemory(most = mostCharacters): QuoteMemory {
  const kept = new Map<string, { quotes: RecentQuotes; size: number }>();
  let characters = 0;
  return {
    keep(place, quotes, size) {
      const key = keyOf(place);
      if (kept.has(key)) return;
      kept.set(key, { quotes, size });
      characters += size;
      for (const [oldest, { size: freed }] of kept) {
        if (characters <= most) break;
        kept.delete(oldest);
        characters -= freed;
      }
    },
    find: (place) => kept.get(keyOf(place))?.quotes,
  };
}

/** All quotes of a request are one entry. The suffix keeps a quote with a stream of its own apart from a request with the same id. */
const keyOf = ({ quotesId, number }: QuotePlace): string => (number === 0 ? `${quotesId} alone` : quotesId);

/** `response` is the answer to the whole request. For one customer it is also the answer to a fetch; otherwise a fetch's answer is made when needed. */
export function recentQuotes(event: QuotesGenerated, response: string): RecentQuotes {
  return event.results.length === 1 ? onlyQuote(event.organisationId, response) : quotesOf(event);
}

/** Apart from `quotesOf`: functions made in one scope keep in memory what any of them uses, and fifty customers' text is 100 KB. */
function onlyQuote(organisationId: string, response: string): RecentQuotes {
  return { organisationId, answer: (number) => (number === 1 ? response : undefined) };
}

function quotesOf(event: QuotesGenerated): RecentQuotes {
  const texts = new Map<number, string>();
  return {
    organisationId: event.organisationId,
    answer(number) {
      const text = texts.get(number) ?? JSON.stringify(quoteAnswerOf(event, number));
      if (text !== undefined) texts.set(number, text);
      return text;
    },
  };
}
