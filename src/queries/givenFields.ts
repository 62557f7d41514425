import { type FieldPart, fieldsOf, isNumber } from "../domain/imports/fields.js";

/** The fields that have a value, in the contract's order. Postgres has numbers as text, and jsonb forgets the order of keys. */
export function givenFields(values: Readonly<Record<string, unknown>>, part: FieldPart): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const field of fieldsOf(part)) {
    const value = values[field.name];
    if (value !== undefined && value !== null) given[field.name] = isNumber(field) ? Number(value) : value;
  }
  return given;
}
