import { describe, expect, test } from "vitest";
import { catalogueAggregate, decide, type OrganisationCommand } from "../../../src/commands/organisations/organisation.js";
import type { OrganisationFile } from "../../../src/domain/catalogue/schema.js";
import type { CatalogueFile } from "../../../src/events/catalogue.js";
import type { EventOn } from "../../../src/events/registry.js";
import { givenWhenThen } from "../givenWhenThen.js";
import { fileFor } from "../support.js";

type OrganisationEvent = EventOn<"organisation">;
const given = givenWhenThen({ ...catalogueAggregate, decide });

const now = new Date("2026-03-01T00:00:00Z");
const by = { kind: "cli" as const, id: "operator" };
const caused = { by, at: now.toISOString() };

const apply = (file: OrganisationFile, head: bigint): OrganisationCommand => ({
  type: "applyFile",
  file: JSON.parse(JSON.stringify(file)) as CatalogueFile & OrganisationFile,
  head,
  by,
  now,
});
/** The events that lead to this file. */
const applied = (file: OrganisationFile): OrganisationEvent[] => decide(apply(file, -1n), catalogueAggregate.initial());
const base = applied(fileFor("demo"));
const renamed = fileFor("demo", (file) => {
  file.organisation.name = "New name";
});
const renaming: OrganisationEvent = {
  type: "CatalogueEntryPut",
  data: { section: "organisation", id: "demo", index: 0, entry: renamed.organisation },
};
const closing = (sinceRevision: number): Extract<OrganisationEvent, { type: "CatalogueApplied" }> => ({
  type: "CatalogueApplied",
  data: { organisationId: "demo", version: 2, sinceRevision, changes: [expect.stringContaining("New name")], ...caused },
});

describe("a catalogue", () => {
  test("is applied as one event per changed entry and a closing one", () => {
    expect(base.at(-1)).toMatchObject({ type: "CatalogueApplied", data: { version: 1, sinceRevision: 0 } });
    given(...base)
      .when(apply(renamed, BigInt(base.length - 1)))
      .decides(renaming, closing(base.length));
  });

  test("made from an older version is refused, unless it changes nothing", () => {
    const head = BigInt(base.length - 1);
    const madeFrom = (file: OrganisationFile, version: number) => ({ ...apply(file, head), madeFrom: version }) as OrganisationCommand;
    given(...base)
      .when(madeFrom(renamed, 1))
      .decides(renaming, closing(base.length));
    for (const version of [0, 2]) {
      given(...base)
        .when(madeFrom(renamed, version))
        .isRejected("conflict", /The catalogue has changed meanwhile: its version is 1 now/);
      given(...base)
        .when(madeFrom(fileFor("demo"), version))
        .decidesNothing();
    }
  });

  test("that equals the recorded one decides nothing", () => {
    given(...base)
      .when(apply(fileFor("demo"), BigInt(base.length - 1)))
      .decidesNothing();
  });

  test("is compared with the last complete change: entries that no CatalogueApplied closed do not count", () => {
    given(...base, renaming)
      .when(apply(renamed, BigInt(base.length)))
      .decides(renaming, closing(base.length + 1));
    given(...base, renaming, { type: "CatalogueApplied", data: { ...closing(base.length + 1).data, changes: [] } })
      .when(apply(fileFor("demo"), BigInt(base.length)))
      .decidesNothing();
  });
});
