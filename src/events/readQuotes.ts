// Reads quotes from their streams, of any organisation: the caller checks who may see them.
import type { EventStore } from "../ports/eventStore.js";
import { decodeOn } from "./codec.js";
import type { QuoteGenerated, QuotesGenerated } from "./quoteEvents.js";
import type { QuotePlace } from "./quoteId.js";
import { streamOf } from "./streams.js";

export type QuoteEvent =
  | { readonly type: "QuotesGenerated"; readonly data: QuotesGenerated }
  | { readonly type: "QuoteGenerated"; readonly data: QuoteGenerated };

/** Undefined when there is no such quote. */
export async function readQuotes(events: EventStore, { quotesId, number }: QuotePlace): Promise<QuoteEvent | undefined> {
  const kind = number === 0 ? "quote" : "quotes";
  for await (const stored of events.read(streamOf[kind](quotesId), { max: 1 })) return decodeOn(kind, stored);
  return undefined;
}
