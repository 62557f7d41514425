// Quotes and loaded localities: streams of one kind of event each. This is a disk format.
import { z } from "zod";

const instant = z.iso.datetime();

export const quoteGenerated = z.object({
  quoteId: z.string(),
  organisationId: z.string(),
  customerId: z.string(),
  catalogueVersion: z.number().int(),
  /** The contract's response for this quote, as it was answered. */
  response: z.record(z.string(), z.unknown()),
  /** Everything the price was derived from, step by step. */
  basis: z.record(z.string(), z.unknown()),
  keyPrefix: z.string(),
  requestId: z.string(),
  at: instant,
});

export const localitiesImported = z.object({
  country: z.string(),
  key: z.string(),
  sha256: z.string(),
  localities: z.number().int(),
  at: instant,
});

export type QuoteGenerated = z.infer<typeof quoteGenerated>;
export type LocalitiesImported = z.infer<typeof localitiesImported>;
