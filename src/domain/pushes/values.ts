import { z } from "zod";
import { byField, type Field, type FieldName, type FieldPart, fieldsOf, isRecordable } from "../imports/fields.js";
import { limits } from "../imports/limits.js";
import { isRowTime } from "../imports/timestamp.js";
import { isStorable } from "../rows/cells.js";

const unstorable = "must not contain NUL or broken Unicode";

export const text = (length: number = limits.textLength) => z.string().max(length).refine(isStorable, unstorable);

/** Present and not only blanks. */
export const requiredText = (length: number = limits.identifierLength) =>
  text(length).refine((value) => value.trim() !== "", "must not be empty");

export const sourceDetails = text(limits.sourceDetailsLength);

/** Why recorded rows are taken back or corrected. */
export const reason = requiredText(limits.reasonLength).min(1);

const recordableNumber = z
  .number()
  .refine(isRecordable, "must have at most 15 digits before the decimal point, and not be closer to 0 than 0.000000001");
const digits = "At most 15 digits before the decimal point; not closer to 0 than 0.000000001";

const timestamp = z
  .string()
  .max(40)
  .refine((text) => isRowTime(text.trim()), "must be a real ISO 8601 timestamp, such as 2026-03-01T09:30:00Z");

type Value = z.ZodType<string | number>;

/** `shape`: every field is optional here; the importer rejects rows that lack one. `required`: a missing required field rejects the push. */
export const pushedFields = <Part extends FieldPart>(
  part: Part,
  check: "shape" | "required",
): Record<FieldName<Part>, z.ZodOptional<Value>> =>
  byField(fieldsOf(part), (field) => {
    const isRequired = check === "required" && field.required === "value";
    const schema = isRequired ? requiredSchema(field) : valueSchema(field).optional();
    return schema.meta(described(field, isRequired)) as z.ZodOptional<Value>;
  });

/** What a field's values are: texts, with their greatest length, numbers or times. */
const shapes: Readonly<Record<Field["type"], number | "number" | "time">> = {
  identifier: limits.identifierLength,
  customer: limits.identifierLength,
  text: limits.textLength,
  place: limits.textLength,
  number: "number",
  nonZero: "number",
  positive: "number",
  time: "time",
};

function requiredSchema(field: Field): Value {
  const shape = shapes[field.type];
  if (typeof shape === "number") return requiredText(shape);
  return field.type === "nonZero" ? recordableNumber.refine((value) => value !== 0, "must not be 0") : valueSchema(field);
}

function valueSchema({ type }: Field): Value {
  const shape = shapes[type];
  if (typeof shape === "number") return text(shape);
  return shape === "time" ? timestamp : recordableNumber;
}

const timeForms =
  "ISO 8601: 2026-03-01T09:30:00Z, 2026-03-01T09:30:00+11:00, or without a zone (2026-03-01T09:30:00, 2026-03-01) in the organisation's time zone; the years 1900 to 9999";

/** For the API reference: what the field means, and what a schema cannot say of its values. */
function described({ type, meaning }: Field, isRequired: boolean): z.core.GlobalMeta {
  const shape = shapes[type];
  if (typeof shape === "number") return { description: meaning, ...(isRequired ? { pattern: "\\S" } : {}) };
  const description = `${meaning}. ${shape === "time" ? timeForms : digits}`;
  return { description, ...(isRequired && type === "nonZero" ? { not: { const: 0 } } : {}) };
}
