import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyOrganisation, createKey, decideRevoke, revokeKey } from "../../../src/commands/organisations/organisation.js";
import { hashApiKey } from "../../../src/domain/apiKey.js";
import { streamOf } from "../../../src/events/streams.js";
import { listKeys } from "../../../src/queries/organisations/organisations.js";
import { type CommandStores, fileFor, newOrganisation, origin, startCommandStores } from "../support.js";

let stores: CommandStores;
let organisationId: string;
beforeAll(async () => {
  stores = await startCommandStores();
  organisationId = newOrganisation();
  await applyOrganisation(stores.deps, fileFor(organisationId), origin);
});
afterAll(() => stores?.close());

const create = (name: string) => createKey(stores.deps, { organisationId, name }, origin);
const revoke = (prefix: string) => revokeKey(stores.deps, { organisationId, prefix }, origin);
const listed = async (keyId: string) => (await listKeys(stores.database.pool, organisationId)).find((key) => key.keyId === keyId);

test("a created key is listed by its prefix, and the table and the stream hold only its hash", async () => {
  const { key, keyId, prefix } = await create(" warehouse ");
  expect(prefix).toBe(key.slice(0, 12));
  expect(await listed(keyId)).toMatchObject({ name: "warehouse", prefix, revokedAt: null });
  const { rows } = await stores.database.pool.query("select organisation_id from api_keys where sha256 = $1", [hashApiKey(key)]);
  expect(rows).toEqual([{ organisation_id: organisationId }]);
  let written = "";
  for await (const event of stores.events.read(streamOf.organisation(organisationId)))
    written += JSON.stringify([event.data, event.metadata]);
  expect(written).toContain(hashApiKey(key));
  expect(written).not.toContain(key.slice(12));
});

test("a key is revoked by its prefix, by the whole key or by its id; revoking again records nothing", async () => {
  for (const by of ["prefix", "key", "keyId"] as const) {
    const made = await create(by);
    expect(await revoke(made[by])).toMatchObject({ keyId: made.keyId });
    const revokedAt = (await listed(made.keyId))?.revokedAt;
    expect(revokedAt).toBeInstanceOf(Date);
    const before = await stores.events.last(streamOf.organisation(organisationId));
    await revoke(made[by]);
    expect((await stores.events.last(streamOf.organisation(organisationId)))?.id).toBe(before?.id);
    expect((await listed(made.keyId))?.revokedAt).toEqual(revokedAt);
  }
});

test.each([
  ["an unknown prefix", "wb_live_zzzz", "notFound"],
  ["a short text with which no key begins", "zzz", "notFound"],
  ["the beginning that all keys share", "wb_live_", "invalid"],
  ["a part of that beginning", "wb_", "invalid"],
  ["nothing", "", "invalid"],
])("revoking by %s is refused", async (_, prefix, code) => {
  await expect(revoke(prefix)).rejects.toMatchObject({ name: "Rejection", code });
});

describe("keys with the same beginning", () => {
  const key = (keyId: string, revoked = false) => ({ keyId, name: keyId, prefix: "wb_live_same", sha256: keyId, revoked });
  const state = (...keys: ReturnType<typeof key>[]) => ({
    file: undefined,
    version: 1,
    open: [],
    keys: new Map(keys.map((one) => [one.keyId, one])),
    webhooks: new Map(),
  });
  const command = { given: "wb_live_same", by: { kind: "cli" as const, id: "operator" }, at: "2026-01-01T00:00:00Z" };

  test("are both named in the refusal when both are in use; the id then says which", () => {
    expect(() => decideRevoke(command, state(key("first-key-id"), key("second-key-id")))).toThrow(/first-key-id.*second-key-id/);
    expect(decideRevoke({ ...command, given: "second-key-id" }, state(key("first-key-id"), key("second-key-id")))).toMatchObject([
      { type: "ApiKeyRevoked", data: { keyId: "second-key-id" } },
    ]);
  });

  test("stand for the one key that is still in use", () => {
    expect(decideRevoke(command, state(key("old-key-id", true), key("new-key-id")))).toMatchObject([{ data: { keyId: "new-key-id" } }]);
    expect(decideRevoke(command, state(key("old-key-id", true), key("new-key-id", true)))).toEqual([]);
  });
});

test("an organisation that does not exist gets no key", async () => {
  const missing = createKey(stores.deps, { organisationId: newOrganisation(), name: "k" }, origin);
  await expect(missing).rejects.toMatchObject({ name: "Rejection", code: "notFound" });
});

test("another organisation's key can neither be seen nor revoked", async () => {
  const other = newOrganisation();
  await applyOrganisation(stores.deps, fileFor(other), origin);
  const { prefix, keyId } = await create("mine");
  await expect(revokeKey(stores.deps, { organisationId: other, prefix }, origin)).rejects.toMatchObject({ code: "notFound" });
  expect(await listKeys(stores.database.pool, other)).toEqual([]);
  expect((await listed(keyId))?.revokedAt).toBeNull();
});

test("40 keys created at once are all listed; one that cannot be created is refused as an outage, which is answered 503", async () => {
  const made = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => create(`parallel ${index}`)));
  const created = made.flatMap((each) => (each.status === "fulfilled" ? [each.value.keyId] : []));
  const refused = made.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  const keys = await listKeys(stores.database.pool, organisationId);
  expect(keys.map(({ keyId }) => keyId)).toEqual(expect.arrayContaining(created));
  expect(created.length).toBeGreaterThan(0);
  for (const error of refused) expect(error).toMatchObject({ name: "StoreUnavailable", fault: "outage", outcomeUnknown: false });
});
