// Quotes as older versions recorded them: each on a stream of its own, with its whole answer and everything it was priced from.
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

/** Undefined when the event has no answer of the contract's shape. */
export function singleQuoteAnswer({ response }: QuoteGenerated): QuoteAnswer | undefined {
  return answer.safeParse(response).success ? (response as unknown as QuoteAnswer) : undefined;
}

const basis = z.object({
  items: z.array(item),
  filters: quoteFilters,
  cards: z.array(z.object({ terms: z.record(z.string(), z.unknown()), steps: z.record(z.string(), z.unknown()) })),
});

export interface SingleQuoteBasis extends Pick<z.infer<typeof basis>, "items" | "filters"> {
  readonly cards: readonly { readonly terms: PriceTerms; readonly steps: PriceSteps }[];
}

/** Undefined when the event has too little to derive a price from. */
export function singleQuoteBasis(event: QuoteGenerated): SingleQuoteBasis | undefined {
  const parsed = basis.safeParse(event.basis);
  return parsed.success ? (parsed.data as unknown as SingleQuoteBasis) : undefined;
}
