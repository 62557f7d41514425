// Suggests which field each column of a file holds. A person checks the suggestions before anything is sent.
import { foldName, reportColumns } from "../../files/header.js";
import { type ImportKind, importKinds } from "../fields.js";
import { type ColumnChoice, choosableFields, type FieldSource } from "./choice.js";

/** By heading: the field that the column probably holds. Undefined if nothing fits; null if the column is probably not to be imported. */
export type Suggestions = ReadonlyMap<string, string | null | undefined>;

/** How sure a suggestion is. Only the order of the numbers matters. */
const confidence = { earlierChoice: 4, ownName: 3, otherName: 2, partOfHeading: 1 } as const;

interface FieldAlias {
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

/** `earlierChoices`: the organisation's choices for files of this kind, newest first. */
export function suggestColumns(headings: readonly string[], source: FieldSource, earlierChoices: readonly ColumnChoice[]): Suggestions {
  const names = aliasesOf(source);
  const chosen = earlierFields(earlierChoices, new Set(names.map(({ field }) => field)));
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

/** The kind with the larger share of its required fields found, else with more fields found. Undefined if both are equal. */
export function likelyKind(headings: readonly string[], customFields: FieldSource["customFields"]): ImportKind | undefined {
  const found = importKinds.map((kind) => {
    const source = { kind, customFields };
    const suggested = new Set(suggestColumns(headings, source, []).values());
    const required = choosableFields(source).filter((field) => field.required);
    const present = required.filter(({ name }) => suggested.has(name)).length / required.length;
    return { kind, present, all: [...suggested].filter((field) => typeof field === "string").length };
  });
  const [best, other] = found.sort((one, two) => two.present - one.present || two.all - one.all);
  return best && other && (best.present > other.present || best.all > other.all) ? best.kind : undefined;
}

function aliasesOf(source: FieldSource): FieldAlias[] {
  const others = otherNames[source.kind];
  return choosableFields(source).flatMap(({ name: field, label }) => {
    const plain = field.replace(/^customFields\./, "");
    const own = [field, plain, label].map((text) => ({ field, text: foldName(text), words: headingWords(text), isOwn: true }));
    return [...own, ...(others[field] ?? []).map((text) => ({ field, text: foldName(text), words: headingWords(text), isOwn: false }))];
  });
}

/** By folded heading: the field of the newest earlier choice whose field still exists. */
function earlierFields(choices: readonly ColumnChoice[], known: ReadonlySet<string>): ReadonlyMap<string, string | null> {
  const chosen = new Map<string, string | null>();
  for (const { headings } of choices)
    for (const [heading, field] of Object.entries(headings))
      if (!chosen.has(foldName(heading)) && (field === null || known.has(field))) chosen.set(foldName(heading), field);
  return chosen;
}

const reportHeadings = new Set(reportColumns.map(foldName));

function candidatesFor(heading: string, names: readonly FieldAlias[], chosen: ReadonlyMap<string, string | null>): Candidate[] {
  const text = foldName(heading.replace(/ \(\d+\)$/, "")); // fileHeadings has added the number to a repeated heading
  const earlier = chosen.get(foldName(heading));
  if (earlier !== undefined) return [{ heading, field: earlier, score: confidence.earlierChoice }];
  if (reportHeadings.has(text)) return [{ heading, field: null, score: confidence.ownName }];
  const words = headingWords(heading.replace(/ \(\d+\)$/, ""));
  const candidates = names.flatMap(({ field, text: name, words: wanted, isOwn }): Candidate[] => {
    if (name === text || isSame(words, wanted)) return [{ heading, field, score: isOwn ? confidence.ownName : confidence.otherName }];
    return holdsAll(words, wanted) ? [{ heading, field, score: confidence.partOfHeading + wanted.size / 100 }] : [];
  });
  return withoutTies(candidates);
}

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean => one.size === other.size && holdsAll(one, other, 1);

/** Whether the heading has all words of a name. A name of one word alone says too little. */
const holdsAll = (words: ReadonlySet<string>, wanted: ReadonlySet<string>, minWords = 2): boolean =>
  wanted.size >= minWords && [...wanted].every((word) => words.has(word));

/** Drops suggestions for a heading that resembles two fields equally and is the name of neither: the person decides. */
const withoutTies = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(
    ({ field, score }) => score >= confidence.otherName || !candidates.some((each) => each.field !== field && each.score === score),
  );

/** Phrases in headings, and the one word that stands for each. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/ (?:post|postal|zip|p) codes? /g, " postcode "],
  [/ (?:pick up|ship from|sent from) /g, " origin "],
  [/ (?:ship to|deliver to|deliver(?:y|ed) to|drop off) /g, " destination "],
  [/ con(?:signment)? notes? /g, " consignment "],
  [/ time stamp /g, " timestamp "],
  [/ ware house /g, " warehouse "],
];

const synonyms: Readonly<Record<string, readonly string[]>> = {
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

const wordFor = new Map(Object.entries(synonyms).flatMap(([word, others]) => others.map((other) => [other, word] as const)));
/** Words that say nothing about what a column holds. */
const fillers = new Set(["the", "of", "a", "an", "in", "and", "for"]);

/** The words of a heading or a name, each once, in the form in which they are compared. */
export function headingWords(text: string): ReadonlySet<string> {
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

const placeNames = (end: string, isDefault: boolean): Record<string, readonly string[]> => ({
  [`${end}PostCode`]: isDefault ? ["postcode"] : [],
  [`${end}Suburb`]: isDefault ? ["suburb"] : [],
  [`${end}State`]: isDefault ? ["state"] : [],
  [`${end}CountryCode`]: [`${end} country`, ...(isDefault ? ["country", "country code"] : [])],
});

/** Names of each field besides its own name and label. A postcode without an end is the destination's. */
const otherNames: Readonly<Record<ImportKind, Readonly<Record<string, readonly string[]>>>> = {
  shipments: {
    shipmentId: ["shipment", "order id", "order", "consignment id", "consignment", "sales order", "sales order id", "booking id", "job id"],
    customerId: ["customer", "customer code", "customer account", "account", "account id", "account code"],
    ...placeNames("origin", false),
    ...placeNames("destination", true),
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
