import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import { sampleFile } from "./sample.js";

export type Json = Record<string, unknown>;

export function faultsOf(file: unknown): string[] {
  const parsed = parseOrganisationFile(file);
  return parsed.ok ? [] : parsed.faults;
}

/** The sample with the value at a path replaced (or removed, when undefined). */
export function changed(path: string, value: unknown): Json {
  const file = structuredClone(sampleFile()) as unknown as Json;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const target = keys.reduce<Json>((at, key) => at[key] as Json, file);
  if (value === undefined) delete target[last];
  else target[last] = value;
  return file;
}
