import { describe, expect, test } from "vitest";
import { decide, type KeyAction, type KeyCommand, keysAggregate } from "../../../src/commands/organisations/keyDecider.js";
import { displayPrefix, hashApiKey, makeApiKey } from "../../../src/domain/apiKey.js";
import type { EventOn } from "../../../src/events/registry.js";
import { givenWhenThen } from "../givenWhenThen.js";

type OrganisationEvent = EventOn<"organisation">;
const given = givenWhenThen({ ...keysAggregate, decide });

const now = new Date("2026-03-01T00:00:00Z");
const by = { kind: "cli" as const, id: "operator" };
const caused = { by, at: now.toISOString() };
const command = (action: KeyAction): KeyCommand => ({ ...action, organisationId: "demo", by, now });
const exists: OrganisationEvent = {
  type: "CatalogueApplied",
  data: { organisationId: "demo", version: 1, sinceRevision: 0, changes: [], ...caused },
};

const keyOf = (byte: number) => makeApiKey((size) => Buffer.alloc(size, byte));
const secretOf = (key: string) => ({ sha256: hashApiKey(key), prefix: displayPrefix(key) });
const [key, nextKey, thirdKey] = [keyOf(7), keyOf(8), keyOf(9)];
const made = { keyId: "first-key-id", name: "warehouse", ...secretOf(key) };
const create = { type: "create", ...made } as const;
const created: OrganisationEvent = { type: "ApiKeyCreated", data: { ...made, ...caused } };
const revoke = (text: string) => command({ type: "revoke", keyRef: text });
const revoked = (keyId: string): OrganisationEvent => ({ type: "ApiKeyRevoked", data: { keyId, ...caused } });
const rotate = (text: string, more: { keepHours?: number; replaces?: string; key?: string } = {}) => {
  const { keepHours = 24, key: secret = nextKey, replaces } = more;
  return command({ type: "rotate", keyRef: text, keepHours, replaces, ...secretOf(secret) });
};
const rotated = (secret: string, keepUntil: string): OrganisationEvent => ({
  type: "ApiKeyRotated",
  data: { keyId: made.keyId, ...secretOf(secret), keepUntil, ...caused },
});
/** The old secret goes on. */
const rotatedLately = rotated(nextKey, "2026-03-01T00:00:00.001Z");
const rotatedBefore = rotated(nextKey, now.toISOString());
const endingAt = (expiresAt: string): OrganisationEvent => ({ type: "ApiKeyCreated", data: { ...made, expiresAt, ...caused } });

describe("creating a key", () => {
  test("needs an organisation that exists and a name, and happens once", () => {
    given(exists).when(command(create)).decides(created);
    given(exists, created).when(command(create)).decidesNothing();
    given().when(command(create)).isRejected("notFound", "There is no organisation demo; create it with org apply");
    given(exists)
      .when(command({ ...create, name: "x".repeat(200) }))
      .decides(expect.objectContaining({ type: "ApiKeyCreated" }));
    for (const name of ["", "x".repeat(201)])
      given(exists)
        .when(command({ ...create, name }))
        .isRejected("invalid", "A key needs a name of at most 200 characters");
  });

  test("records the scopes in their order, each once; all of them are recorded as none", () => {
    const withScopes = (...scopes: string[]) => given(exists).when(command({ ...create, scopes }));
    withScopes("read", "quotes", "read").decides({ type: "ApiKeyCreated", data: { ...made, scopes: ["quotes", "read"], ...caused } });
    withScopes("read", "activities", "shipments", "quotes").decides(created);
  });

  test("is refused without a scope or with an unknown one, naming those there are", () => {
    const withScopes = (...scopes: string[]) => given(exists).when(command({ ...create, scopes }));
    withScopes().isRejected("invalid", "A key needs at least one scope: quotes, shipments, activities, read");
    withScopes("").isRejected("invalid", "A key needs at least one scope: quotes, shipments, activities, read");
    withScopes("read", "write").isRejected("invalid", "There is no scope write; a key has any of quotes, shipments, activities, read");
  });

  test("with an end needs one that is still to come", () => {
    const endAt = (time: number) => given(exists).when(command({ ...create, expiresAt: new Date(time) }));
    for (const time of [now.getTime() - 1, now.getTime()]) endAt(time).isRejected("invalid", "A key cannot end in the past");
    endAt(now.getTime() + 1).decides(endingAt("2026-03-01T00:00:00.001Z"));
  });
});

describe("rotating a key", () => {
  test("gives it a new secret and keeps the old one for the hours that were chosen, from 0 to 168", () => {
    for (const text of [made.prefix, key, made.keyId])
      given(created).when(rotate(text)).decides(rotated(nextKey, "2026-03-02T00:00:00.000Z"));
    given(created)
      .when(rotate(made.prefix, { keepHours: 0 }))
      .decides(rotated(nextKey, now.toISOString()));
    given(created)
      .when(rotate(made.prefix, { keepHours: 168 }))
      .decides(rotated(nextKey, "2026-03-08T00:00:00.000Z"));
    for (const keepHours of [-1, 169, 1.5, Number.NaN])
      given(created).when(rotate(made.prefix, { keepHours })).isRejected("invalid", "a whole number of hours, from 0 to 168");
  });

  test("with the secret that it has already decides nothing", () => {
    given(created, rotatedLately).when(rotate(made.keyId)).decidesNothing();
  });

  test("again goes by the newer secret or the id", () => {
    for (const text of [displayPrefix(nextKey), nextKey, made.keyId])
      given(created, rotatedLately)
        .when(rotate(text, { key: thirdKey }))
        .decides(rotated(thirdKey, "2026-03-02T00:00:00.000Z"));
  });

  test("is refused for a secret that was replaced: a request sent twice would end the one that is deployed", () => {
    for (const text of [made.prefix, key])
      given(created, rotatedLately)
        .when(rotate(text, { key: thirdKey }))
        .isRejected("conflict", `has been rotated already; to rotate it again, give the newer ${displayPrefix(nextKey)}`);
    given(created, rotatedLately)
      .when(rotate(made.keyId, { key: thirdKey, replaces: made.prefix }))
      .isRejected("conflict", "has been rotated already");
    given(created, rotatedBefore)
      .when(rotate(made.prefix, { key: thirdKey }))
      .isRejected("notFound", "No key of this organisation begins");
  });

  test("is refused when it is revoked or has ended, and works until its end", () => {
    given(created, revoked(made.keyId))
      .when(rotate(made.prefix))
      .isRejected("conflict", "is revoked and cannot be rotated; create a new one");
    given(endingAt(now.toISOString()))
      .when(rotate(made.prefix))
      .isRejected("conflict", "ended at 2026-03-01T00:00:00.000Z and cannot be rotated; create a new one");
    given(endingAt("2026-03-01T00:00:00.001Z")).when(rotate(made.prefix)).decides(rotated(nextKey, "2026-03-01T00:00:00.001Z"));
  });

  test("keeps the old secret at most until the key's own end", () => {
    for (const [end, until] of [
      ["2026-03-01T23:59:59.999Z", "2026-03-01T23:59:59.999Z"],
      ["2026-03-02T00:00:00.001Z", "2026-03-02T00:00:00.000Z"],
    ] as const)
      given(endingAt(end)).when(rotate(made.prefix)).decides(rotated(nextKey, until));
  });
});

describe("revoking a key", () => {
  const second: OrganisationEvent = { type: "ApiKeyCreated", data: { ...made, keyId: "second-key-id", sha256: "other", ...caused } };

  test("goes by its prefix, by the whole key or by its id; revoking again decides nothing", () => {
    for (const text of [made.prefix, key, made.keyId]) {
      given(created).when(revoke(text)).decides(revoked(made.keyId));
      given(created, revoked(made.keyId)).when(revoke(text)).decidesNothing();
    }
  });

  test("goes by either secret while both are valid, and by the newer one afterwards", () => {
    for (const text of [made.prefix, key, displayPrefix(nextKey), nextKey])
      given(created, rotatedLately).when(revoke(text)).decides(revoked(made.keyId));
    given(created, rotatedBefore).when(revoke(nextKey)).decides(revoked(made.keyId));
    for (const text of [made.prefix, key]) given(created, rotatedBefore).when(revoke(text)).isRejected("notFound", "keys list shows");
  });

  test.each([
    ["an unknown prefix", "wb_live_zzzz", "notFound"],
    ["a short text with which no key begins", "zzz", "notFound"],
    ["the beginning that all keys share", "wb_live_", "invalid"],
    ["a part of that beginning", "wb_", "invalid"],
    ["nothing", "", "invalid"],
  ] as const)("does not go by %s", (_, text, code) => {
    given(created).when(revoke(text)).isRejected(code, "keys list shows");
  });

  test("of two with the same beginning names both when both are in use; the id then says which", () => {
    given(created, second)
      .when(revoke(made.prefix))
      .isRejected("conflict", /first-key-id.*second-key-id/);
    given(created, second).when(revoke("second-key-id")).decides(revoked("second-key-id"));
  });

  test("of two with the same beginning means the one that is still in use", () => {
    given(created, second, revoked("first-key-id")).when(revoke(made.prefix)).decides(revoked("second-key-id"));
    given(endingAt(now.toISOString()), second).when(revoke(made.prefix)).decides(revoked("second-key-id"));
    given(created, second, revoked("first-key-id"), revoked("second-key-id")).when(revoke(made.prefix)).decidesNothing();
  });
});
