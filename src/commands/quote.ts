// Quotes: one stream each, one event each. There for a read the moment the write has answered.
import { decode, type EventContext, encodeText } from "../events/codec.js";
import type { QuoteGenerated } from "../events/quoteEvents.js";
import { streamOf } from "../events/streams.js";
import { type EventStore, noStream } from "../ports.js";
import type { RecentQuotes } from "./recentQuotes.js";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export interface QuoteToRecord {
  readonly quoteId: string;
  /** The data of its QuoteGenerated event, as JSON. */
  readonly event: string;
}

type Asked = Pick<QuoteGenerated, "organisationId" | "by" | "requestId">;

/**
 * Records the quotes of one request side by side. The event's id is the quote's own, so that a resend is recognised. Not an async
 * function: that would hold on to the texts until the last quote is recorded.
 */
export function recordQuotes({ events }: { events: EventStore }, asked: Asked, quotes: readonly QuoteToRecord[]): Promise<unknown> {
  const { organisationId, by, requestId } = asked;
  const context: EventContext = { organisation: organisationId, by, correlationId: requestId };
  return Promise.all(
    quotes.map(({ quoteId, event }) =>
      events.append(streamOf.quote(quoteId), [encodeText("QuoteGenerated", event, context, quoteId)], noStream),
    ),
  );
}

/** The contract's response as JSON; undefined for an unknown quote, another organisation's, and anything that is no quote id at all. */
export async function readQuote(
  deps: { readonly events: EventStore; readonly recentQuotes: RecentQuotes },
  organisationId: string,
  quoteId: string,
): Promise<string | undefined> {
  const id = quoteId.toLowerCase();
  const known = deps.recentQuotes.find(id) ?? (await readAndKeep(deps, id));
  return known?.organisationId === organisationId ? known.response : undefined;
}

async function readAndKeep(deps: { events: EventStore; recentQuotes: RecentQuotes }, quoteId: string) {
  const quote = await findQuote(deps, quoteId);
  if (quote === undefined) return undefined;
  const found = { organisationId: quote.organisationId, response: JSON.stringify(quote.response) };
  deps.recentQuotes.keep(quoteId, found);
  return found;
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
