import { answerOf } from "../events/quoteAnswer.js";
import type { QuotesGenerated } from "../events/quoteEvents.js";
import type { QuotePlace } from "../events/quoteId.js";

/** A request for quotes, as a fetch needs it. */
export interface RecentQuotes {
  readonly organisationId: string;
  /** The contract's answer to a fetch of one quote, as JSON; undefined when the request has no such result. */
  answer(number: number): string | undefined;
}

/**
 * Quotes that this process has just recorded or read. A recorded quote never changes, so what is here is never stale; whoever asks
 * for one is told apart by its organisation every time.
 */
export interface QuoteMemory {
  /** `size`: characters of what was answered, which is what the memory is bounded by. */
  keep(place: QuotePlace, quotes: RecentQuotes, size: number): void;
  find(place: QuotePlace): RecentQuotes | undefined;
}

/** About two thousand quotes: for the integrator who fetches what was just generated, not for an archive. */
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

/** All quotes of a request are one entry; one that has a stream of its own never shares its id with a request. */
const keyOf = ({ quotesId, number }: QuotePlace): string => (number === 0 ? `${quotesId} alone` : quotesId);

/** `response`: what the whole request was answered, which for one customer is what a fetch answers. Other texts are made when asked for. */
export function recentQuotes(event: QuotesGenerated, response: string): RecentQuotes {
  const { organisationId } = event;
  if (event.results.length === 1) return { organisationId, answer: (number) => (number === 1 ? response : undefined) };
  const texts = new Map<number, string>();
  return {
    organisationId,
    answer(number) {
      const text = texts.get(number) ?? JSON.stringify(answerOf(event, number));
      if (text !== undefined) texts.set(number, text);
      return text;
    },
  };
}
