// Derives recorded quotes again, each from the catalogue version that priced it: a sample of them, or all.
import { type Catalogue, compileCatalogue } from "../../domain/catalogue/catalogue.js";
import { explainRecordedQuote } from "../../domain/rating/explain.js";
import { catalogueFileAt } from "../../events/catalogue.js";
import { quoteIdOf } from "../../events/quoteEvents.js";
import { type QuoteEvent, recordedQuote } from "../../events/recordedQuote.js";
import { streamPrefix } from "../../events/streams.js";
import type { EventStore, Position, StoredEvent } from "../../ports/eventStore.js";
import { recentLoads } from "../../recentValues.js";
import { readEvent } from "../evidence/importFold.js";
import type { Findings } from "../findings.js";

interface VerifyQuotesOptions {
  readonly eventStore: EventStore;
  readonly organisationId: string | undefined;
  readonly signal: AbortSignal;
  /** Whether to derive every quote again, rather than a sample. */
  readonly allQuotes?: boolean;
}

/** The number of requests in the sample. If one request in a hundred has a wrong price, the sample has one of these with 99 % certainty. */
const sampleSize = 500;

/** Returns how many requests and quotes there are, and how many of the quotes were derived again (`derived`). */
export async function verifyQuotes(until: Position, options: VerifyQuotesOptions, findings: Findings) {
  const startedAt = performance.now();
  const deriver = createDeriver(options.eventStore, findings);
  const sample = createSample<QuoteEvent>(sampleSize);
  let requests = 0;
  let quotes = 0;
  const { eventStore, organisationId, signal } = options;
  const prefixes = [streamPrefix.quotes, streamPrefix.quote];
  await eventStore.replay({ prefixes, until, signal }, async ({ events }) => {
    for (const stored of events) {
      const isWanted = organisationId === undefined || stored.metadata.organisation === organisationId;
      const event = isWanted ? readQuote(stored, findings) : undefined;
      if (!event) continue;
      requests += 1;
      quotes += quoteReferencesOf(event).length;
      if (options.allQuotes) await deriver.derive(event);
      else sample.offer(event);
    }
  });
  for (const event of sample.items.toSorted(byCatalogue)) {
    options.signal.throwIfAborted();
    await deriver.derive(event);
  }
  return { requests, quotes, derived: deriver.derivedCount(), seconds: (performance.now() - startedAt) / 1000 };
}

/** Sorts by catalogue version, so that each version is read once. */
function byCatalogue({ data: a }: QuoteEvent, { data: b }: QuoteEvent): number {
  if (a.organisationId !== b.organisationId) return a.organisationId < b.organisationId ? -1 : 1;
  return a.catalogueVersion - b.catalogueVersion;
}

function readQuote(stored: StoredEvent, findings: Findings): QuoteEvent | undefined {
  const kind = stored.stream.startsWith(streamPrefix.quotes) ? "quotes" : "quote";
  const organisationId = stored.metadata.organisation;
  return readEvent(kind, stored, (fault) => findings.add({ organisationId, sentence: `stream: ${fault}` }));
}

/** A random sample of a sequence of unknown length (reservoir sampling): every item is equally likely to be in it. */
export function createSample<Item>(maxItems: number) {
  const items: Item[] = [];
  let offered = 0;
  return {
    items,
    offer(item: Item): void {
      offered += 1;
      if (items.length < maxItems) items.push(item);
      else {
        const index = Math.floor(Math.random() * offered);
        if (index < maxItems) items[index] = item;
      }
    },
  };
}

const maxCatalogues = 20;

function createDeriver(eventStore: EventStore, findings: Findings) {
  // Quotes that follow each other mostly share a few catalogue versions, so a small cache is enough.
  const loadCatalogue = recentLoads<Catalogue | undefined>(maxCatalogues);
  let derived = 0;
  return {
    derivedCount: () => derived,
    /** Derives every quote of the event again and adds the differences to the findings. */
    async derive(event: QuoteEvent): Promise<void> {
      const { organisationId, catalogueVersion } = event.data;
      const add = (sentence: string) => findings.add({ organisationId, sentence });
      const catalogue = await loadCatalogue(JSON.stringify([organisationId, catalogueVersion]), async () => {
        const file = await catalogueFileAt(organisationId, catalogueVersion, eventStore);
        return file && compileCatalogue(file);
      });
      for (const reference of quoteReferencesOf(event)) {
        derived += 1;
        const recorded = recordedQuote(event, reference.number);
        if (!catalogue) add(`quote ${quoteIdOf(reference)}: the organisation's stream holds no catalogue version ${catalogueVersion}`);
        else if (!recorded) add(`quote ${quoteIdOf(reference)}: the event holds nothing to derive it from`);
        else for (const sentence of differencesOf(recorded, catalogue)) add(`quote ${quoteIdOf(reference)}: ${sentence}`);
      }
    },
  };
}

function quoteReferencesOf({ type, data }: QuoteEvent): { quotesId: string; number: number }[] {
  if (type === "QuoteGenerated") return [{ quotesId: data.quoteId, number: 0 }];
  return data.results.map((_, index) => ({ quotesId: data.quotesId, number: index + 1 }));
}

function differencesOf(recorded: Parameters<typeof explainRecordedQuote>[0], catalogue: Catalogue): string[] {
  const { agrees, differences, cards } = explainRecordedQuote(recorded, catalogue);
  if (agrees) return [];
  return [...differences, ...cards.flatMap(({ entry, differences: found }) => found.map((sentence) => `${entry.rateCardId}: ${sentence}`))];
}
