// The words that people use in headings, and what they call the fields of an import.
import type { Kind } from "../fields.js";

/** Written apart or together, the words of one thing. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/ (?:post|postal|zip|p) codes? /g, " postcode "],
  [/ (?:pick up|ship from|sent from) /g, " origin "],
  [/ (?:ship to|deliver to|deliver(?:y|ed) to|drop off) /g, " destination "],
  [/ con(?:signment)? notes? /g, " consignment "],
  [/ time stamp /g, " timestamp "],
  [/ ware house /g, " warehouse "],
];

const sameWords: Readonly<Record<string, readonly string[]>> = {
  origin: ["from", "orig", "sender", "pickup", "collection", "consignor", "source"],
  destination: ["to", "dest", "receiver", "recipient", "consignee", "delivery"],
  postcode: ["zip", "zipcode", "pcode", "postalcode"],
  suburb: ["city", "town", "locality"],
  state: ["province"],
  customer: ["cust", "client", "debtor"],
  warehouse: ["wh", "whs", "whse", "depot", "dc"],
  quantity: ["qty", "quantities", "pieces", "pcs", "units"],
  weight: ["wt", "kg", "kgs", "kilos", "kilograms"],
  consignment: ["connote", "consignments"],
  reference: ["ref", "references"],
  id: ["no", "nr", "nbr", "num", "number", "identifier"],
  shipment: ["shipments"],
  order: ["orders"],
  item: ["items", "goods"],
};

const meant = new Map(Object.entries(sameWords).flatMap(([word, others]) => others.map((other) => [other, word] as const)));
/** They say nothing about what a column holds. */
const fillers = new Set(["the", "of", "a", "an", "in", "and", "for"]);

/** The words of a heading or a name, each once, in the form in which they are compared. */
export function wordsOf(text: string): ReadonlySet<string> {
  const apart = text
    .normalize("NFKC")
    .replace(/#/g, " number ")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "  ");
  const joined = phrases.reduce((known, [phrase, word]) => known.replace(phrase, word), ` ${apart.trim()} `.replace(/ +/g, " "));
  const words = joined.split(" ").filter((word) => word !== "" && !fillers.has(word));
  return new Set(words.map((word) => meant.get(word) ?? word));
}

const places = (end: string, alone: boolean): Record<string, readonly string[]> => ({
  [`${end}PostCode`]: alone ? ["postcode"] : [],
  [`${end}Suburb`]: alone ? ["suburb"] : [],
  [`${end}State`]: alone ? ["state"] : [],
  [`${end}CountryCode`]: [`${end} country`, ...(alone ? ["country", "country code"] : [])],
});

/** By field, besides its own name and label. A postcode alone is where the goods go. */
export const otherNames: Readonly<Record<Kind, Readonly<Record<string, readonly string[]>>>> = {
  shipments: {
    shipmentId: ["shipment", "order id", "order", "consignment id", "consignment", "sales order", "sales order id", "booking id", "job id"],
    customerId: ["customer", "customer code", "customer account", "account", "account id", "account code"],
    ...places("origin", false),
    ...places("destination", true),
    quoteDate: ["date", "order date", "shipment date", "quoted at", "quoted"],
    rateCardAlias: ["rate card"],
    totalCostReceived: ["total cost", "cost", "price", "total price", "amount", "total", "freight cost", "freight charge"],
    itemType: ["type", "item", "package type", "packaging", "package", "unit type", "packaging type"],
    itemQuantity: ["quantity", "item count", "count"],
    itemWeight: ["weight", "gross weight"],
  },
  activities: {
    warehouseCode: ["warehouse", "warehouse id", "site", "site code"],
    chargeCode: ["charge", "activity code", "activity", "activity type", "service code", "charge type", "fee code", "billing code"],
    quantity: ["count", "activity quantity"],
    activityTimestamp: [
      "timestamp",
      "date",
      "time",
      "date time",
      "activity date",
      "activity time",
      "date done",
      "done",
      "done on",
      "done at",
      "completed at",
    ],
    customerId: ["customer", "customer code", "customer account", "account", "account id", "account code"],
    reference: ["order id", "order", "job id", "job", "order reference", "reference id", "your reference", "customer reference"],
    status: ["activity status"],
  },
};
