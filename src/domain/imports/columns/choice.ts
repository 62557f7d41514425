// Which field each column of a file holds, as a person has chosen, and how that choice is applied to the file's header row.
import { z } from "zod";
import type { HeaderMatch } from "../../files/header.js";
import { isStorable } from "../../rows/cells.js";
import { columnsOf, customFieldPrefix, type Field, type ImportKind } from "../fields.js";
import { isLongerThan, limits, listNames, shortenToBytes } from "../limits.js";
import { dateOrders } from "./dateOrder.js";
import { decimalMarks } from "./decimal.js";
import { fileHeadings } from "./headings.js";

/** Recorded in events of imports and organisations, so this is a disk format. */
export const columnChoice = z.object({
  /** By the file's heading: the field that its column holds (a custom one as `customFields.<key>`), or null if it is not imported. */
  headings: z.record(z.string(), z.string().nullable()),
  /** By field: the value for every row, if the file has no column for the field. */
  fixed: z.record(z.string(), z.string()).optional(),
  /** How dates such as 03/04/2026 are read; if absent, they are rejected. */
  dateOrder: z.enum(dateOrders).optional(),
  /** How numbers are written; absent for the contract's way. */
  decimal: z.enum(decimalMarks).optional(),
});
export type ColumnChoice = Readonly<z.infer<typeof columnChoice>>;

export interface ChoosableField {
  /** The field's name; `customFields.<key>` for a custom field. */
  readonly name: string;
  /** The name that people see. */
  readonly label: string;
  readonly required: boolean;
  readonly type: Field["type"];
}

export interface FieldSource {
  readonly kind: ImportKind;
  /** The organisation's custom fields, which only shipments have. */
  readonly customFields: readonly { readonly key: string; readonly label: string }[];
}

/** The import's fields in their order, then the organisation's custom fields. */
export const choosableFields = ({ kind, customFields }: FieldSource): ChoosableField[] => [
  ...columnsOf(kind).map(({ name, heading, required, type }) => ({ name, label: heading, type, required: required !== false })),
  ...(kind === "shipments"
    ? customFields.map(({ key, label }) => ({ name: customFieldPrefix + key, label, type: "text" as const, required: false }))
    : []),
];

/** Converts fields to the texts that people write, and back: labels in any case, or names where two fields share a label. */
export function fieldTexts(fields: readonly ChoosableField[]) {
  const names = new Set(fields.map(({ name }) => name));
  const byLabel = new Map<string, string | undefined>();
  for (const { name, label } of fields) byLabel.set(label.toLowerCase(), byLabel.has(label.toLowerCase()) ? undefined : name);
  /** Returns the text itself if it is no field. */
  const nameOf = (text: string): string => (names.has(text) ? text : (byLabel.get(text.toLowerCase()) ?? text));
  const textOf = ({ name, label }: ChoosableField): string => (nameOf(label) === name ? label : name);
  return { nameOf, textOf };
}

const shortened = (heading: string): string => shortenToBytes(heading, 100);

/** Why the choice cannot be applied, in sentences. */
export function choiceFaults({ headings, fixed = {} }: ColumnChoice, source: FieldSource): string[] {
  const fields = new Map(choosableFields(source).map((field) => [field.name, field]));
  const columnsFor = new Map<string, string[]>();
  const faults: string[] = [];
  for (const [heading, field] of Object.entries(headings)) {
    if (field === null) continue;
    if (!fields.has(field)) faults.push(`${shortened(heading)} is mapped to ${shortened(field)}, which is not a field of these imports.`);
    else columnsFor.set(field, [...(columnsFor.get(field) ?? []), heading]);
  }
  for (const field of Object.keys(fixed))
    if (!fields.has(field)) faults.push(`${shortened(field)} has a fixed value, and is no field of these imports.`);
  for (const { name, label, required, type } of fields.values()) {
    const columns = columnsFor.get(name) ?? [];
    const value = Object.hasOwn(fixed, name) ? (fixed[name] ?? "") : undefined;
    if (columns.length > 1)
      faults.push(`${label} is taken from ${columns.map(shortened).join(" and ")}. Choose Do not import for all but one.`);
    if (columns[0] !== undefined && value !== undefined)
      faults.push(`${label} has a fixed value, and a column: ${shortened(columns[0])}. Remove the value, or do not import the column.`);
    if (required && columns.length === 0 && value === undefined)
      faults.push(`${label} is required. Choose a column for it, or give a fixed value.`);
    if (value !== undefined) faults.push(...fixedFaults(label, value, type));
  }
  return faults;
}

function fixedFaults(label: string, value: string, type: Field["type"]): string[] {
  const maxLength = type === "identifier" || type === "customer" ? limits.identifierLength : limits.textLength;
  if (value.trim() === "") return [`The fixed value of ${label} is blank.`];
  if (isLongerThan(value.trim(), maxLength)) return [`The fixed value of ${label} is longer than ${maxLength} characters.`];
  return isStorable(value) ? [] : [`The fixed value of ${label} holds characters that cannot be stored.`];
}

/** `fields` and `names` have an entry per column, then one per fixed value. `fixed`: the values to add to the cells of every row. */
export type AppliedChoice =
  | (Extract<HeaderMatch, { ok: true }> & { readonly fixed: readonly string[] })
  | Extract<HeaderMatch, { ok: false }>;

/** Applies the choice to the columns of a file. The file and the choice must have the same headings. */
export function applyChoice(columns: readonly string[], choice: ColumnChoice, source: FieldSource): AppliedChoice {
  const headings = fileHeadings(columns);
  const present = new Set(headings);
  const unknown = headings.filter((heading) => heading !== undefined && !Object.hasOwn(choice.headings, heading));
  const missing = Object.keys(choice.headings).filter((heading) => !present.has(heading));
  const faults = [
    ...namesSentence("Unrecognised column(s)", unknown as string[]),
    ...namesSentence("Missing column(s)", missing),
    ...choiceFaults(choice, source),
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
    names: fields.map((field) => (field === undefined ? "" : columnNameOf(field, source.kind))),
    fixed: fixed.map(([, value]) => value),
  };
}

const namesSentence = (label: string, headings: readonly string[]): string[] =>
  headings.length === 0 ? [] : [`${label}: ${listNames(headings)}.`];

/** The column name of a field. A custom field is named by its key, or by its long name if the import has a field of that name. */
function columnNameOf(field: string, kind: ImportKind): string {
  if (!field.startsWith(customFieldPrefix)) return field;
  const key = field.slice(customFieldPrefix.length);
  return columnsOf(kind).some(({ name }) => name.toLowerCase() === key.toLowerCase()) ? field : key;
}

/** Whether two choices say the same, whatever the order of their headings. */
export const isSameChoice = (one: ColumnChoice, other: ColumnChoice): boolean => choiceKey(one) === choiceKey(other);

const choiceKey = ({ headings, fixed = {}, dateOrder, decimal }: ColumnChoice): string =>
  JSON.stringify([sortedEntries(headings), sortedEntries(fixed), dateOrder ?? null, decimal ?? null]);

/** A copy without other properties, such as who chose and when. */
export const plainChoice = ({ headings, fixed, dateOrder, decimal }: ColumnChoice) => ({
  headings: { ...headings },
  ...(fixed ? { fixed: { ...fixed } } : {}),
  ...(dateOrder ? { dateOrder } : {}),
  ...(decimal ? { decimal } : {}),
});

const sortedEntries = (values: Readonly<Record<string, string | null>>) =>
  Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
