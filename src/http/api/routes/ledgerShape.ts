import { z } from "zod";
import { byField, type FieldPart, fieldsOf, isNumber } from "../../../domain/imports/fields.js";
import { instant } from "../document/instant.js";

/** The fields as the ledger shows them: only those that every row must have are always there. */
const shownFields = (part: FieldPart) =>
  byField(fieldsOf(part), (field): z.ZodType => {
    const value = isNumber(field) ? z.number() : z.string();
    const shown = field.required === "value" ? value : value.optional();
    // No format for times: one with a zone is kept as it was sent, and ISO 8601 has more forms than `date-time`.
    return shown.describe(field.type === "time" ? `${field.meaning}. As it was sent, or in UTC where that had no zone` : field.meaning);
  });

const goodsLine = z.object(shownFields("goodsLine")).meta({ id: "GoodsLine" });

export const ledgerShipment = z
  .object({
    ...shownFields("shipment"),
    customFields: z.record(z.string(), z.string()).optional().describe("By key; absent where it has none"),
    items: z.array(goodsLine).describe("Its goods lines"),
    sourceDetails: z.string().describe("The reference of the import that wrote this version"),
    importId: z.string().describe("The import that wrote this version"),
    updatedAt: instant("When it was written"),
  })
  .meta({ id: "LedgerShipment" });

export const ledgerActivity = z
  .object({
    ...shownFields("activity"),
    importId: z.string().describe("The import that recorded it"),
    row: z.int().describe("The row's number in the file (the header is 1), or its ordinal in the JSON push"),
  })
  .meta({ id: "LedgerActivity" });
