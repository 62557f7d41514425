// Sums up the sentences of diff.ts for the log: "2 customers added, rate card road-2026 changed: 3 lanes".

const nouns = ["Custom field", "Carrier", "Service", "Zone map", "Rate card", "Customer"] as const;
const mostNamed = 3;
const mostFields = 3;
const longest = 500;

interface Changes {
  readonly added: string[];
  readonly removed: string[];
  /** By id: the fields that changed. */
  readonly changed: Map<string, Fields>;
  reordered: boolean;
}

/** By name. A list's fields are its entries: `lanes.3.perKg` is one of the lanes. */
type Fields = Map<string, Set<string>>;

export function changesInBrief(sentences: readonly string[]): string {
  const organisation: Fields = new Map();
  const byNoun = new Map(nouns.map((noun) => [noun, { added: [], removed: [], changed: new Map(), reordered: false } as Changes]));
  let created = false;
  let isCut = false;
  for (const sentence of sentences) {
    const noun = nouns.find((each) => sentence.startsWith(`${each} `));
    const changes = noun && byNoun.get(noun);
    if (changes) sortIn(sentence.slice(noun.length + 1), changes);
    else if (sentence.startsWith("Organisation: ")) note(organisation, sentence.slice("Organisation: ".length));
    else if (sentence.startsWith("Organisation ")) created = true;
    else isCut = true; // "and 20 more"
  }
  const parts = [
    ...(created ? ["organisation created"] : []),
    ...(organisation.size > 0 ? [`organisation changed: ${inWords(organisation)}`] : []),
    ...[...byNoun].flatMap(([noun, changes]) => partsOf(noun.toLowerCase(), changes)),
    ...(isCut ? ["and more"] : []),
  ];
  const text = parts.join(", ");
  return text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
}

/** `rest` is a sentence after its noun. */
function sortIn(rest: string, changes: Changes): void {
  const colon = rest.indexOf(": ");
  if (colon >= 0) {
    const id = rest.slice(0, colon);
    const fields: Fields = changes.changed.get(id) ?? new Map();
    note(fields, rest.slice(colon + 2));
    changes.changed.set(id, fields);
  } else if (rest.endsWith(" added")) changes.added.push(rest.slice(0, -" added".length));
  else if (rest.endsWith(" removed")) changes.removed.push(rest.slice(0, -" removed".length));
  else if (rest === "list reordered") changes.reordered = true;
}

const listNouns = ["lane", "break", "surcharge", "zone"];

/** `change` begins with the name of an entry of a list, such as `lane A to B`, or with the field's path; older ones have `lanes.3.perKg`. */
function note(fields: Fields, change: string): void {
  const [first = ""] = change.split(" ", 1);
  const [field = "", index] = listNouns.includes(first) ? [`${first}s`, nameIn(change)] : first.split(".");
  const entries = fields.get(field) ?? new Set();
  if (index !== undefined && (listNouns.includes(first) || /^\d+$/.test(index))) entries.add(index);
  fields.set(field, entries);
}

/** What stands before the colon, or before the last word. */
const nameIn = (change: string): string => change.slice(0, change.includes(": ") ? change.indexOf(": ") : change.lastIndexOf(" "));

function partsOf(noun: string, { added, removed, changed, reordered }: Changes): string[] {
  const counted = (ids: readonly string[], verb: string) =>
    ids.length === 0 ? [] : [ids.length === 1 ? `${noun} ${ids[0]} ${verb}` : `${ids.length} ${noun}s ${verb}`];
  const named = [...changed].map(([id, fields]) => `${noun} ${id} changed: ${inWords(fields)}`);
  return [
    ...counted(added, "added"),
    ...counted(removed, "removed"),
    ...(changed.size > mostNamed ? [`${changed.size} ${noun}s changed`] : named),
    ...(reordered ? [`${noun}s in another order`] : []),
  ];
}

function inWords(fields: Fields): string {
  const words = [...fields].map(([field, { size }]) =>
    size === 0 ? field : size === 1 ? `1 ${field.replace(/s$/, "")}` : `${size} ${field}`,
  );
  return words.length <= mostFields ? words.join(" and ") : `${words.slice(0, mostFields).join(", ")} and more`;
}
