// What the routes of both ledgers share.
import { z } from "zod";
import { byField, type FieldPart, fieldsOf, isNumber } from "../../../domain/imports/fields.js";

export const ledgersTag = "Ledgers";

/** The fields as the ledger shows them: only those that every row must have are always there. */
export const shownFields = (part: FieldPart) =>
  byField(fieldsOf(part), (field): z.ZodType => {
    const value = isNumber(field) ? z.number() : z.string();
    const shown = field.required === "value" ? value : value.optional();
    // No format for times: one with a zone is kept as it was sent, and ISO 8601 has more forms than `date-time`.
    return shown.describe(field.type === "time" ? `${field.meaning}. As it was sent, or in UTC where that had no zone` : field.meaning);
  });
