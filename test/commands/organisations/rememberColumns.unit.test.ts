import { test } from "vitest";
import { columnsAggregate, decide } from "../../../src/commands/organisations/rememberColumns.js";
import type { ColumnChoice } from "../../../src/domain/imports/columns/choice.js";
import { limits } from "../../../src/domain/imports/limits.js";
import type { EventOn } from "../../../src/events/registry.js";
import { givenWhenThen } from "../givenWhenThen.js";

type OrganisationEvent = EventOn<"organisation">;
const given = givenWhenThen({ ...columnsAggregate, decide });

const now = new Date("2026-05-03T00:00:00Z");
const by = { kind: "member" as const, id: "ada" };
const at = now.toISOString();
const applied: OrganisationEvent = {
  type: "CatalogueApplied",
  data: { organisationId: "demo", version: 1, sinceRevision: 0, changes: [], by, at },
};
const choice = { headings: { Site: "warehouseCode", Notes: null }, fixed: { status: "done" }, dateOrder: "dayFirst" } as const;
const command = (of: ColumnChoice, kind: "activities" | "shipments" = "activities") => ({
  organisationId: "demo",
  kind,
  choice: of,
  by,
  now,
});
const mapped = (of: ColumnChoice, kind: "activities" | "shipments" = "activities"): OrganisationEvent => ({
  type: "ColumnsMapped",
  data: { kind, by, at, ...(of as { headings: Record<string, string | null> }) },
});

test("a choice is remembered, and replaced by another one for the same headings", () => {
  given(applied).when(command(choice)).decides(mapped(choice));
  const other = { headings: { Notes: "status", Site: "warehouseCode" } };
  given(applied, mapped(choice)).when(command(other)).decides(mapped(other));
});

test("the same choice again decides nothing, in whatever order; for the other kind it is another choice", () => {
  const turned = { ...choice, headings: { Notes: null, Site: "warehouseCode" } };
  given(applied, mapped(choice)).when(command(turned)).decidesNothing();
  given(applied, mapped(choice)).when(command(choice, "shipments")).decides(mapped(choice, "shipments"));
});

test("an organisation has to exist", () => {
  given().when(command(choice)).isRejected("notFound", "There is no organisation demo");
});

test("1,000 sets of headings are remembered; a known set is changed beyond that", () => {
  const sets = (count: number) => Array.from({ length: count }, (_, index) => mapped({ headings: { [`h${index}`]: null } }));
  given(applied, ...sets(limits.rememberedChoices - 1))
    .when(command(choice))
    .decides(mapped(choice));
  given(applied, ...sets(limits.rememberedChoices))
    .when(command(choice))
    .decidesNothing();
  const changed = { headings: { h0: "status" } };
  given(applied, ...sets(limits.rememberedChoices))
    .when(command(changed))
    .decides(mapped(changed));
});
