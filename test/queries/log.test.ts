import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sentenceOf, sentenceText } from "../../src/domain/log/sentences.js";
import { allLogEntries, findLogEntry, type LogFilter, listLog } from "../../src/queries/log/logEntries.js";
import { logNames } from "../../src/queries/log/logNames.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = database.pool;
});
afterAll(() => database?.close());

interface Given {
  readonly actor?: string;
  readonly what?: string;
  readonly type?: string;
  readonly at?: string;
  readonly about?: readonly [kind: string, id: string];
  readonly details?: object;
}

let position = 0;
async function entry(organisationId: string, given: Given = {}): Promise<string> {
  const { actor = "cli:operator", what = "keys", type = "ApiKeyCreated", at = "2026-03-01T10:00:00Z", about = ["key", "k1"] } = given;
  const eventId = randomUUID();
  position += 1;
  await pool.query(
    `insert into log_entries (event_id, organisation_id, at, position, actor, what, type, about_kind, about_id, details, stream, revision)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'organisation-x', 0)`,
    [eventId, organisationId, at, position, actor, what, type, ...about, given.details ?? {}],
  );
  return eventId;
}

const secret = "s";
async function pages(organisationId: string, filter: LogFilter, limit: number): Promise<string[][]> {
  const found: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const { items, nextCursor } = await listLog(organisationId, filter, { limit, cursor, secret }, pool);
    found.push(items.map(({ id }) => id));
    if (nextCursor === null) return found;
    cursor = nextCursor;
  }
}

test("entries come newest first, a page at a time, each once, also where several have the same time", async () => {
  const ids: string[] = [];
  for (const at of ["2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z", "2026-03-02T10:00:00Z", "2026-03-02T10:00:00Z", "2026-03-03T10:00:00Z"])
    ids.push(await entry("paged", { at }));
  const newest = ids.toReversed();
  expect(await pages("paged", {}, 2)).toEqual([newest.slice(0, 2), newest.slice(2, 4), newest.slice(4)]);
  expect(await pages("paged", {}, 5)).toEqual([newest]);
  expect(await pages("paged", { by: "cli" }, 4)).toEqual([newest.slice(0, 4), newest.slice(4)]);
  const all = [];
  for await (const some of allLogEntries("paged", {}, pool)) all.push(...some.map(({ id }) => id));
  expect(all).toEqual(newest);
});

test("the filters hold alone and together, and days end where the next begins", async () => {
  const [anna, key] = [randomUUID(), randomUUID()];
  await pool.query(
    "insert into api_keys (sha256, key_id, organisation_id, name, prefix, created_at) values ($1, $2, 'filtered', 'ERP', 'wb_live_old1', now())",
    [randomUUID(), key],
  );
  const byAnna = await entry("filtered", { actor: `member:${anna}`, at: "2026-03-01T00:00:00Z" });
  const annaMembers = await entry("filtered", { actor: `member:${anna}`, what: "members", at: "2026-03-02T00:00:00Z" });
  const byKey = await entry("filtered", { actor: `key:${key}`, what: "imports", at: "2026-03-03T00:00:00Z" });
  const byPrefix = await entry("filtered", { actor: "key:wb_live_old1", what: "imports", at: "2026-03-02T12:00:00Z" });
  const byStart = await entry("filtered", { actor: "cli:start", what: "catalogue", at: "2026-02-01T00:00:00Z" });
  const ids = async (filter: LogFilter) => (await pages("filtered", filter, 1)).flat();
  expect(await ids({ by: anna })).toEqual([annaMembers, byAnna]);
  expect(await ids({ by: key })).toEqual([byKey, byPrefix]); // older events name the key by its prefix
  expect(await ids({ by: "cli" })).toEqual([byStart]);
  expect(await ids({ what: "imports" })).toEqual([byKey, byPrefix]);
  expect(await ids({ by: anna, what: "members" })).toEqual([annaMembers]);
  expect(await ids({ from: new Date("2026-03-02T00:00:00Z"), to: new Date("2026-03-03T00:00:00Z") })).toEqual([byPrefix, annaMembers]);
  expect(await ids({ by: "nobody" })).toEqual([]);
});

test("another organisation's entries, and its cursors, are not found", async () => {
  const theirs = await entry("theirs");
  await entry("theirs");
  expect(await pages("ours", {}, 10)).toEqual([[]]);
  expect(await findLogEntry("ours", theirs, pool)).toBeUndefined();
  expect(await findLogEntry("theirs", theirs, pool)).toMatchObject({ id: theirs });
  const { nextCursor } = await listLog("theirs", {}, { limit: 1, cursor: undefined, secret }, pool);
  for (const [organisationId, filter] of [
    ["ours", {}],
    ["theirs", { what: "keys" }],
  ] as const)
    await expect(() =>
      listLog(organisationId, filter, { limit: 1, cursor: nextCursor ?? "", secret }, pool).then(() => undefined),
    ).rejects.toThrow("cursor is malformed");
});

test("sign-ins are shown for 90 days, other entries for good", async () => {
  const ago = (ms: number) => new Date(Date.now() - 90 * 86_400_000 + ms).toISOString();
  const signIn = { what: "sign-ins", type: "MemberSignedIn" };
  const shown = await entry("old", { ...signIn, at: ago(60_000) });
  const hidden = await entry("old", { ...signIn, at: ago(-1) });
  const key = await entry("old", { at: ago(-86_400_000) });
  expect(await pages("old", {}, 10)).toEqual([[shown, key]]);
  expect(await findLogEntry("old", hidden, pool)).toBeUndefined();
});

test("sentences have the names of now; an erased member is a removed member, who was only removed keeps the name", async () => {
  const [anna, removed, erased, endpoint, importId] = Array.from({ length: 5 }, () => randomUUID());
  const member = `insert into members (member_id, organisation_id, email, email_key, name, role, status, invited_at, credentials_revision, revision)
     values ($1, 'named', $2, $2, $3, 'admin', $4, now(), 0, 0)`;
  await pool.query(member, [anna, "anna@example.com", "Anna Lee", "active"]);
  await pool.query(member, [removed, "bob@example.com", null, "removed"]);
  await pool.query(
    "insert into api_keys (sha256, key_id, organisation_id, name, prefix, created_at) values ($1, 'k1', 'named', 'laptop', 'wb_live_9fQ2', now())",
    [randomUUID()],
  );
  await pool.query(
    `insert into webhook_endpoints (endpoint_id, organisation_id, url, events, generation, added_at, added_position)
     values ($1, 'named', 'https://hooks.example/in', '{}', 1, now(), 1)`,
    [endpoint],
  );
  const of = (by: string | undefined) => ({ actor: `member:${by}` });
  const told: [Given, string][] = [
    [{ ...of(anna), type: "ApiKeyRotated" }, "Anna Lee rotated the key laptop (wb_live_9fQ2)"],
    [{ ...of(anna), type: "ApiKeyRevoked" }, "Anna Lee revoked the key laptop (wb_live_9fQ2)"],
    [{ ...of(anna), type: "MemberRemoved", about: ["member", String(removed)] }, "Anna Lee removed bob@example.com"],
    [{ ...of(erased), type: "ApiKeyCreated" }, "A removed member created the key laptop (wb_live_9fQ2)"],
    [{ type: "MemberForgotten", about: ["member", String(erased)] }, "The command line erased a removed member"],
    [
      { ...of(anna), type: "MemberSignedIn", about: ["member", String(anna)], details: { how: "password" } },
      "Anna Lee signed in with a password",
    ],
    [
      { ...of(anna), type: "MemberSignInRefused", about: ["member", String(anna)] },
      "A sign-in as Anna Lee was refused: the password was wrong",
    ],
    [
      { ...of(anna), type: "WebhookChanged", about: ["webhook", String(endpoint)], details: { newSecret: true } },
      "Anna Lee made a new secret for the webhook https://hooks.example/in",
    ],
    [
      { type: "CatalogueApplied", about: ["catalogue", "7"], details: { changes: "2 customers added" } },
      "The command line applied version 7 of the catalogue: 2 customers added",
    ],
    [
      { actor: "key:k1", type: "ImportRequested", about: ["import", String(importId)], details: { kind: "shipments", source: "data" } },
      `The key laptop (wb_live_9fQ2) sent shipments: ${importId}`,
    ],
    [
      { actor: "key:wb_live_gone", type: "RowsReversed", about: ["import", String(importId)], details: { count: 1, kind: "activities" } },
      `The key wb_live_gone reversed 1 activity of ${importId}`,
    ],
  ];
  for (const [given, sentence] of told) {
    const found = await findLogEntry("named", await entry("named", given), pool);
    if (!found) throw new Error("the entry is missing");
    expect(sentenceText(sentenceOf(found, await logNames("named", [found], pool)))).toBe(sentence);
  }
});
