import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importLocalities } from "../../../src/commands/organisations/localities.js";
import { streamOf } from "../../../src/events/streams.js";
import { applyLocalityEvents, catchUpLocalities } from "../../../src/projections/models/organisations.js";
import { listLocalityFiles } from "../../../src/queries/organisations/organisations.js";
import { createTestObjectStore } from "../../support/stores/stores.js";
import { type CommandStores, origin, startCommandStores } from "../support.js";

let stores: CommandStores;
let objects: Awaited<ReturnType<typeof createTestObjectStore>>;
beforeAll(async () => {
  stores = await startCommandStores();
  objects = await createTestObjectStore();
});
afterAll(async () => {
  await stores?.close();
  await objects?.close();
});

async function load(country: string, sha256: string, localities: number): Promise<{ recorded: boolean }> {
  const path = join(objects.folder, `${randomUUID()}.tsv`);
  await writeFile(path, `${country}\t10115\tBerlin\n`);
  const project = (code: string) => catchUpLocalities({ eventStore: stores.events, database: stores.database.pool }, code);
  const deps = { ...stores.deps, objectStore: objects.store, project };
  return importLocalities(deps, { country, path, sha256, localities, contentType: "text/tab-separated-values" }, origin);
}

test("a loaded country is listed at once, and its file is in the object store", async () => {
  expect(await load("DE", "aa", 16_476)).toEqual({ recorded: true });
  expect(await listLocalityFiles(stores.database.pool)).toEqual([
    { country: "DE", key: "localities/DE/aa", sha256: "aa", localities: 16_476 },
  ]);
  expect(await objects.store.exists("localities/DE/aa")).toBe(true);
});

test("the same file again records nothing, another file replaces it", async () => {
  await load("FR", "aa", 10);
  expect(await load("FR", "aa", 10)).toEqual({ recorded: false });
  expect(await load("FR", "bb", 11)).toEqual({ recorded: true });
  expect(await listLocalityFiles(stores.database.pool)).toContainEqual({
    country: "FR",
    key: "localities/FR/bb",
    sha256: "bb",
    localities: 11,
  });
});

test("older events that the projector applies later do not bring the older file back", async () => {
  await load("IT", "aa", 10);
  await load("IT", "bb", 11);
  const events = [];
  for await (const event of stores.events.read(streamOf.localities("IT"))) events.push(event);
  await applyLocalityEvents(stores.database.pool, events.slice(0, 1), () => undefined);
  expect(await listLocalityFiles(stores.database.pool)).toContainEqual({
    country: "IT",
    key: "localities/IT/bb",
    sha256: "bb",
    localities: 11,
  });
});

test("a text that is not a country code is refused", async () => {
  await expect(load("Germany", "aa", 1)).rejects.toMatchObject({ name: "Rejection", code: "invalid" });
});
