// The schemas of the values in JSON pushes.
import { z } from "zod";
import { type Field, type FieldName, type FieldPart, fieldsOf, isRecordableNumber, recordByField } from "../imports/fields.js";
import { limits } from "../imports/limits.js";
import { isRowTime } from "../imports/timestamp.js";
import { isStorable } from "../rows/cells.js";

const unstorable = "must not contain NUL or broken Unicode";

export const textSchema = (length: number = limits.textLength) => z.string().max(length).refine(isStorable, unstorable);

/** Text that is not blank. */
export const requiredTextSchema = (length: number = limits.identifierLength) =>
  textSchema(length).refine((value) => value.trim() !== "", "must not be empty");

export const sourceDetailsSchema = textSchema(limits.sourceDetailsLength);

/** Why accepted rows are reversed or corrected. */
export const reasonSchema = requiredTextSchema(limits.reasonLength).min(1);

const recordableNumber = z
  .number()
  .refine(isRecordableNumber, "must have at most 15 digits before the decimal point, and not be closer to 0 than 0.000000001");
const digitRule = "At most 15 digits before the decimal point; not closer to 0 than 0.000000001";

const timestamp = z
  .string()
  .max(40)
  .refine((text) => isRowTime(text.trim()), "must be a real ISO 8601 timestamp, such as 2026-03-01T09:30:00Z");

type Value = z.ZodType<string | number>;

/** `shape`: every field is optional; the importer rejects rows that lack one. `required`: a missing required field rejects the push. */
export const pushedFields = <Part extends FieldPart>(
  part: Part,
  check: "shape" | "required",
): Record<FieldName<Part>, z.ZodOptional<Value>> =>
  recordByField(fieldsOf(part), (field) => {
    const isRequired = check === "required" && field.required === "value";
    const schema = isRequired ? requiredSchema(field) : valueSchema(field).optional();
    return schema.meta(metaOf(field, isRequired)) as z.ZodOptional<Value>;
  });

/** What a field's values are: texts, with their greatest length, numbers or times. */
const valueShapes: Readonly<Record<Field["type"], number | "number" | "time">> = {
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
  const shape = valueShapes[field.type];
  if (typeof shape === "number") return requiredTextSchema(shape);
  return field.type === "nonZero" ? recordableNumber.refine((value) => value !== 0, "must not be 0") : valueSchema(field);
}

function valueSchema({ type }: Field): Value {
  const shape = valueShapes[type];
  if (typeof shape === "number") return textSchema(shape);
  return shape === "time" ? timestamp : recordableNumber;
}

const timeForms =
  "ISO 8601: 2026-03-01T09:30:00Z, 2026-03-01T09:30:00+11:00, or without a zone (2026-03-01T09:30:00, 2026-03-01) in the organisation's time zone; the years 1900 to 9999";

/** What the API reference says of the field: its meaning, and what a schema cannot say of its values. */
function metaOf({ type, meaning }: Field, isRequired: boolean): z.core.GlobalMeta {
  const shape = valueShapes[type];
  if (typeof shape === "number") return { description: meaning, ...(isRequired ? { pattern: "\\S" } : {}) };
  const description = `${meaning}. ${shape === "time" ? timeForms : digitRule}`;
  return { description, ...(isRequired && type === "nonZero" ? { not: { const: 0 } } : {}) };
}
