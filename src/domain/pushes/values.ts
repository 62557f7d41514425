import { z } from "zod";
import { byField, type Field, type FieldName, type FieldPart, fieldsOf, isRecordable } from "../imports/fields.js";
import { limits } from "../imports/limits.js";
import { isTimestamp } from "../imports/timestamp.js";

/** Postgres text and CSV cannot hold NUL; a lone surrogate would come back as another character. */
export const storable = (value: string) => !value.includes("\0") && value.isWellFormed();
const unstorable = "must not contain NUL or broken Unicode";

export const text = (length: number = limits.textLength) => z.string().max(length).refine(storable, unstorable);

/** Present and not only blanks. */
export const requiredText = (length: number = limits.identifierLength) =>
  text(length).refine((value) => value.trim() !== "", "must not be empty");

export const sourceDetails = text(limits.sourceDetailsLength);

const recordableNumber = z.number().refine(isRecordable, "must have at most 15 digits before the decimal point");
const digits = "At most 15 digits before the decimal point";

const timestamp = z
  .string()
  .max(40)
  .refine((text) => isTimestamp(text.trim()), "must be a real ISO 8601 timestamp, such as 2026-03-01T09:30:00Z");

type Value = z.ZodType<string | number>;

/** `shape`: every field is optional here; the importer rejects rows that lack one. `required`: a missing required field rejects the push. */
export function pushedFields<Part extends FieldPart>(
  part: Part,
  check: "shape" | "required",
): Record<FieldName<Part>, z.ZodOptional<Value>> {
  const pushed = fieldsOf(part).filter(({ inPushes }) => inPushes);
  return byField(pushed, (field) => {
    const isRequired = check === "required" && field.required === "value";
    const schema = isRequired ? requiredSchema(field) : valueSchema(field).optional();
    return schema.meta(described(field, isRequired)) as z.ZodOptional<Value>;
  });
}

function requiredSchema(field: Field): Value {
  switch (field.type) {
    case "identifier":
    case "customer":
      return requiredText(limits.identifierLength);
    case "text":
    case "place":
      return requiredText(limits.textLength);
    case "nonZero":
      return recordableNumber.refine((value) => value !== 0, "must not be 0");
    case "number":
    case "positive":
    case "time":
      return valueSchema(field);
  }
}

function valueSchema({ type }: Field): Value {
  switch (type) {
    case "identifier":
    case "customer":
      return text(limits.identifierLength);
    case "text":
    case "place":
      return text();
    case "number":
    case "nonZero":
    case "positive":
      return recordableNumber;
    case "time":
      return timestamp;
  }
}

const timeForms =
  "ISO 8601: 2026-03-01T09:30:00Z, 2026-03-01T09:30:00+11:00, or without a zone (2026-03-01T09:30:00, 2026-03-01) in the organisation's time zone";

/** For the API reference: what the field means, and what a schema cannot say of its values. */
function described({ type, meaning }: Field, isRequired: boolean): z.core.GlobalMeta {
  switch (type) {
    case "identifier":
    case "customer":
    case "text":
    case "place":
      return { description: meaning, ...(isRequired ? { pattern: "\\S" } : {}) };
    case "nonZero":
      return { description: `${meaning}. ${digits}`, ...(isRequired ? { not: { const: 0 } } : {}) };
    case "number":
    case "positive":
      return { description: `${meaning}. ${digits}` };
    case "time":
      return { description: `${meaning}. ${timeForms}` };
  }
}
