// Which field each column of a file holds, as a person has chosen, and how that choice is applied to the file's header row.
import { z } from "zod";
import type { HeaderMatch } from "../../files/header.js";
import { isStorable } from "../../rows/cells.js";
import { columnsOf, customFieldPrefix, type Field, type Kind } from "../fields.js";
import { firstNames, isLonger, limits, shortened } from "../limits.js";
import { dateOrders } from "./dateOrder.js";
import { decimalMarks } from "./decimal.js";
import { fileHeadings } from "./headings.js";

/** As the events of imports and organisations record it too. This is a disk format. */
export const columnChoice = z.object({
  /** By the file's heading: the field that its column holds (a custom one as `customFields.<key>`), or null where it is left out. */
  headings: z.record(z.string(), z.string().nullable()),
  /** By field: one value for every row, where the file has no column for it. */
  fixed: z.record(z.string(), z.string()).optional(),
  /** How dates such as 03/04/2026 are read; without it they are rejected. */
  dateOrder: z.enum(dateOrders).optional(),
  /** How numbers are written; without it as the contract has them. */
  decimal: z.enum(decimalMarks).optional(),
});
export type ColumnChoice = Readonly<z.infer<typeof columnChoice>>;

export interface ChoosableField {
  /** A custom one as `customFields.<key>`. */
  readonly name: string;
  /** For people. */
  readonly label: string;
  readonly required: boolean;
  readonly type: Field["type"];
}

export interface ChoosableFields {
  readonly kind: Kind;
  /** The organisation's own; only shipments carry them. */
  readonly customFields: readonly { readonly key: string; readonly label: string }[];
}

/** In the order of the import's fields, then the organisation's own. */
export const choosableFields = ({ kind, customFields }: ChoosableFields): ChoosableField[] => [
  ...columnsOf(kind).map(({ name, heading, required, type }) => ({ name, label: heading, type, required: required !== false })),
  ...(kind === "shipments"
    ? customFields.map(({ key, label }) => ({ name: customFieldPrefix + key, label, type: "text" as const, required: false }))
    : []),
];

/** Fields as people write them: by their labels in whatever case, or by their names where another field has the same label. */
export function fieldTexts(fields: readonly ChoosableField[]) {
  const names = new Set(fields.map(({ name }) => name));
  const byLabel = new Map<string, string | undefined>();
  for (const { name, label } of fields) byLabel.set(label.toLowerCase(), byLabel.has(label.toLowerCase()) ? undefined : name);
  /** The text itself where it is no field. */
  const nameOf = (text: string): string => (names.has(text) ? text : (byLabel.get(text.toLowerCase()) ?? text));
  const textOf = ({ name, label }: ChoosableField): string => (nameOf(label) === name ? label : name);
  return { nameOf, textOf };
}

const quoted = (heading: string): string => shortened(heading, 100);

/** Why the choice cannot be applied, in sentences. */
export function choiceFaults({ headings, fixed = {} }: ColumnChoice, of: ChoosableFields): string[] {
  const fields = new Map(choosableFields(of).map((field) => [field.name, field]));
  const columnsFor = new Map<string, string[]>();
  const faults: string[] = [];
  for (const [heading, field] of Object.entries(headings)) {
    if (field === null) continue;
    if (!fields.has(field)) faults.push(`${quoted(heading)} is taken for ${quoted(field)}, which is no field of these imports.`);
    else columnsFor.set(field, [...(columnsFor.get(field) ?? []), heading]);
  }
  for (const field of Object.keys(fixed))
    if (!fields.has(field)) faults.push(`${quoted(field)} has a fixed value, and is no field of these imports.`);
  for (const { name, label, required, type } of fields.values()) {
    const columns = columnsFor.get(name) ?? [];
    const value = Object.hasOwn(fixed, name) ? (fixed[name] ?? "") : undefined;
    if (columns.length > 1)
      faults.push(`${label} is taken from ${columns.map(quoted).join(" and ")}. Choose Do not import for all but one.`);
    if (columns[0] !== undefined && value !== undefined)
      faults.push(`${label} has a fixed value, and a column: ${quoted(columns[0])}. Remove the value, or do not import the column.`);
    if (required && columns.length === 0 && value === undefined)
      faults.push(`${label} is required. Choose a column for it, or give a fixed value.`);
    if (value !== undefined) faults.push(...fixedFaults(label, value, type));
  }
  return faults;
}

function fixedFaults(label: string, value: string, type: Field["type"]): string[] {
  const longest = type === "identifier" || type === "customer" ? limits.identifierLength : limits.textLength;
  if (value.trim() === "") return [`The fixed value of ${label} is blank.`];
  if (isLonger(value.trim(), longest)) return [`The fixed value of ${label} is longer than ${longest} characters.`];
  return isStorable(value) ? [] : [`The fixed value of ${label} holds characters that cannot be stored.`];
}

/** By column of the file, and after them by fixed value. `fixed`: the values that follow the cells of every row. */
export type AppliedChoice =
  | (Extract<HeaderMatch, { ok: true }> & { readonly fixed: readonly string[] })
  | Extract<HeaderMatch, { ok: false }>;

/** The columns of a file with this choice. Every heading of the file has to be part of the choice, and the other way round. */
export function applyChoice(columns: readonly string[], choice: ColumnChoice, of: ChoosableFields): AppliedChoice {
  const headings = fileHeadings(columns);
  const present = new Set(headings);
  const unknown = headings.filter((heading) => heading !== undefined && !Object.hasOwn(choice.headings, heading));
  const lost = Object.keys(choice.headings).filter((heading) => !present.has(heading));
  const faults = [
    ...named("Unrecognised column(s)", unknown as string[]),
    ...named("Missing column(s)", lost),
    ...choiceFaults(choice, of),
  ];
  if (faults.length > 0) return { ok: false, message: ["Invalid file structure.", ...faults].join(" ") };
  const fixed = Object.entries(choice.fixed ?? {});
  const fields = [
    ...headings.map((heading) => (heading === undefined ? undefined : (choice.headings[heading] ?? undefined))),
    ...fixed.map(([field]) => field),
  ];
  return {
    ok: true,
    fields,
    names: fields.map((field) => (field === undefined ? "" : nameOf(field, of.kind))),
    fixed: fixed.map(([, value]) => value),
  };
}

const named = (label: string, headings: readonly string[]): string[] =>
  headings.length === 0 ? [] : [`${label}: ${firstNames(headings)}.`];

/** A custom field by its key, as in a file of our own headings; by its long name where a field of the import has that name. */
function nameOf(field: string, kind: Kind): string {
  if (!field.startsWith(customFieldPrefix)) return field;
  const key = field.slice(customFieldPrefix.length);
  return columnsOf(kind).some(({ name }) => name.toLowerCase() === key.toLowerCase()) ? field : key;
}

/** Whether two choices say the same, whatever the order of their headings. */
export const isSameChoice = (one: ColumnChoice, other: ColumnChoice): boolean => comparable(one) === comparable(other);

const comparable = ({ headings, fixed = {}, dateOrder, decimal }: ColumnChoice): string =>
  JSON.stringify([sorted(headings), sorted(fixed), dateOrder ?? null, decimal ?? null]);

/** A copy with nothing that was not chosen. */
export const plainChoice = ({ headings, fixed, dateOrder, decimal }: ColumnChoice) => ({
  headings: { ...headings },
  ...(fixed ? { fixed: { ...fixed } } : {}),
  ...(dateOrder ? { dateOrder } : {}),
  ...(decimal ? { decimal } : {}),
});

const sorted = (values: Readonly<Record<string, string | null>>) => Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
