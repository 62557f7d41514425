// src/domain/rating computes exact prices from a quote request and a catalogue, and explains stored prices. Here is the request.
import { z } from "zod";
import { requestObject } from "../validation.js";

const text = (maxLength: number) => z.string().trim().max(maxLength);

const location = requestObject("QuoteLocation", {
  postalCode: text(20).min(1).describe("A known postcode, as text, because leading zeros matter"),
  countryCode: text(56).optional().describe("ISO country code; AU by default"),
  companyName: text(200).optional().describe("Not used for the price"),
  suburbName: text(200).optional().describe("One of the postcode's suburbs; the first by default"),
  street1: text(200).optional().describe("Not used for the price"),
  contactName: text(200).optional().describe("Not used for the price"),
  phone: text(100).optional().describe("Not used for the price"),
  email: text(320).optional().describe("Not used for the price"),
});

const metres = z.number().positive().max(1_000).describe("Metres");

export const item = requestObject("QuoteItem", {
  quantity: z.int().min(1, "must be at least 1").max(1_000_000).describe("Number of equal items"),
  length: metres,
  width: metres,
  height: metres,
  weight: z.number().positive().max(1_000_000).describe("Kilograms, per item"),
  type: text(100).optional().describe("Such as CARTON or PALLET; returned unchanged"),
  itemValue: z.number().min(0).max(1_000_000_000_000).optional().describe("Declared value of one item, in the organisation's currency"),
});

const aliases = z.array(text(100)).max(500).optional();

const filters = requestObject("QuoteFilters", {
  carrierIds: aliases.describe("Carriers' aliases"),
  serviceIds: aliases.describe("Services' aliases, as in `serviceId` of a quote"),
  rateCardIds: aliases.describe("Rate cards' aliases, as in `rateCardId` of a quote"),
  serviceTypes: aliases.describe("Such as DOMESTIC or INTERNATIONAL"),
  serviceClasses: aliases.describe("Such as STANDARD or EXPRESS"),
});

const maxKg = 1_000_000_000;

/** False for absurd sizes, with a cubic factor far above the usual ones. Binary numbers are exact enough here, but never for prices. */
function isPlausible(items: readonly z.output<typeof item>[]): boolean {
  const kg = items.reduce(
    (sum, { quantity, length, width, height, weight }) => sum + quantity * Math.max(weight, length * width * height * 1_000),
    0,
  );
  return kg <= maxKg;
}

const customers = requestObject("QuoteCustomers", {
  customerIds: z
    .array(text(64).min(1))
    .min(1)
    .max(50)
    .transform((ids) => [...new Set(ids)])
    .describe("The ids of the customers to price for. Each must belong to the organisation"),
});

export const quoteRequest = requestObject("QuoteRequest", {
  general: customers.describe("The customers"),
  origin: location.describe("Where the goods are picked up"),
  destination: location.describe("Where they are delivered"),
  items: z
    .array(item)
    .min(1)
    .max(1_000)
    .refine(isPlausible, "must not exceed 1,000,000,000 kg in all, by weight or at 1,000 kg per cubic metre")
    .describe("The goods; together at most 1,000,000,000 kg, by weight or at 1,000 kg per cubic metre"),
  filters: filters.default({}).describe("Restricts the services and rate cards. An empty or missing list restricts nothing"),
});

export type QuoteRequest = z.output<typeof quoteRequest>;
export type Item = z.output<typeof item>;
export type Filters = z.output<typeof filters>;
