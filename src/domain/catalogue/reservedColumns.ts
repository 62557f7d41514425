import { fieldsOf } from "../imports/fields.js";

/** Names that a custom field could not be told apart from in a file, in lower case; the last two would be found on any object. */
export const reservedColumns: ReadonlySet<string> = new Set(
  [...fieldsOf("shipment", "goodsLine").map(({ name }) => name), "customFields", "items", "row", "reason", "constructor", "prototype"].map(
    (column) => column.toLowerCase(),
  ),
);
