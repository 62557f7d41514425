// Which cells of a rejected row its reason is about. Reasons are recorded as sentences: this reads them, also those of years ago.
import { columnsOf, customFieldPrefix } from "../imports/fields.js";

type Kind = "shipments" | "activities";

/** The fields that a row's reason names, in the order of the reason; none where it is about the row as a whole. */
export function faultyColumns(kind: Kind, reason: string, customFieldKeys: ReadonlySet<string> = new Set()): string[] {
  const faults = reason.startsWith("Rejected with its shipment: ") ? [] : reason.split("; ");
  const named = faults.flatMap((fault) => columnsNamed(kind, fault));
  const fields = named.map((name) => (!fieldNames[kind].has(name) && customFieldKeys.has(name) ? customFieldPrefix + name : name));
  return [...new Set(fields)].filter((field) => fieldNames[kind].has(field) || field.startsWith(customFieldPrefix));
}

const lists: readonly [RegExp, (name: string) => string][] = [
  [/^Missing mandatory custom field\(s\): (.+)$/s, (key) => customFieldPrefix + key],
  [/^Contradicts the first line of its shipment in column\(s\): (.+)$/s, (name) => name],
];

function columnsNamed(kind: Kind, fault: string): readonly string[] {
  for (const [pattern, fieldOf] of lists) {
    const names = pattern.exec(fault)?.[1];
    if (names !== undefined) return names.split(", ").map(fieldOf);
  }
  const known = sentences[kind].get(fault);
  if (known) return known;
  const dated = /^Write the date in (\S+) as /.exec(fault)?.[1];
  if (dated !== undefined) return [dated];
  const name = /^(\S+) /.exec(fault)?.[1];
  return name === undefined ? [] : [name];
}

/** The reasons that do not have the column's own name in them. */
const sentencesOf = (kind: Kind): Map<string, readonly string[]> => {
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

const sentences = { shipments: sentencesOf("shipments"), activities: sentencesOf("activities") } as const;
const fieldNames = {
  shipments: new Set<string>(columnsOf("shipments").map(({ name }) => name)),
  activities: new Set<string>(columnsOf("activities").map(({ name }) => name)),
} as const;
