import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { transaction } from "../../../src/adapters/postgres/pool.js";
import { createKey } from "../../../src/commands/organisations/keys.js";
import { applyOrganisation } from "../../../src/commands/organisations/organisation.js";
import type { OrganisationFile } from "../../../src/domain/catalogue/schema.js";
import { encode } from "../../../src/events/codec.js";
import { streamOf } from "../../../src/events/streams.js";
import type { StoredEvent } from "../../../src/ports/eventStore.js";
import { applyOrganisationEvents } from "../../../src/projections/models/organisations.js";
import { catalogueAt, listOrganisations } from "../../../src/queries/organisations/organisations.js";
import { type CommandStores, fileFor, newOrganisation, origin, startCommandStores } from "../support.js";

let stores: CommandStores;
beforeAll(async () => {
  stores = await startCommandStores();
});
afterAll(() => stores?.close());

async function history(id: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const event of stores.events.read(streamOf.organisation(id))) events.push(event);
  return events;
}

const apply = (file: OrganisationFile) => applyOrganisation(stores.deps, file, origin);
const stored = (id: string, version: number) => catalogueAt(id, version, stores.database.pool);

describe("org apply", () => {
  test("a new organisation is readable at once, as it was applied", async () => {
    const id = newOrganisation();
    expect(await apply(fileFor(id))).toMatchObject({ organisationId: id, version: 1 });
    expect(await stored(id, 1)).toEqual(fileFor(id));
    expect(await listOrganisations(stores.database.pool)).toContainEqual({
      id,
      name: `Organisation ${id}`,
      timezone: "Australia/Sydney",
      catalogueVersion: 1,
    });
    expect((await history(id)).at(-1)).toMatchObject({
      type: "CatalogueApplied",
      metadata: { organisation: id, actor: "cli:operator", v: 2 },
    });
  });

  test("a changed file records one event per changed entry and a closing one, and older versions stay", async () => {
    const id = newOrganisation();
    await apply(fileFor(id));
    const before = (await history(id)).length;
    const changed = fileFor(id, (file) => {
      file.organisation.name = "New name";
      (file.carriers[0] as { name: string }).name = "Road & Rail";
      file.customers.splice(0, 1);
      file.customers.push({ id: "CUST-003", name: "Gamma", carrierIds: [], rateCardIds: [] });
    });
    const applied = await apply(changed);
    expect(applied.version).toBe(2);
    expect(applied.changes.join("\n")).toMatch(/Carrier roadco/);
    expect((await history(id)).slice(before).map(({ type }) => type)).toEqual([
      "CatalogueEntryPut",
      "CatalogueEntryPut",
      "CatalogueEntryPut",
      "CatalogueEntryRemoved",
      "CatalogueApplied",
    ]);
    expect(await stored(id, 2)).toEqual(changed);
    expect(await stored(id, 1)).toEqual(fileFor(id));
  });

  test("a new order of entries is kept", async () => {
    const id = newOrganisation();
    await apply(fileFor(id));
    const turned = fileFor(id, (file) => {
      file.carriers.reverse();
      file.customFields.unshift({ key: "first", label: "First" });
    });
    await apply(turned);
    expect(await stored(id, 2)).toEqual(turned);
  });

  test("a catalogue of thousands of entries is stored whole, and so is a smaller one after it", async () => {
    const id = newOrganisation();
    const large = fileFor(id, (file) => {
      for (let index = 0; index < 3_000; index++) {
        file.customers.push({
          id: `C-${index}`,
          name: `Customer ${index} ${"x".repeat(150)}`,
          carrierIds: ["airco"],
          rateCardIds: ["road-2026"],
        });
      }
    });
    await apply(large);
    expect(await stored(id, 1)).toEqual(large);
    const fewer = fileFor(id);
    await apply(fewer);
    expect(await stored(id, 2)).toEqual(fewer);
  });

  test("entries of a change that no CatalogueApplied closed are ignored", async () => {
    const id = newOrganisation();
    await apply(fileFor(id));
    const head = (await history(id)).at(-1)?.revision as bigint;
    const left = { section: "carriers", id: "ghost", index: 0, entry: { id: "ghost", name: "Ghost" } } as const;
    await stores.events.append(
      streamOf.organisation(id),
      [encode("CatalogueEntryPut", left, { organisation: id, ...origin }, randomUUID())],
      head,
    );
    const changed = fileFor(id, (file) => {
      file.organisation.name = "After the crash";
    });
    expect(await apply(changed)).toMatchObject({ version: 2 });
    expect(await stored(id, 2)).toEqual(changed);
  });

  test("four at once are all applied, one after the other", async () => {
    const id = newOrganisation();
    await apply(fileFor(id));
    const names = ["One", "Two", "Three", "Four"];
    const results = await Promise.all(
      names.map((name) =>
        apply(
          fileFor(id, (file) => {
            file.organisation.name = name;
          }),
        ),
      ),
    );
    expect(results.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5]);
    const last = results.find(({ version }) => version === 5) as { version: number };
    expect((await stored(id, 5))?.organisation.name).toBe(names[results.indexOf(last as never)]);
  });
});

describe("the projector, passing the same events", () => {
  const refuse = (event: StoredEvent, why: string) => {
    throw new Error(`${event.type}: ${why}`);
  };

  test("changes nothing that the command has written", async () => {
    const id = newOrganisation();
    await apply(fileFor(id));
    await createKey(stores.deps, { organisationId: id, name: "k" }, origin);
    const { pool } = stores.database;
    const tables = async () => [
      (await pool.query("select * from organisations where id = $1", [id])).rows,
      (await pool.query("select * from catalogues where organisation_id = $1", [id])).rows,
      (await pool.query("select * from api_keys where organisation_id = $1", [id])).rows,
      (await pool.query("select * from catalogue_changes where organisation_id = $1", [id])).rows,
    ];
    const before = await tables();
    const events = await history(id);
    await transaction(pool, (client) => applyOrganisationEvents(client, events, refuse));
    expect(await tables()).toEqual(before);
  });

  test("writes the rows that a command which died could not write, also when the events of a change come one by one", async () => {
    const id = newOrganisation();
    const dying = { ...stores.deps, project: async () => undefined };
    await applyOrganisation(dying, fileFor(id), origin);
    await createKey(dying, { organisationId: id, name: "k" }, origin);
    expect(await stored(id, 1)).toBeUndefined();
    for (const event of await history(id)) {
      await transaction(stores.database.pool, (client) => applyOrganisationEvents(client, [event], refuse));
    }
    expect(await stored(id, 1)).toEqual(fileFor(id));
    const { rows } = await stores.database.pool.query("select name from api_keys where organisation_id = $1", [id]);
    expect(rows).toEqual([{ name: "k" }]);
  });
});
