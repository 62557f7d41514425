import { describe, expect, test } from "vitest";
import { decide, type OrganisationCommand, organisationAggregate } from "../../../src/commands/organisations/organisationDecider.js";
import { displayPrefix, hashApiKey, makeApiKey } from "../../../src/domain/apiKey.js";
import type { OrganisationFile } from "../../../src/domain/catalogue/schema.js";
import type { CatalogueFile } from "../../../src/events/catalogue.js";
import type { EventOn } from "../../../src/events/registry.js";
import { givenWhenThen } from "../givenWhenThen.js";
import { fileFor } from "../support.js";

type OrganisationEvent = EventOn<"organisation">;
const given = givenWhenThen({ ...organisationAggregate, decide });

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
const applied = (file: OrganisationFile): OrganisationEvent[] => decide(apply(file, -1n), organisationAggregate.initial());
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

describe("API keys", () => {
  const key = makeApiKey((size) => Buffer.alloc(size, 7));
  const made = { keyId: "first-key-id", name: "warehouse", sha256: hashApiKey(key), prefix: displayPrefix(key) };
  const create = { type: "createKey", organisationId: "demo", ...made, by, now } as const;
  const created: OrganisationEvent = { type: "ApiKeyCreated", data: { ...made, ...caused } };
  const second: OrganisationEvent = { type: "ApiKeyCreated", data: { ...made, keyId: "second-key-id", sha256: "other", ...caused } };
  const revoke = (text: string): OrganisationCommand => ({ type: "revokeKey", given: text, by, now });
  const revoked = (keyId: string): OrganisationEvent => ({ type: "ApiKeyRevoked", data: { keyId, ...caused } });

  test("are created for an organisation that exists, with a name, once each", () => {
    given(...base)
      .when(create)
      .decides(created);
    given(...base, created)
      .when(create)
      .decidesNothing();
    given().when(create).isRejected("notFound", "There is no organisation demo; create it with org apply");
    for (const name of ["", "x".repeat(201)])
      given(...base)
        .when({ ...create, name })
        .isRejected("invalid", "A key needs a name of at most 200 characters");
  });

  test("are revoked by their prefix, by the whole key or by their id; revoking again decides nothing", () => {
    for (const text of [made.prefix, key, made.keyId]) {
      given(created).when(revoke(text)).decides(revoked(made.keyId));
      given(created, revoked(made.keyId)).when(revoke(text)).decidesNothing();
    }
  });

  test.each([
    ["an unknown prefix", "wb_live_zzzz", "notFound"],
    ["a short text with which no key begins", "zzz", "notFound"],
    ["the beginning that all keys share", "wb_live_", "invalid"],
    ["a part of that beginning", "wb_", "invalid"],
    ["nothing", "", "invalid"],
  ] as const)("are not revoked by %s", (_, text, code) => {
    given(created).when(revoke(text)).isRejected(code, "keys list shows");
  });

  test("with the same beginning are both named in the refusal when both are in use; the id then says which", () => {
    given(created, second)
      .when(revoke(made.prefix))
      .isRejected("conflict", /first-key-id.*second-key-id/);
    given(created, second).when(revoke("second-key-id")).decides(revoked("second-key-id"));
  });

  test("with the same beginning stand for the one that is still in use", () => {
    given(created, second, revoked("first-key-id")).when(revoke(made.prefix)).decides(revoked("second-key-id"));
    given(created, second, revoked("first-key-id"), revoked("second-key-id")).when(revoke(made.prefix)).decidesNothing();
  });
});
