// Priced quotes. This is a disk format.
import { z } from "zod";
import { principal } from "../domain/principal.js";

const quoteGenerated = z.object({
  quoteId: z.string(),
  organisationId: z.string(),
  customerId: z.string(),
  catalogueVersion: z.number().int(),
  /** The contract's response for this quote, as it was answered. */
  response: z.record(z.string(), z.unknown()),
  /** Everything the price was derived from, step by step. */
  basis: z.record(z.string(), z.unknown()),
  by: principal,
  requestId: z.string(),
  at: z.iso.datetime(),
});

/** Every event of a quote's stream. */
export const quoteEvents = { QuoteGenerated: quoteGenerated } as const;

export type QuoteGenerated = z.infer<typeof quoteGenerated>;
