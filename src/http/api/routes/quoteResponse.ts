import { z } from "zod";

export const location = z.object({
  postalCode: z.string(),
  suburb: z.string(),
  city: z.string(),
  state: z.string(),
  stateName: z.string(),
  countryCode: z.string(),
});

const goods = z.object({
  type: z.string(),
  quantity: z.int(),
  length: z.number().describe("Centimetres"),
  width: z.number().describe("Centimetres"),
  height: z.number().describe("Centimetres"),
  weight: z.number().describe("Kilograms per item"),
  chargeableWeight: z.number().describe("Kilograms of the whole line: the greater of weight and cubic weight, times the quantity"),
});

const quote = z.object({
  rateId: z.string(),
  serviceName: z.string(),
  serviceId: z.string(),
  rateCardName: z.string(),
  rateCardId: z.string(),
  amount: z.number().describe("Freight"),
  totalAmount: z.number().describe("Freight, surcharges and GST"),
  gstAmount: z.number(),
  isSpotRate: z.boolean(),
  spotRateMessage: z.string(),
  deliveryTime: z.string(),
  minTransitTime: z.int(),
  maxTransitTime: z.int(),
  transitTimeUnit: z.string().describe("D for days"),
  surcharges: z.array(z.object({ name: z.string(), description: z.string(), key: z.string(), amount: z.number() })),
});

const result = z.object({
  customerId: z.string(),
  quoteId: z.string(),
  noQuoteMessage: z.string().describe("Why nothing could be priced; empty otherwise"),
  quotes: z.array(quote).describe("Cheapest first"),
});

export const quoteResponse = z.object({ origin: location, destination: location, goods: z.array(goods), results: z.array(result) });
