import { check } from "../validation.js";
import { crossCheck } from "./crossChecks.js";
import { readableFile } from "./readable.js";
import { type OrganisationFile, organisationFile } from "./schema.js";

export type ParsedOrganisationFile =
  | { readonly ok: true; readonly file: OrganisationFile }
  | { readonly ok: false; readonly faults: string[] };

const sections = ["customFields", "carriers", "services", "zoneMaps", "rateCards", "customers"] as const;

/** An entry becomes one event, and the event store takes no more than a mebibyte at a time. */
const largestEntry = 900_000;

/** Checks everything there is to check and lists every fault, path first. */
export function parseOrganisationFile(input: unknown): ParsedOrganisationFile {
  const shape = check(organisationFile, input, "the file");
  const faults = [...(shape.ok ? [] : shape.faults), ...crossCheck(readableFile.parse(input))];
  if (shape.ok) faults.push(...sections.flatMap((section) => oversized(section, shape.value[section])));
  return shape.ok && faults.length === 0 ? { ok: true, file: shape.value } : { ok: false, faults };
}

function oversized(section: string, entries: readonly unknown[]): string[] {
  return entries.flatMap((entry, index) => {
    const size = Buffer.byteLength(JSON.stringify(entry));
    return size > largestEntry ? [`${section}.${index} is ${size} bytes as JSON; split it so that it has at most ${largestEntry}`] : [];
  });
}
