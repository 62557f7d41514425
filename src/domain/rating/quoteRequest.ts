// Rating: from a quote request and a catalogue to exact prices, and back from a stored price to why it is what it is.
// This file is the request as the contract has it.
import { z } from "zod";

const text = (most: number) => z.string().trim().max(most);

const location = z.strictObject({
  postalCode: text(20).min(1),
  countryCode: text(56).optional().describe("ISO country code; AU when left out"),
  companyName: text(200).optional(),
  suburbName: text(200).optional(),
  street1: text(200).optional(),
  contactName: text(200).optional(),
  phone: text(100).optional(),
  email: text(320).optional(),
});

const metres = z.number().positive().max(1_000).describe("Metres");

export const item = z.strictObject({
  quantity: z.int().min(1, "must be at least 1").max(1_000_000),
  length: metres,
  width: metres,
  height: metres,
  weight: z.number().positive().max(1_000_000).describe("Kilograms, per item"),
  type: text(100).optional(),
  itemValue: z.number().min(0).max(1_000_000_000_000).optional(),
});

const values = z.array(text(100)).max(500).optional();

const filters = z.strictObject({
  carrierIds: values,
  serviceIds: values,
  rateCardIds: values,
  serviceTypes: values,
  serviceClasses: values,
});

const mostKg = 1_000_000_000;

/** A bound against nonsense, at a cubic factor larger than any carrier's; prices themselves are never computed like this. */
function withinReason(items: readonly z.output<typeof item>[]): boolean {
  const kg = items.reduce(
    (sum, { quantity, length, width, height, weight }) => sum + quantity * Math.max(weight, length * width * height * 1_000),
    0,
  );
  return kg <= mostKg;
}

export const quoteRequest = z.strictObject({
  general: z.strictObject({
    customerIds: z
      .array(text(64).min(1))
      .min(1)
      .max(50)
      .transform((ids) => [...new Set(ids)]),
  }),
  origin: location,
  destination: location,
  items: z.array(item).min(1).max(1_000).refine(withinReason, "add up to more than can be one consignment"),
  filters: filters.default({}),
});

export type QuoteRequest = z.output<typeof quoteRequest>;
export type Item = z.output<typeof item>;
export type Filters = z.output<typeof filters>;
