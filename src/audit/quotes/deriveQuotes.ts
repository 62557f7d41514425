import { type Catalogue, compileCatalogue } from "../../domain/catalogue/catalogue.js";
import { explainQuote } from "../../domain/rating/explain.js";
import { catalogueFileAt } from "../../events/catalogue.js";
import { quoteIdOf } from "../../events/quoteEvents.js";
import { type QuoteEvent, recordedQuote } from "../../events/recordedQuote.js";
import type { EventStore } from "../../ports/eventStore.js";
import type { Findings } from "../findings.js";

export interface QuoteDeriver {
  /** Prices every quote of the event again and adds the differences to the findings. */
  derive(event: QuoteEvent): Promise<void>;
  /** The number of quotes derived so far. */
  quotes(): number;
}

export function createDeriver(eventStore: EventStore, findings: Findings): QuoteDeriver {
  const catalogues = rememberCatalogues(eventStore);
  let derived = 0;
  return {
    quotes: () => derived,
    async derive(event) {
      const { organisationId, catalogueVersion } = event.data;
      const add = (sentence: string) => findings.add({ organisationId, sentence });
      const catalogue = await catalogues(organisationId, catalogueVersion);
      for (const place of placesOf(event)) {
        derived += 1;
        const recorded = recordedQuote(event, place.number);
        if (!catalogue) add(`quote ${quoteIdOf(place)}: the organisation's stream holds no catalogue version ${catalogueVersion}`);
        else if (!recorded) add(`quote ${quoteIdOf(place)}: the event holds nothing to derive it from`);
        else for (const sentence of faultsOf(recorded, catalogue)) add(`quote ${quoteIdOf(place)}: ${sentence}`);
      }
    },
  };
}

function placesOf({ type, data }: QuoteEvent): { quotesId: string; number: number }[] {
  if (type === "QuoteGenerated") return [{ quotesId: data.quoteId, number: 0 }];
  return data.results.map((_, index) => ({ quotesId: data.quotesId, number: index + 1 }));
}

function faultsOf(recorded: Parameters<typeof explainQuote>[0], catalogue: Catalogue): string[] {
  const { agrees, differences, cards } = explainQuote(recorded, catalogue);
  if (agrees) return [];
  return [...differences, ...cards.flatMap(({ entry, differences: found }) => found.map((sentence) => `${entry.rateCardId}: ${sentence}`))];
}

const remembered = 20;

/** Quotes come in the order of the log, so a small cache of catalogue versions is enough. */
function rememberCatalogues(eventStore: EventStore) {
  const known = new Map<string, Catalogue | undefined>();
  return async (organisationId: string, version: number): Promise<Catalogue | undefined> => {
    const key = JSON.stringify([organisationId, version]);
    if (known.has(key)) return known.get(key);
    const file = await catalogueFileAt(eventStore, organisationId, version);
    const catalogue = file && compileCatalogue(file);
    known.set(key, catalogue);
    for (const oldest of known.keys()) {
      if (known.size <= remembered) break;
      known.delete(oldest);
    }
    return catalogue;
  };
}
