import { type ChoosableFields, type ColumnChoice, choosableFields, fieldTexts } from "../../../../../domain/imports/columns/choice.js";
import { dateOrders } from "../../../../../domain/imports/columns/dateOrder.js";
import { decimalMarks } from "../../../../../domain/imports/columns/decimal.js";
import type { Fields } from "../../../fields.js";
import type { ColumnsSource } from "./columnsSource.js";

/** The names of the form's fields. A column has its number, since a heading may be anything. */
export const columnField = (index: number): string => `column-${index}`;
export const fixedField = (field: string): string => `fixed-${field}`;
export const orderField = "dateOrder";
export const decimalField = "decimal";

/** Reads the form. A blank is a column that is left out, or a field without a fixed value. */
export function readChoice(fields: Fields, { headings }: Pick<ColumnsSource, "headings">, of: ChoosableFields): ColumnChoice {
  const choosable = choosableFields(of);
  const { nameOf } = fieldTexts(choosable);
  const fixed = choosable.flatMap(({ name }) => {
    const value = fields.get(fixedField(name)).trim();
    return value === "" ? [] : [[name, value] as const];
  });
  const dateOrder = dateOrders.find((order) => order === fields.get(orderField));
  const decimal = decimalMarks.find((known) => known === fields.get(decimalField));
  return {
    headings: Object.fromEntries(headings.map(({ heading }, index) => [heading, nameOf(fields.get(columnField(index)).trim()) || null])),
    ...(fixed.length === 0 ? {} : { fixed: Object.fromEntries(fixed) }),
    ...(dateOrder === undefined ? {} : { dateOrder }),
    ...(decimal === undefined ? {} : { decimal }),
  };
}
