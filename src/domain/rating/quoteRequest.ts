// Rating: from a quote request and a catalogue to exact prices, and back from a stored price to why it is what it is.
// This file is the request as the contract has it.
import { z } from "zod";
import { requestObject } from "../validation.js";

const text = (most: number) => z.string().trim().max(most);

const location = requestObject("QuoteLocation", {
  postalCode: text(20).min(1).describe("Postcode; a text, since zeros in front count. It has to be one that is known"),
  countryCode: text(56).optional().describe("ISO country code; AU when left out"),
  companyName: text(200).optional().describe("Not used for the price"),
  suburbName: text(200).optional().describe("Which of the postcode's suburbs; the first one when left out"),
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
  type: text(100).optional().describe("Such as CARTON or PALLET; returned as given"),
  itemValue: z.number().min(0).max(1_000_000_000_000).optional().describe("Declared value of one item, in the organisation's currency"),
});

const values = z.array(text(100)).max(500).optional();

const filters = requestObject("QuoteFilters", {
  carrierIds: values.describe("Carriers' aliases"),
  serviceIds: values.describe("Services' aliases, as in `serviceId` of a quote"),
  rateCardIds: values.describe("Rate cards' aliases, as in `rateCardId` of a quote"),
  serviceTypes: values.describe("Such as DOMESTIC or INTERNATIONAL"),
  serviceClasses: values.describe("Such as STANDARD or EXPRESS"),
});

const mostKg = 1_000_000_000;

/** Rejects absurd sizes, by a cubic factor larger than any carrier's. Prices are never computed in binary numbers as here. */
function withinReason(items: readonly z.output<typeof item>[]): boolean {
  const kg = items.reduce(
    (sum, { quantity, length, width, height, weight }) => sum + quantity * Math.max(weight, length * width * height * 1_000),
    0,
  );
  return kg <= mostKg;
}

const customers = requestObject("QuoteCustomers", {
  customerIds: z
    .array(text(64).min(1))
    .min(1)
    .max(50)
    .transform((ids) => [...new Set(ids)])
    .describe("The customers to price for, by their ids in the organisation; each has to be one of its own"),
});

export const quoteRequest = requestObject("QuoteRequest", {
  general: customers.describe("Whom the quotes are for"),
  origin: location.describe("Where the goods are picked up"),
  destination: location.describe("Where they are delivered"),
  items: z
    .array(item)
    .min(1)
    .max(1_000)
    .refine(withinReason, "add up to more than can be one consignment")
    .describe("The goods; together at most 1,000,000,000 kg of chargeable weight"),
  filters: filters.default({}).describe("Narrows what is priced; an empty or missing list restricts nothing"),
});

export type QuoteRequest = z.output<typeof quoteRequest>;
export type Item = z.output<typeof item>;
export type Filters = z.output<typeof filters>;
