// Events of rejected rows once had no faults, only the sentences that people read. Those events, and the rows that were projected from them,
// are read here and nowhere else.
import { columnsOf, customFieldPrefix, type Kind } from "../imports/fields.js";

const leadPrefix = "Rejected with its shipment: ";

/** SQL for the reason in an error: of a line that was rejected with its shipment, the reason of the line at fault. */
export const reasonInErrorSql = (error: string): string =>
  `case when starts_with(${error}, '${leadPrefix}') then substr(${error}, ${leadPrefix.length + 1}) else ${error} end`;

/** The same for an error that was read. */
export const reasonInError = (error: string): string => (error.startsWith(leadPrefix) ? error.slice(leadPrefix.length) : error);

/** The fields that an error names, in its order; none where it is about the row as a whole. */
export function columnsInSentences(kind: Kind, error: string, customFieldKeys: ReadonlySet<string>): string[] {
  const sentences = error.startsWith(leadPrefix) ? [] : error.split("; ");
  const named = sentences.flatMap((sentence) => columnsNamed(kind, sentence));
  const fields = named.map((name) => (!fieldNames[kind].has(name) && customFieldKeys.has(name) ? customFieldPrefix + name : name));
  return fields.filter((field) => fieldNames[kind].has(field) || field.startsWith(customFieldPrefix));
}
const lists: readonly [RegExp, (name: string) => string][] = [
  [/^Missing mandatory custom field\(s\): (.+)$/s, (key) => customFieldPrefix + key],
  [/^Contradicts the first line of its shipment in column\(s\): (.+)$/s, (name) => name],
];

function columnsNamed(kind: Kind, sentence: string): readonly string[] {
  for (const [pattern, fieldOf] of lists) {
    const names = pattern.exec(sentence)?.[1];
    if (names !== undefined) return names.split(", ").map(fieldOf);
  }
  const known = knownSentences[kind].get(sentence);
  if (known) return known;
  const dated = /^Write the date in (\S+) as /.exec(sentence)?.[1];
  if (dated !== undefined) return [dated];
  const name = /^(\S+) /.exec(sentence)?.[1];
  return name === undefined ? [] : [name];
}

/** The reasons that do not have the column's own name in them. */
const columnsBySentence = (kind: Kind): Map<string, readonly string[]> => {
  const end = (name: string) => [`${name}PostCode`, `${name}Suburb`];
  const places: [string, string[]][] = [
    ["Origin Zone(s) not found", end("origin")],
    ["Destination Zone(s) not found", end("destination")],
  ];
  const own = columnsOf(kind).flatMap(({ name, heading, missing }): [string, string[]][] => [
    [missing ?? `${heading} is required`, [name]],
    [`Valid ${heading.charAt(0).toLowerCase()}${heading.slice(1)} is required`, [name]],
  ]);
  return new Map([...own, ["Customer not found", ["customerId"]], ...(kind === "shipments" ? places : [])]);
};

const knownSentences = { shipments: columnsBySentence("shipments"), activities: columnsBySentence("activities") } as const;
const fieldNames = {
  shipments: new Set<string>(columnsOf("shipments").map(({ name }) => name)),
  activities: new Set<string>(columnsOf("activities").map(({ name }) => name)),
} as const;
