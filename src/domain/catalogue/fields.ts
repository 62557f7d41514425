// The fields of the organisation file as forms, lists and sentences need them, read from the schema.
import type { z } from "zod";
import { type FieldWords, organisationFile, type Section } from "./schema.js";

export type FieldKind = "text" | "number" | "flag" | "choice" | "day" | "texts" | "reference" | "references" | "group" | "list";

export interface CatalogueField extends FieldWords {
  readonly key: string;
  readonly kind: FieldKind;
  /** What the file has for a field that is not filled in. */
  readonly whenEmpty: "required" | "leftOut" | "null";
  readonly maxLength?: number;
  /** The values of a choice; empty for other kinds. */
  readonly options: readonly string[];
  /** The fields of a group, or of each entry of a list; empty for other kinds. */
  readonly fields: readonly CatalogueField[];
}

/** The part of a zod schema's definition that this file reads. */
interface Definition {
  readonly type: string;
  readonly format?: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly entries?: Readonly<Record<string, string>>;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
}
const definitionOf = (schema: z.ZodType): Definition => schema.def as unknown as Definition;

function fieldOf(key: string, outer: z.ZodType): CatalogueField {
  let schema = outer;
  let words = schema.meta();
  let whenEmpty: CatalogueField["whenEmpty"] = "required";
  for (let inner = definitionOf(schema).innerType; inner; inner = definitionOf(schema).innerType) {
    if (whenEmpty !== "null") whenEmpty = definitionOf(schema).type === "nullable" ? "null" : "leftOut";
    schema = inner;
    words ??= schema.meta();
  }
  const { label = key, ...more } = (words ?? {}) as Partial<FieldWords>;
  const definition = definitionOf(schema);
  const element = definition.element && definitionOf(definition.element);
  const shape = definition.shape ?? element?.shape ?? {};
  const { maxLength } = schema as unknown as { maxLength?: number | null };
  return {
    key,
    label,
    ...more,
    whenEmpty,
    kind: kindOf(definition, element, more),
    ...(definition.type === "string" && maxLength ? { maxLength } : {}),
    options: Object.keys(definition.entries ?? {}),
    fields: Object.entries(shape).map(([name, field]) => fieldOf(name, field)),
  };
}

function kindOf({ type, format }: Definition, element: Definition | undefined, { refersTo }: Partial<FieldWords>): FieldKind {
  if (type === "array") return element?.type === "object" ? "list" : refersTo ? "references" : "texts";
  if (type === "object") return "group";
  if (type === "enum") return "choice";
  if (type === "boolean" || type === "literal") return "flag";
  if (type === "number") return "number";
  if (refersTo) return "reference";
  return format === "date" ? "day" : "text";
}

/** The file's sections, each with its fields. */
export const catalogueFields = fieldOf("the file", organisationFile).fields;

const bySection = new Map(catalogueFields.map((field) => [field.key, field.fields]));

/** The fields of the organisation, or of each entry of another section. */
export const fieldsOfSection = (section: Section | "organisation"): readonly CatalogueField[] => bySection.get(section) ?? [];

const labels = new Map<string, string>();
const addLabels = (fields: readonly CatalogueField[]): void =>
  fields.forEach(({ key, label, fields: inner }) => {
    labels.set(key, label);
    addLabels(inner);
  });
addLabels(catalogueFields);

/** Rewrites a recorded change for people: `validTo null -> "2027-06-30"` becomes `Valid to none -> 2027-06-30`. */
export const recordedChangeInWords = (sentence: string): string =>
  sentence
    .replaceAll(/\b[a-z]+[A-Z]\w*/g, (key) => labels.get(key) ?? key)
    .replaceAll(/\bnull(?= ->|$)/g, "none")
    .replaceAll(/"([^"]*)"/g, "$1");

/** The fields, each with its section, that hold ids of the target section's entries. */
export const referringFields = (target: Section): { section: Section; key: string }[] =>
  catalogueFields.flatMap(({ key: section, fields }) =>
    fields.filter(({ refersTo }) => refersTo === target).map(({ key }) => ({ section: section as Section, key })),
  );

export function valueInWords(field: CatalogueField | undefined, value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((each) => valueInWords(field, each)).join(", ") || "none";
  if (typeof value === "number") return `${field?.price ? priceInWords(value) : value}${field?.unit ? ` ${field.unit}` : ""}`;
  if (typeof value !== "object") return field?.words?.[String(value)] ?? String(value);
  return Object.entries(value)
    .map(([key, each]) => {
      const inner = field?.fields.find((known) => known.key === key);
      return each === true ? (inner?.label ?? key) : `${inner?.label ?? key} ${valueInWords(inner, each)}`;
    })
    .join(", ");
}

/** Writes two decimals, or more if the price has more. */
export function priceInWords(value: number): string {
  const [whole = "", fraction = ""] = String(value).split(".");
  return `${whole}.${fraction.padEnd(2, "0")}`;
}
