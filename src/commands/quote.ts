// Quotes: one stream each, one event each. There for a read the moment the write has answered.
import { decode, type EventContext, encode } from "../events/codec.js";
import type { QuoteGenerated } from "../events/otherEvents.js";
import { streamOf } from "../events/streams.js";
import { type EventStore, noStream } from "../ports.js";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Records the quotes of one request side by side. The event's id is the quote's own, so that a resend is recognised. */
export async function recordQuotes({ events }: { events: EventStore }, quotes: readonly QuoteGenerated[]): Promise<void> {
  await Promise.all(
    quotes.map((quote) => {
      const context: EventContext = {
        organisation: quote.organisationId,
        actor: `key:${quote.keyPrefix}`,
        correlationId: quote.requestId,
      };
      return events.append(streamOf.quote(quote.quoteId), [encode("QuoteGenerated", quote, context, quote.quoteId)], noStream);
    }),
  );
}

/** Undefined for an unknown quote, another organisation's, and anything that is no quote id at all. */
export async function readQuote(
  deps: { events: EventStore },
  organisationId: string,
  quoteId: string,
): Promise<QuoteGenerated | undefined> {
  const quote = await findQuote(deps, quoteId);
  return quote?.organisationId === organisationId ? quote : undefined;
}

/** Whoever's it is: for auditors on the command line, never for a route. */
export async function findQuote({ events }: { events: EventStore }, quoteId: string): Promise<QuoteGenerated | undefined> {
  if (!uuid.test(quoteId)) return undefined;
  for await (const stored of events.read(streamOf.quote(quoteId.toLowerCase()), { max: 1 })) {
    const event = decode(stored);
    if (event?.type === "QuoteGenerated") return event.data;
  }
  return undefined;
}
