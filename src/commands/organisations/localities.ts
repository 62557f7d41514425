// Loads a country's postcodes. The file is stored in the object store, and the country's stream names the file in use.
import { Rejection } from "../../domain/rejection.js";
import type { LocalitiesImported } from "../../events/serviceEvents.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import { type Aggregate, handleCommand } from "../handle.js";
import type { OrganisationDeps, Origin } from "./organisationStream.js";

/** `project` applies a country's stream to its table. */
export interface LocalitiesDeps extends OrganisationDeps {
  readonly objectStore: ObjectStore;
}

export interface LocalitiesFile {
  /** Two letters, such as `NZ`. */
  readonly country: string;
  /** A local file in the format that the geography loader reads. */
  readonly path: string;
  readonly sha256: string;
  readonly localities: number;
  readonly contentType: string;
}

/** Loads a checked file. `recorded` is false if the country already uses this file; no event is appended then. */
export async function importLocalities(
  deps: LocalitiesDeps,
  file: LocalitiesFile,
  origin: Origin,
): Promise<{ readonly recorded: boolean }> {
  const { country, sha256, localities } = file;
  if (!/^[A-Z]{2}$/.test(country)) throw new Rejection("invalid", `${country} is not a two-letter country code`);
  const key = `localities/${country}/${sha256}`;
  await deps.objectStore.put(key, file.path, { contentType: file.contentType });
  const at = (await deps.now()).toISOString();
  const { newEvents } = await handleCommand(deps.eventStore, localitiesAggregate, country, { organisation: "", ...origin }, (current) =>
    current?.sha256 === sha256 ? [] : [{ type: "LocalitiesImported", data: { country, key, sha256, localities, by: origin.by, at } }],
  );
  await deps.project(country);
  return { recorded: newEvents.length > 0 };
}

const localitiesAggregate: Aggregate<"localities", LocalitiesImported | undefined> = {
  kind: "localities",
  initial: () => undefined,
  evolve: (_, event) => event.data,
};
