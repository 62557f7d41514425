import { fieldsOf } from "../imports/fields.js";
import { cardFaults } from "./cardChecks.js";
import { customerFaults } from "./customerChecks.js";
import type { ReadableFile } from "./readable.js";
import { duplicates, notAmong, quote } from "./references.js";
import { zoneFaults } from "./zoneChecks.js";

/** The faults in what one part of the file says about another; each fault begins with its path. */
export function crossCheck(file: ReadableFile): string[] {
  const keys = file.customFields.map((field) => field.key);
  const carriers = new Set(file.carriers.map((carrier) => carrier.id));
  return [
    ...duplicates("customFields", keys, "key"),
    ...keys.flatMap((key, index) =>
      reservedColumns.has(key.toLowerCase()) ? [`customFields.${index}.key ${quote(key)} is already the name of a field`] : [],
    ),
    ...duplicates("carriers", [...file.carriers.map((carrier) => carrier.id)]),
    ...file.carriers.flatMap((carrier, index) =>
      notAmong(`carriers.${index}.mandatoryCustomFields`, carrier.mandatoryCustomFields, new Set(keys), "custom field"),
    ),
    ...duplicates(
      "services",
      file.services.map((service) => service.id),
    ),
    ...file.services.flatMap(({ carrierId }, index) =>
      carrierId === "" || carriers.has(carrierId) ? [] : [`services.${index}.carrierId ${quote(carrierId)} is not a carrier of this file`],
    ),
    ...duplicates(
      "zoneMaps",
      file.zoneMaps.map((map) => map.id),
    ),
    ...file.zoneMaps.flatMap((map, index) => zoneFaults(map, `zoneMaps.${index}.zones`)),
    ...duplicates(
      "rateCards",
      file.rateCards.map((card) => card.id),
    ),
    ...file.rateCards.flatMap((card, index) => cardFaults(card, `rateCards.${index}`, file)),
    ...duplicates(
      "customers",
      file.customers.map((customer) => customer.id),
    ),
    ...customerFaults(file),
  ];
}

/** Names that a custom field cannot have, in lower case. Most are columns of a file; the last two are special names in JavaScript. */
export const reservedColumns: ReadonlySet<string> = new Set(
  [...fieldsOf("shipment", "goodsLine").map(({ name }) => name), "customFields", "items", "row", "reason", "constructor", "prototype"].map(
    (column) => column.toLowerCase(),
  ),
);
