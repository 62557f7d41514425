// Sums up the sentences of diff.ts for the log: "2 customers added, rate card road-2026 changed: 3 lanes".

const nouns = ["Custom field", "Carrier", "Service", "Zone map", "Rate card", "Customer"] as const;
const maxNamedEntries = 3;
const maxNamedFields = 3;
const maxLength = 500;

interface Changes {
  readonly added: string[];
  readonly removed: string[];
  /** The changed fields of each changed entry, by the entry's id. */
  readonly changed: Map<string, ChangedFields>;
  reordered: boolean;
}

/** The changed fields by name. A field that is a list has its changed entries: `lanes.3.perKg` adds entry 3 to `lanes`. */
type ChangedFields = Map<string, Set<string>>;

export function changesInBrief(sentences: readonly string[]): string {
  const organisation: ChangedFields = new Map();
  const byNoun = new Map(nouns.map((noun) => [noun, { added: [], removed: [], changed: new Map(), reordered: false } as Changes]));
  let isCreated = false;
  let isCut = false;
  for (const sentence of sentences) {
    const noun = nouns.find((each) => sentence.startsWith(`${each} `));
    const changes = noun && byNoun.get(noun);
    if (changes) addSentence(sentence.slice(noun.length + 1), changes);
    else if (sentence.startsWith("Organisation: ")) addChange(organisation, sentence.slice("Organisation: ".length));
    else if (sentence.startsWith("Organisation ")) isCreated = true;
    else isCut = true; // "and 20 more"
  }
  const parts = [
    ...(isCreated ? ["organisation created"] : []),
    ...(organisation.size > 0 ? [`organisation changed: ${describeFields(organisation)}`] : []),
    ...[...byNoun].flatMap(([noun, changes]) => describeSection(noun.toLowerCase(), changes)),
    ...(isCut ? ["and more"] : []),
  ];
  const text = parts.join(", ");
  return text.length > maxLength ? `${text.slice(0, maxLength - 3)}...` : text;
}

/** `rest` is the sentence without its noun. */
function addSentence(rest: string, changes: Changes): void {
  const colon = rest.indexOf(": ");
  if (colon >= 0) {
    const id = rest.slice(0, colon);
    const fields: ChangedFields = changes.changed.get(id) ?? new Map();
    addChange(fields, rest.slice(colon + 2));
    changes.changed.set(id, fields);
  } else if (rest.endsWith(" added")) changes.added.push(rest.slice(0, -" added".length));
  else if (rest.endsWith(" removed")) changes.removed.push(rest.slice(0, -" removed".length));
  else if (rest === "list reordered") changes.reordered = true;
}

const listNouns = ["lane", "break", "surcharge", "zone"];

/** `change` begins with a list entry, such as `lane A to B`, or with a field's path. Older events have paths such as `lanes.3.perKg`. */
function addChange(fields: ChangedFields, change: string): void {
  const [first = ""] = change.split(" ", 1);
  const [field = "", index] = listNouns.includes(first) ? [`${first}s`, entryNameIn(change)] : first.split(".");
  const entries = fields.get(field) ?? new Set();
  if (index !== undefined && (listNouns.includes(first) || /^\d+$/.test(index))) entries.add(index);
  fields.set(field, entries);
}

/** The part before the colon. Without a colon, the part before the last word. */
const entryNameIn = (change: string): string => change.slice(0, change.includes(": ") ? change.indexOf(": ") : change.lastIndexOf(" "));

function describeSection(noun: string, { added, removed, changed, reordered }: Changes): string[] {
  const counted = (ids: readonly string[], verb: string) =>
    ids.length === 0 ? [] : [ids.length === 1 ? `${noun} ${ids[0]} ${verb}` : `${ids.length} ${noun}s ${verb}`];
  const named = [...changed].map(([id, fields]) => `${noun} ${id} changed: ${describeFields(fields)}`);
  return [
    ...counted(added, "added"),
    ...counted(removed, "removed"),
    ...(changed.size > maxNamedEntries ? [`${changed.size} ${noun}s changed`] : named),
    ...(reordered ? [`${noun}s in another order`] : []),
  ];
}

function describeFields(fields: ChangedFields): string {
  const words = [...fields].map(([field, { size }]) =>
    size === 0 ? field : size === 1 ? `1 ${field.replace(/s$/, "")}` : `${size} ${field}`,
  );
  return words.length <= maxNamedFields ? words.join(" and ") : `${words.slice(0, maxNamedFields).join(", ")} and more`;
}
