import { afterAll, beforeAll, expect, test } from "vitest";
import { applyOrganisation, createKey, revokeKey } from "../../../src/commands/organisations/organisation.js";
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

test("a revoked key is listed as revoked; revoking again records nothing", async () => {
  const { keyId, prefix } = await create("revoked");
  expect(await revoke(prefix)).toMatchObject({ keyId });
  const revokedAt = (await listed(keyId))?.revokedAt;
  expect(revokedAt).toBeInstanceOf(Date);
  const before = await stores.events.last(streamOf.organisation(organisationId));
  await revoke(prefix);
  expect((await stores.events.last(streamOf.organisation(organisationId)))?.id).toBe(before?.id);
  expect((await listed(keyId))?.revokedAt).toEqual(revokedAt);
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
