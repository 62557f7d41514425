// What the routes of both ledgers share.
import { z } from "zod";
import { type FieldPart, fieldsOf, isNumberField, recordByField } from "../../../domain/imports/fields.js";

export const ledgersTag = "Ledgers";

/** The fields of a ledger's answer. Only the fields that every row must have are always present. */
export const shownFields = (part: FieldPart) =>
  recordByField(fieldsOf(part), (field): z.ZodType => {
    const value = isNumberField(field) ? z.number() : z.string();
    const shown = field.required === "value" ? value : value.optional();
    // Times have no `format`: one with a zone is kept as it was sent, and ISO 8601 has more forms than `date-time`.
    return shown.describe(field.type === "time" ? `${field.meaning}. As it was sent, or in UTC where that had no zone` : field.meaning);
  });
