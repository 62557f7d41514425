// Loads a country's postcodes: the file goes to the object store, and the country's stream says which file is in use.
import { Rejection } from "../../domain/rejection.js";
import type { LocalitiesImported } from "../../events/serviceEvents.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import { type Aggregate, handleCommand } from "../handle.js";
import type { OrganisationDeps, Origin } from "./organisationStream.js";

/** `project` applies the country's stream to its table. */
export interface LocalitiesDeps extends OrganisationDeps {
  readonly objects: ObjectStore;
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

/** Loads a checked file. The same file again records nothing. */
export async function importLocalities(
  deps: LocalitiesDeps,
  file: LocalitiesFile,
  origin: Origin,
): Promise<{ readonly recorded: boolean }> {
  const { country, sha256, localities } = file;
  if (!/^[A-Z]{2}$/.test(country)) throw new Rejection("invalid", `${country} is not a two-letter country code`);
  const key = `localities/${country}/${sha256}`;
  await deps.objects.put(key, file.path, { contentType: file.contentType });
  const at = (await deps.now()).toISOString();
  const { decided } = await handleCommand(deps.events, localitiesAggregate, country, { organisation: "", ...origin }, (current) =>
    current?.sha256 === sha256 ? [] : [{ type: "LocalitiesImported", data: { country, key, sha256, localities, by: origin.by, at } }],
  );
  await deps.project(country);
  return { recorded: decided.length > 0 };
}

const localitiesAggregate: Aggregate<"localities", LocalitiesImported | undefined> = {
  kind: "localities",
  initial: () => undefined,
  evolve: (_, event) => event.data,
};
