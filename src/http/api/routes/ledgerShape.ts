import { z } from "zod";

const optionalText = z.string().optional();

export const ledgerShipment = z.object({
  shipmentId: z.string(),
  customerId: optionalText,
  originPostCode: optionalText,
  originSuburb: optionalText,
  originState: optionalText,
  originCountryCode: optionalText,
  destinationPostCode: optionalText,
  destinationSuburb: optionalText,
  destinationState: optionalText,
  destinationCountryCode: optionalText,
  quoteDate: optionalText,
  rateCardAlias: optionalText,
  totalCostReceived: z.number().optional(),
  customFields: z.record(z.string(), z.string()).optional(),
  items: z.array(z.object({ itemType: optionalText, itemQuantity: z.number().optional(), itemWeight: z.number().optional() })),
  sourceDetails: z.string().describe("Of the import that wrote this version"),
  importId: z.string(),
  updatedAt: z.string().describe("ISO 8601, UTC"),
});

export const ledgerActivity = z.object({
  warehouseCode: z.string(),
  chargeCode: z.string(),
  quantity: z.number(),
  activityTimestamp: z.string(),
  customerId: optionalText,
  reference: optionalText,
  status: optionalText,
  importId: z.string(),
  row: z.int().describe("The row's number in the file (the header is 1), or its ordinal in the JSON push"),
});
