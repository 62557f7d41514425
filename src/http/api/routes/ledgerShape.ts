import { z } from "zod";
import { byField, type FieldPart, fieldsOf, isNumber } from "../../../domain/imports/fields.js";

/** As the ledger shows them: a field that a row needs is always there. */
const shownFields = (part: FieldPart) =>
  byField(fieldsOf(part), (field): z.ZodType => {
    const value = isNumber(field) ? z.number() : z.string();
    return field.required === "value" ? value : value.optional();
  });

export const ledgerShipment = z.object({
  ...shownFields("shipment"),
  customFields: z.record(z.string(), z.string()).optional(),
  items: z.array(z.object(shownFields("goodsLine"))),
  sourceDetails: z.string().describe("Of the import that wrote this version"),
  importId: z.string(),
  updatedAt: z.string().describe("ISO 8601, UTC"),
});

export const ledgerActivity = z.object({
  ...shownFields("activity"),
  importId: z.string(),
  row: z.int().describe("The row's number in the file (the header is 1), or its ordinal in the JSON push"),
});
