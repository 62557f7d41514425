// Quotes as they were recorded once: each with a stream of its own, its answer whole and everything it was priced from beside it.
import { z } from "zod";
import type { PriceSteps, PriceTerms } from "../domain/rating/price.js";
import { item } from "../domain/rating/quoteRequest.js";
import type { QuoteAnswer } from "./quoteAnswer.js";
import { place, type QuoteGenerated, quoteFilters } from "./quoteEvents.js";

const answer = z.object({
  origin: place,
  destination: place,
  results: z
    .array(z.object({ noQuoteMessage: z.string(), quotes: z.array(z.looseObject({ serviceName: z.string(), totalAmount: z.number() })) }))
    .length(1),
});

/** Undefined where the event holds no answer of the contract's shape. */
export function answerAlone({ response }: QuoteGenerated): QuoteAnswer | undefined {
  return answer.safeParse(response).success ? (response as unknown as QuoteAnswer) : undefined;
}

const basis = z.object({
  items: z.array(item),
  filters: quoteFilters,
  cards: z.array(z.object({ terms: z.record(z.string(), z.unknown()), steps: z.record(z.string(), z.unknown()) })),
});

export interface AloneBasis extends Pick<z.infer<typeof basis>, "items" | "filters"> {
  readonly cards: readonly { readonly terms: PriceTerms; readonly steps: PriceSteps }[];
}

/** Undefined where the event holds nothing that a price could be derived from. */
export function basisAlone(event: QuoteGenerated): AloneBasis | undefined {
  const parsed = basis.safeParse(event.basis);
  return parsed.success ? (parsed.data as unknown as AloneBasis) : undefined;
}
