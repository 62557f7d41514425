// Suggests which field each column of a file holds. A person looks at it before anything is sent.
import { foldName, reportColumns } from "../../files/header.js";
import type { Kind } from "../fields.js";
import { type ChoosableFields, type ColumnChoice, choosableFields } from "./choice.js";

/** By heading: the field that it probably holds; undefined where nothing fits, null where such columns were left out before. */
export type Suggestions = ReadonlyMap<string, string | null | undefined>;

/** How sure it is. Only the order counts. */
const sure = { before: 4, own: 3, other: 2, part: 1 } as const;

interface Name {
  readonly field: string;
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly isOwn: boolean;
}

interface Candidate {
  readonly heading: string;
  readonly field: string | null;
  readonly score: number;
}

/** `before`: what the organisation has chosen for files of this kind, the newest first. */
export function suggestColumns(headings: readonly string[], of: ChoosableFields, before: readonly ColumnChoice[]): Suggestions {
  const names = namesOf(of);
  const chosen = chosenBefore(before, new Set(names.map(({ field }) => field)));
  const candidates = headings.flatMap((heading) => candidatesFor(heading, names, chosen));
  const suggestions = new Map<string, string | null | undefined>(headings.map((heading) => [heading, undefined]));
  const taken = new Set<string>();
  const decided = new Set<string>();
  for (const { heading, field } of candidates.sort((one, other) => other.score - one.score)) {
    if (decided.has(heading) || (field !== null && taken.has(field))) continue;
    decided.add(heading);
    if (field !== null) taken.add(field);
    suggestions.set(heading, field);
  }
  return suggestions;
}

const kinds = ["shipments", "activities"] as const;

/** The kind of which the headings have the larger share of the required fields, or of all where these are equal. */
export function likelyKind(headings: readonly string[], customFields: ChoosableFields["customFields"]): Kind | undefined {
  const found = kinds.map((kind) => {
    const of = { kind, customFields };
    const suggested = new Set(suggestColumns(headings, of, []).values());
    const required = choosableFields(of).filter((field) => field.required);
    const present = required.filter(({ name }) => suggested.has(name)).length / required.length;
    return { kind, present, all: [...suggested].filter((field) => typeof field === "string").length };
  });
  const [best, other] = found.sort((one, two) => two.present - one.present || two.all - one.all);
  return best && other && (best.present > other.present || best.all > other.all) ? best.kind : undefined;
}

function namesOf(of: ChoosableFields): Name[] {
  const others = otherNames[of.kind];
  return choosableFields(of).flatMap(({ name: field, label }) => {
    const plain = field.replace(/^customFields\./, "");
    const own = [field, plain, label].map((text) => ({ field, text: foldName(text), words: wordsOf(text), isOwn: true }));
    return [...own, ...(others[field] ?? []).map((text) => ({ field, text: foldName(text), words: wordsOf(text), isOwn: false }))];
  });
}

/** By heading, as headings are compared: the newest choice that can still be made. */
function chosenBefore(before: readonly ColumnChoice[], known: ReadonlySet<string>): ReadonlyMap<string, string | null> {
  const chosen = new Map<string, string | null>();
  for (const { headings } of before)
    for (const [heading, field] of Object.entries(headings))
      if (!chosen.has(foldName(heading)) && (field === null || known.has(field))) chosen.set(foldName(heading), field);
  return chosen;
}

const ownReport = new Set(reportColumns.map(foldName));

function candidatesFor(heading: string, names: readonly Name[], chosen: ReadonlyMap<string, string | null>): Candidate[] {
  const text = foldName(heading.replace(/ \(\d+\)$/, "")); // the number of a heading that stands there twice is ours
  const before = chosen.get(foldName(heading));
  if (before !== undefined) return [{ heading, field: before, score: sure.before }];
  if (ownReport.has(text)) return [{ heading, field: null, score: sure.own }];
  const words = wordsOf(heading.replace(/ \(\d+\)$/, ""));
  const candidates = names.flatMap(({ field, text: name, words: wanted, isOwn }): Candidate[] => {
    if (name === text || isSame(words, wanted)) return [{ heading, field, score: isOwn ? sure.own : sure.other }];
    return holdsAll(words, wanted) ? [{ heading, field, score: sure.part + wanted.size / 100 }] : [];
  });
  return withoutTies(candidates);
}

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean => one.size === other.size && holdsAll(one, other, 1);

/** Whether all words of a name stand in the heading, which may have more. One word alone says too little. */
const holdsAll = (words: ReadonlySet<string>, wanted: ReadonlySet<string>, least = 2): boolean =>
  wanted.size >= least && [...wanted].every((word) => words.has(word));

/** A heading that only resembles two fields equally is left to the person. */
const withoutTies = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ field, score }) => score >= sure.other || !candidates.some((each) => each.field !== field && each.score === score));

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

const wordFor = new Map(Object.entries(sameWords).flatMap(([word, others]) => others.map((other) => [other, word] as const)));
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
  return new Set(words.map((word) => wordFor.get(word) ?? word));
}

const places = (end: string, alone: boolean): Record<string, readonly string[]> => ({
  [`${end}PostCode`]: alone ? ["postcode"] : [],
  [`${end}Suburb`]: alone ? ["suburb"] : [],
  [`${end}State`]: alone ? ["state"] : [],
  [`${end}CountryCode`]: [`${end} country`, ...(alone ? ["country", "country code"] : [])],
});

/** By field, besides its own name and label. A postcode alone is where the goods go. */
const otherNames: Readonly<Record<Kind, Readonly<Record<string, readonly string[]>>>> = {
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
