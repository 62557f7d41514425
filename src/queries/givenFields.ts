import { type FieldPart, fieldsOf, isNumberField } from "../domain/imports/fields.js";

/** The fields that have a value, in the contract's order, since jsonb does not keep an order. Postgres returns numbers as text. */
export function givenFields(values: Readonly<Record<string, unknown>>, part: FieldPart): Record<string, unknown> {
  const present: Record<string, unknown> = {};
  for (const field of fieldsOf(part)) {
    const value = values[field.name];
    if (value !== undefined && value !== null) present[field.name] = isNumberField(field) ? Number(value) : value;
  }
  return present;
}
