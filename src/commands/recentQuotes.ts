/** What a fetch answers, and to whom. */
export interface RecentQuote {
  readonly organisationId: string;
  /** The contract's response, as JSON. */
  readonly response: string;
}

/**
 * Quotes that this process has just recorded or read. A recorded quote never changes, so what is here is never stale; whoever asks
 * for one is told apart by its organisation every time.
 */
export interface RecentQuotes {
  keep(quoteId: string, quote: RecentQuote): void;
  find(quoteId: string): RecentQuote | undefined;
}

/** About a thousand quotes: for the integrator who fetches what was just generated, not for an archive. */
const mostCharacters = 4 * 1024 * 1024;

export function createRecentQuotes(most = mostCharacters): RecentQuotes {
  const kept = new Map<string, RecentQuote>();
  let characters = 0;
  return {
    keep(quoteId, quote) {
      if (kept.has(quoteId)) return;
      kept.set(quoteId, quote);
      characters += quote.response.length;
      for (const [oldest, { response }] of kept) {
        if (characters <= most) break;
        kept.delete(oldest);
        characters -= response.length;
      }
    },
    find: (quoteId) => kept.get(quoteId),
  };
}
