import { afterAll, beforeAll, expect, test } from "vitest";
import { applyOrganisation } from "../../../src/commands/organisations/organisation.js";
import { rememberColumns } from "../../../src/commands/organisations/rememberColumns.js";
import type { ColumnChoice } from "../../../src/domain/imports/columns/choice.js";
import { headingsKey } from "../../../src/domain/imports/columns/headings.js";
import { streamOf } from "../../../src/events/streams.js";
import { lastChoices, rememberedColumns } from "../../../src/queries/organisations/columnChoices.js";
import { type CommandStores, fileFor, newOrganisation, origin, startCommandStores } from "../support.js";

let stores: CommandStores;
let organisationId: string;
let other: string;
beforeAll(async () => {
  stores = await startCommandStores();
  [organisationId, other] = [newOrganisation(), newOrganisation()];
  for (const each of [organisationId, other]) await applyOrganisation(stores.deps, fileFor(each), origin);
});
afterAll(() => stores?.close());

const remember = (choice: ColumnChoice) => rememberColumns(stores.deps, { organisationId, kind: "activities", choice }, origin);
const found = (headings: readonly string[], of = organisationId, kind: "activities" | "shipments" = "activities") =>
  rememberedColumns(of, { kind, key: headingsKey(headings) }, stores.database.pool);

test("a choice is found by its kind and its headings when the command returns, by nobody else", async () => {
  const choice = { headings: { Site: "warehouseCode", Notes: null }, fixed: { status: "done" }, dateOrder: "dayFirst" } as const;
  await remember(choice);
  expect(await found(["Notes", "Site"])).toEqual({ ...choice, by: origin.by, at: expect.any(String) });
  expect(await found(["Notes"])).toBeUndefined();
  expect(await found(["Notes", "Site"], organisationId, "shipments")).toBeUndefined();
  expect(await found(["Notes", "Site"], other)).toBeUndefined();
  expect(await lastChoices(other, "activities", stores.database.pool)).toEqual([]);
});

test("the same choice again records nothing; a changed one takes its place and is the newest", async () => {
  await remember({ headings: { A: "warehouseCode" } });
  const before = await stores.events.last(streamOf.organisation(organisationId));
  await remember({ headings: { A: "warehouseCode" } });
  expect((await stores.events.last(streamOf.organisation(organisationId)))?.id).toBe(before?.id);
  await remember({ headings: { B: "quantity" } });
  await remember({ headings: { A: "chargeCode" } });
  expect(await found(["A"])).toMatchObject({ headings: { A: "chargeCode" } });
  const choices = await lastChoices(organisationId, "activities", stores.database.pool);
  expect(choices.slice(0, 2)).toEqual([{ headings: { A: "chargeCode" } }, { headings: { B: "quantity" } }]);
});
