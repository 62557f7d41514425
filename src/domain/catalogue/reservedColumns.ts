import { fieldsOf } from "../imports/fields.js";

/** Names that a custom field cannot have, in lower case. Most are columns of a file; the last two are special names in JavaScript. */
export const reservedColumns: ReadonlySet<string> = new Set(
  [...fieldsOf("shipment", "goodsLine").map(({ name }) => name), "customFields", "items", "row", "reason", "constructor", "prototype"].map(
    (column) => column.toLowerCase(),
  ),
);
