import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey, type NewKey, revokeKey, rotateKey } from "../../../src/commands/organisations/keys.js";
import { applyOrganisation } from "../../../src/commands/organisations/organisation.js";
import { hashApiKey } from "../../../src/domain/apiKey.js";
import { streamOf } from "../../../src/events/streams.js";
import { lookUpKeys } from "../../../src/http/api/auth/lookUpKeys.js";
import { keysEndingSoon, listKeys } from "../../../src/queries/organisations/keys.js";
import { rowsLookedAt } from "../../support/stores/rowsLookedAt.js";
import { type CommandStores, fileFor, newOrganisation, origin, startCommandStores } from "../support.js";

let stores: CommandStores;
let organisationId: string;
beforeAll(async () => {
  const started = await startCommandStores();
  const databaseClock = async () => (await started.database.pool.query<{ now: Date }>("select now() as now")).rows[0]?.now as Date;
  stores = { ...started, deps: { ...started.deps, now: databaseClock } };
  organisationId = newOrganisation();
  await applyOrganisation(stores.deps, fileFor(organisationId), origin);
});
afterAll(() => stores?.close());

const create = (name: string, limits: Pick<NewKey, "scopes" | "expiresAt"> = {}) =>
  createKey(stores.deps, { organisationId, name, ...limits }, origin);
const rotate = (prefix: string, keepHours?: number) =>
  rotateKey(stores.deps, { organisationId, prefix, ...(keepHours === undefined ? {} : { keepHours }) }, origin);
/** Whether each key is accepted, asked of the function that the API asks. */
const valid = async (...keys: string[]) => {
  const found = await lookUpKeys(stores.database.pool, new Map(keys.map((key) => [hashApiKey(key), 1])));
  return keys.map((key) => found.has(hashApiKey(key)));
};
const revoke = (prefix: string) => revokeKey(stores.deps, { organisationId, prefix }, origin);
const listed = async (keyId: string) => (await listKeys(organisationId, stores.database.pool)).find((key) => key.keyId === keyId);

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
  expect(await listKeys(other, stores.database.pool)).toEqual([]);
  expect((await listed(keyId))?.revokedAt).toBeNull();
});

test("40 keys created at once are all listed; one that cannot be created is refused as an outage, which is answered 503", async () => {
  const made = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => create(`parallel ${index}`)));
  const created = made.flatMap((each) => (each.status === "fulfilled" ? [each.value.keyId] : []));
  const refused = made.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  const keys = await listKeys(organisationId, stores.database.pool);
  expect(keys.map(({ keyId }) => keyId)).toEqual(expect.arrayContaining(created));
  expect(created.length).toBeGreaterThan(0);
  for (const error of refused) expect(error).toMatchObject({ name: "StoreUnavailable", fault: "outage", outcomeUnknown: false });
});

test("a key is listed with its creator, its scopes and its end", async () => {
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { key, keyId } = await create("limited", { scopes: ["read", "quotes"], expiresAt });
  expect(await listed(keyId)).toMatchObject({ createdBy: origin.by, scopes: ["quotes", "read"], expiresAt, ended: false });
  const found = await lookUpKeys(stores.database.pool, new Map([[hashApiKey(key), 1]]));
  expect(found.get(hashApiKey(key))?.scopes).toEqual(["quotes", "read"]);
  const { keyId: unlimited } = await create("unlimited");
  expect(await listed(unlimited)).toMatchObject({ createdBy: origin.by, scopes: null, expiresAt: null, ended: false });
});

test("a rotated key stays the same key: both secrets are valid, and each one's last use is shown", async () => {
  const expiresAt = new Date(Date.now() + 48 * 3_600_000);
  const { key: old, keyId, prefix } = await create("rotated", { scopes: ["read"], expiresAt });
  const before = await listed(keyId);
  const rotated = await rotate(prefix);
  expect(rotated).toMatchObject({ keyId, name: "rotated", prefix: rotated.key.slice(0, 12), old: { prefix }, ended: undefined });
  const after = await listed(keyId);
  expect(after).toEqual({
    ...before,
    prefix: rotated.prefix,
    rotatedAt: expect.any(Date),
    replaced: { prefix, validUntil: rotated.old.until, lastUsedAt: null },
  });
  expect((after?.rotatedAt?.getTime() ?? Number.NaN) + 24 * 3_600_000).toBe(rotated.old.until.getTime());
  expect(await valid(old)).toEqual([true]);
  expect(await listed(keyId)).toMatchObject({ lastUsedAt: null, replaced: { lastUsedAt: expect.any(Date) } });
  expect(await valid(rotated.key)).toEqual([true]);
  expect(await listed(keyId)).toMatchObject({ lastUsedAt: expect.any(Date), replaced: { lastUsedAt: expect.any(Date) } });
});

test("keeping the old secret for 0 hours ends it at once", async () => {
  const { key: old, keyId, prefix } = await create("at once");
  const { key } = await rotate(prefix, 0);
  expect(await valid(old, key)).toEqual([false, true]);
  expect((await listed(keyId))?.replaced).toBeUndefined();
});

test("at most two secrets are valid: rotating again ends the older one at once, and says so", async () => {
  const first = await create("twice");
  const second = await rotate(first.prefix);
  const third = await rotate(second.prefix, 168);
  expect(third).toMatchObject({ old: { prefix: second.prefix }, ended: first.prefix });
  expect(await valid(first.key, second.key, third.key)).toEqual([false, true, true]);
  expect((await listKeys(organisationId, stores.database.pool)).filter(({ keyId }) => keyId === first.keyId)).toHaveLength(1);
});

test("revoking by either secret ends both", async () => {
  for (const which of ["old", "new"]) {
    const old = await create(`revoked by the ${which} secret`);
    const rotated = await rotate(old.prefix);
    await revoke(which === "old" ? old.prefix : rotated.prefix);
    expect(await valid(old.key, rotated.key)).toEqual([false, false]);
  }
});

test("a use that the version before has noted is that of the key's first secret", async () => {
  const { keyId, prefix } = await create("used before");
  const at = new Date("2026-01-15T03:04:00Z");
  await stores.database.pool.query("insert into key_uses (key_id, last_used_at) values ($1, $2)", [keyId, at]);
  expect(await listed(keyId)).toMatchObject({ lastUsedAt: at });
  await rotate(prefix);
  expect(await listed(keyId)).toMatchObject({ lastUsedAt: null, replaced: { lastUsedAt: at } });
});

test("keys that end within 14 days are counted, ended and revoked ones are not", async () => {
  const other = newOrganisation();
  await applyOrganisation(stores.deps, fileFor(other), origin);
  const day = 86_400_000;
  const endingIn = (ms: number) =>
    createKey(stores.deps, { organisationId: other, name: "ending", expiresAt: new Date(Date.now() + ms) }, origin);
  await createKey(stores.deps, { organisationId: other, name: "without an end" }, origin);
  await endingIn(14 * day + 600_000);
  expect(await keysEndingSoon(other, stores.database.pool)).toBe(0);
  const { keyId, prefix } = await endingIn(14 * day - 600_000);
  expect(await keysEndingSoon(other, stores.database.pool)).toBe(1);
  await rotateKey(stores.deps, { organisationId: other, prefix }, origin);
  expect(await keysEndingSoon(other, stores.database.pool)).toBe(1);
  await stores.database.pool.query("update api_keys set expires_at = now() where key_id = $1", [keyId]);
  expect(await keysEndingSoon(other, stores.database.pool)).toBe(0);
  const { prefix: revoked } = await endingIn(day);
  expect(await keysEndingSoon(other, stores.database.pool)).toBe(1);
  await revokeKey(stores.deps, { organisationId: other, prefix: revoked }, origin);
  expect(await keysEndingSoon(other, stores.database.pool)).toBe(0);
});

test("a look-up reads the rows of its keys, however many there are, also on a connection that asked when there were few", async () => {
  const { one } = stores.database;
  const { key } = await create("reader");
  const lookUp = () => lookUpKeys(one, new Map([[hashApiKey(key), 1]]));
  for (let times = 0; times < 6; times += 1) await lookUp(); // Postgres chooses the plan that it keeps after five
  for (const [table, columns, values] of [
    ["api_keys", "sha256, key_id, organisation_id, name, prefix, created_at", "'many ' || n, 'many ' || n, $1, '', '', now()"],
    ["rate_windows", "key_id, window_start, used", "'many ' || n, now(), 1"],
    ["key_uses", "key_id, sha256, last_used_at", "'many ' || n, 'many ' || n, now()"],
  ])
    await one.query(`insert into ${table} (${columns}) select ${values} from generate_series(1, 1000) as n where $1 <> ''`, [
      organisationId,
    ]);
  for (const table of ["api_keys", "rate_windows", "key_uses"]) expect(await rowsLookedAt(one, table, lookUp)).toBeLessThan(20);
});
