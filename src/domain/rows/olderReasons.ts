// Interprets the sentences of rejected rows' errors. Older events have no faults: their sentences alone tell the columns at fault. The
// error of a line that was rejected with its shipment has another line's reason after a prefix, also in new events.
import { columnsOf, customFieldPrefix, type ImportKind } from "../imports/fields.js";

const leadPrefix = "Rejected with its shipment: ";

/** SQL for the reason in an error. For a line that was rejected with its shipment, it is the reason of the line at fault. */
export const reasonInErrorSql = (error: string): string =>
  `case when starts_with(${error}, '${leadPrefix}') then substr(${error}, ${leadPrefix.length + 1}) else ${error} end`;

/** The reason in an error, as `reasonInErrorSql` finds it. */
export const reasonInError = (error: string): string => (error.startsWith(leadPrefix) ? error.slice(leadPrefix.length) : error);

/** The fields that an error names, in its order; none if it is about the row as a whole. */
export function columnsInSentences(kind: ImportKind, error: string, customFieldKeys: ReadonlySet<string>): string[] {
  const sentences = error.startsWith(leadPrefix) ? [] : error.split("; ");
  const named = sentences.flatMap((sentence) => namesInSentence(kind, sentence));
  const fields = named.map((name) => (!fieldNames[kind].has(name) && customFieldKeys.has(name) ? customFieldPrefix + name : name));
  return fields.filter((field) => fieldNames[kind].has(field) || field.startsWith(customFieldPrefix));
}
const sentencesWithLists: readonly [RegExp, (name: string) => string][] = [
  [/^Missing mandatory custom field\(s\): (.+)$/s, (key) => customFieldPrefix + key],
  [/^Contradicts the first line of its shipment in column\(s\): (.+)$/s, (name) => name],
];

function namesInSentence(kind: ImportKind, sentence: string): readonly string[] {
  for (const [pattern, fieldOf] of sentencesWithLists) {
    const names = pattern.exec(sentence)?.[1];
    if (names !== undefined) return names.split(", ").map(fieldOf);
  }
  const known = knownSentences[kind].get(sentence);
  if (known) return known;
  const dateColumn = /^Write the date in (\S+) as /.exec(sentence)?.[1];
  if (dateColumn !== undefined) return [dateColumn];
  const name = /^(\S+) /.exec(sentence)?.[1];
  return name === undefined ? [] : [name];
}

/** The columns of sentences that do not contain the column's name. */
const columnsBySentence = (kind: ImportKind): Map<string, readonly string[]> => {
  const columnsOfEnd = (name: string) => [`${name}PostCode`, `${name}Suburb`];
  const places: [string, string[]][] = [
    ["Origin Zone(s) not found", columnsOfEnd("origin")],
    ["Destination Zone(s) not found", columnsOfEnd("destination")],
  ];
  const ofFields = columnsOf(kind).flatMap(({ name, heading, missingReason }): [string, string[]][] => [
    [missingReason ?? `${heading} is required`, [name]],
    [`Valid ${heading.charAt(0).toLowerCase()}${heading.slice(1)} is required`, [name]],
  ]);
  return new Map([...ofFields, ["Customer not found", ["customerId"]], ...(kind === "shipments" ? places : [])]);
};

const knownSentences = { shipments: columnsBySentence("shipments"), activities: columnsBySentence("activities") } as const;
const fieldNames = {
  shipments: new Set<string>(columnsOf("shipments").map(({ name }) => name)),
  activities: new Set<string>(columnsOf("activities").map(({ name }) => name)),
} as const;
