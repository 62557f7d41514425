// One row per quote request, from which a quote is fetched, and one row per quote, for the lists.
import { type QuoteGenerated, type QuotesGenerated, quotePlaceOf } from "../../events/quoteEvents.js";
import { singleQuoteAnswer } from "../../events/recordedQuote.js";
import { streamPrefix } from "../../events/streams.js";
import { versionOf } from "../../events/upcasters.js";
import type { StoredEvent } from "../../ports/eventStore.js";
import { copyRows, copyText } from "../copyRows.js";
import type { Projection } from "../projection.js";
import { decodeOrSkip, type SkipEvent } from "../sortedBatch.js";
import { storableJson } from "../tables/storableJson.js";

const requestTarget = {
  table: "quote_requests",
  columns: "quotes_id, organisation_id, alone, quoted_at, origin, destination, recorded, version",
};
const quoteTarget = {
  table: "quotes",
  columns: "organisation_id, quoted_at, quotes_id, number, customer_id, services, cheapest_service, cheapest_total, no_quote_message",
};

export const quotes: Projection = {
  name: "quotes",
  tables: ["quote_requests", "quotes"],

  async apply(client, { events }, { skip, keepExisting }) {
    const lines = events.flatMap((event) => quoteLinesOf(event, skip) ?? []);
    if (lines.length === 0) return;
    await copyRows(client, requestTarget, lines.map(({ request }) => request).join(""), { keepExisting });
    await copyRows(client, quoteTarget, lines.map(({ results }) => results).join(""), { keepExisting });
  },
};

/** Lines in COPY's text format. */
interface QuoteLines {
  readonly request: string;
  readonly results: string;
}

function quoteLinesOf(stored: StoredEvent, skip: SkipEvent): QuoteLines | undefined {
  const kind = streamKindOf(stored.stream);
  const event = kind && decodeOrSkip(kind, stored, skip);
  if (!event) return undefined;
  const lines = event.type === "QuotesGenerated" ? linesOfRequest(event.data) : linesOfSingleQuote(event.data);
  if (!lines) skip(event, "it has no quote, or its id is not a quote's id");
  return lines;
}

function streamKindOf(stream: string): "quotes" | "quote" | undefined {
  if (stream.startsWith(streamPrefix.quotes)) return "quotes";
  return stream.startsWith(streamPrefix.quote) ? "quote" : undefined;
}

function linesOfRequest(event: QuotesGenerated): QuoteLines | undefined {
  const { quotesId, organisationId, at, origin, destination } = event;
  if (quotePlaceOf(quotesId)?.quotesId !== quotesId) return undefined;
  const results = event.results.map(({ customerId, cards, noQuoteMessage = "" }, index) => {
    const cheapest = event.cards[cards[0] ?? -1];
    const service = event.services[cheapest?.service ?? -1]?.name;
    return copyLine(organisationId, at, quotesId, index + 1, customerId, cards.length, service, cheapest?.total, noQuoteMessage);
  });
  const places = [origin, destination].map(storableJson);
  const request = copyLine(quotesId, organisationId, false, at, ...places, JSON.stringify(event), versionOf("QuotesGenerated"));
  return { request, results: results.join("") };
}

/** For a quote with a stream of its own, as older versions recorded it. */
function linesOfSingleQuote(event: QuoteGenerated): QuoteLines | undefined {
  const { quoteId, organisationId, customerId, at, response } = event;
  const answer = singleQuoteAnswer(event);
  const [result] = answer?.results ?? [];
  if (!answer || !result || quotePlaceOf(quoteId)?.quotesId !== quoteId) return undefined;
  const { quotes: pricedQuotes, noQuoteMessage } = result;
  const { serviceName, totalAmount } = pricedQuotes[0] ?? {};
  const places = [answer.origin, answer.destination].map(storableJson);
  return {
    request: copyLine(quoteId, organisationId, true, at, ...places, JSON.stringify(response), versionOf("QuoteGenerated")),
    results: copyLine(organisationId, at, quoteId, 0, customerId, pricedQuotes.length, serviceName, totalAmount, noQuoteMessage),
  };
}

const copyLine = (...values: readonly unknown[]): string => `${values.map(copyText).join("\t")}\n`;
