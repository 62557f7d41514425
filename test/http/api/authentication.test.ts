import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import type { Hono } from "hono";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPool } from "../../../src/adapters/postgres/pool.js";
import { hashApiKey, makeApiKey } from "../../../src/domain/apiKey.js";
import { coalesceLookUps, type KeyUse } from "../../../src/http/api/auth/lookUpKeys.js";
import { defineRoute } from "../../../src/http/api/route.js";
import type { AppEnv } from "../../../src/http/server/requestMiddleware.js";
import { createShell, insertKey, insertOrganisation } from "../../support/shell.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

const whoAmI = defineRoute({
  method: "GET",
  path: "/v1/whoami",
  operationId: "whoAmI",
  summary: "answers the caller",
  tag: "test",
  scope: "read",
  request: {},
  responses: {},
  handler: async ({ caller }) => ({ status: 200, body: { ...caller, now: caller.now() } }),
});

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

const ask = (app: Hono<AppEnv>, key: string) => app.request("/v1/whoami", { headers: { "x-api-key": key, "x-request-id": "r-1" } });
const shell = (rateLimitPerMinute?: number) =>
  createShell(database.pool, { routes: [whoAmI], ...(rateLimitPerMinute === undefined ? {} : { rateLimitPerMinute }) });

describe("a key", () => {
  test("gives the route its organisation, its own identity and the database's time", async () => {
    const { key, keyId, organisationId } = await insertOrganisation(database.pool);
    const answer = (await (await ask(shell(), key)).json()) as { now: string };
    expect(answer).toEqual({
      organisationId,
      by: { kind: "key", id: keyId },
      admissionMs: expect.any(Number),
      keyPrefix: key.slice(0, 12),
      catalogueVersion: 7,
      requestId: "r-1",
      now: expect.stringMatching(/^\d{4}-/),
    });
  });

  test("never reaches the log", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    const failing = defineRoute({ ...whoAmI, request: {}, path: "/v1/fail", handler: () => Promise.reject(new Error("broken")) });
    const app = createShell(database.pool, { routes: [whoAmI, failing], logger });
    const { key, organisationId } = await insertOrganisation(database.pool);
    await ask(app, key);
    await app.request("/v1/fail", { headers: { "x-api-key": key } });
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(logged).toContainEqual(expect.objectContaining({ organisationId, keyPrefix: key.slice(0, 12), status: 200, requestId: "r-1" }));
    expect(logged).toContainEqual(expect.objectContaining({ msg: "request failed", level: 50 }));
    expect(lines.join("")).not.toContain(key);
  });
});

describe("the end of a key", () => {
  const endAt = (key: string, column: "expires_at" | "valid_until", time: string) =>
    database.pool.query(`update api_keys set ${column} = ${time} where sha256 = $1`, [hashApiKey(key)]);

  test.each(["expires_at", "valid_until"] as const)(
    "by %s holds by the database's clock, and is answered as if it were revoked",
    async (column) => {
      const app = shell();
      const { key, organisationId } = await insertOrganisation(database.pool);
      const other = await insertKey(database.pool, organisationId);
      await database.pool.query("update api_keys set revoked_at = now() where sha256 = $1", [hashApiKey(other.key)]);
      await endAt(key, column, "now() + interval '1 minute'");
      expect((await ask(app, key)).status).toBe(200);
      await endAt(key, column, "now()");
      const [ended, revoked] = [await ask(app, key), await ask(app, other.key)];
      expect([ended.status, await ended.json()]).toEqual([401, await revoked.json()]);
    },
  );
});

describe("two secrets of one key", () => {
  const twoSecrets = async () => {
    const { key, keyId, organisationId } = await insertOrganisation(database.pool);
    return { keyId, secrets: [key, (await insertKey(database.pool, organisationId, { keyId })).key] as const };
  };

  test("share its limit exactly, also when both are looked up in one query", async () => {
    const app = shell(5);
    const { secrets } = await twoSecrets();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => ask(app, secrets[index % 2 === 0 ? 0 : 1])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
    const left = answers.flatMap(({ status, headers }) => (status === 200 ? [headers.get("ratelimit-remaining")] : []));
    expect(left.sort()).toEqual(["0", "1", "2", "3", "4"]);
  });

  test("have each their own last use, also within the same minute", async () => {
    const app = shell();
    const { keyId, secrets } = await twoSecrets();
    const uses = async () => {
      const { rows } = await database.pool.query<{ sha256: string; at: Date }>(
        "select sha256, last_used_at as at from key_uses where key_id = $1",
        [keyId],
      );
      return new Map(rows.map(({ sha256, at }) => [sha256, at.getTime()]));
    };
    await ask(app, secrets[0]);
    expect([...(await uses()).keys()]).toEqual([hashApiKey(secrets[0])]);
    await ask(app, secrets[1]);
    const noted = await uses();
    expect([...noted.keys()].sort()).toEqual(secrets.map(hashApiKey).sort());
    await ask(app, secrets[0]);
    expect(await uses()).toEqual(noted); // once a minute at most
    await database.pool.query("update key_uses set last_used_at = last_used_at - interval '1 minute' where key_id = $1", [keyId]);
    await ask(app, secrets[0]);
    const later = await uses();
    expect(later.get(hashApiKey(secrets[0]))).toBeGreaterThanOrEqual(noted.get(hashApiKey(secrets[0])) ?? Number.NaN);
    expect(later.get(hashApiKey(secrets[1]))).toBeLessThan(noted.get(hashApiKey(secrets[1])) ?? Number.NaN);
  });
});

describe("a key without the needed scope", () => {
  test("counts towards its limit, which is judged first", async () => {
    const app = shell(1);
    const { organisationId } = await insertOrganisation(database.pool);
    const { key } = await insertKey(database.pool, organisationId, { scopes: ["quotes", "shipments"] });
    const refused = await ask(app, key);
    expect([refused.status, refused.headers.get("ratelimit-remaining")]).toEqual([403, "0"]);
    expect(await refused.json()).toMatchObject({ message: "This API key may not do this. It has: quotes, shipments." });
    expect((await ask(app, key)).status).toBe(429);
    expect((await app.request("/v1/nothing", { headers: { "x-api-key": key } })).status).toBe(404);
  });
});

test("a process of the version before, which knows no scopes, does not find a key that has some", async () => {
  const { key, organisationId } = await insertOrganisation(database.pool);
  const limited = await insertKey(database.pool, organisationId, { scopes: ["read"] });
  const found = async (sought: string) =>
    (await database.pool.query("select from look_up_keys($1, $2)", [[hashApiKey(sought)], [1]])).rowCount;
  expect([await found(key), await found(limited.key)]).toEqual([1, 0]);
  await database.pool.query("update api_keys set expires_at = now() where sha256 = $1", [hashApiKey(key)]);
  expect(await found(key)).toBe(0);
});

describe("the rate limit", () => {
  test("admits exactly n requests a minute, and answers how many are left and when to come back", async () => {
    const app = shell(3);
    const { key } = await insertOrganisation(database.pool);
    for (const left of ["2", "1", "0"]) {
      const response = await ask(app, key);
      expect(response.status).toBe(200);
      expect(response.headers.get("ratelimit-limit")).toBe("3");
      expect(response.headers.get("ratelimit-remaining")).toBe(left);
    }
    const refused = await ask(app, key);
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.headers.get("ratelimit-reset")).toBe(String(seconds));
    expect(refused.headers.get("ratelimit-remaining")).toBe("0");
    expect(await refused.json()).toEqual({
      message: expect.stringContaining("3 requests per minute"),
      limit: 3,
      retryAfterSeconds: seconds,
    });
  });

  test("starts again when the minute is over", async () => {
    const app = shell(1);
    const { key, keyId } = await insertOrganisation(database.pool);
    expect((await ask(app, key)).status).toBe(200);
    expect((await ask(app, key)).status).toBe(429);
    await database.pool.query("update rate_windows set window_start = window_start - interval '1 minute' where key_id = $1", [keyId]);
    expect((await ask(app, key)).status).toBe(200);
    expect((await ask(app, key)).status).toBe(429);
  });

  test("never tells a client to wait for more than a minute, also when the window's start is in the future", async () => {
    const app = shell(1);
    const { key, keyId } = await insertOrganisation(database.pool);
    await ask(app, key);
    await database.pool.query("update rate_windows set window_start = now() + interval '20 seconds' where key_id = $1", [keyId]);
    const refused = await ask(app, key);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("ratelimit-reset")).toBe("60");
  });

  test("is counted for each key separately, also within one organisation", async () => {
    const app = shell(1);
    const { key, organisationId } = await insertOrganisation(database.pool);
    const other = await insertKey(database.pool, organisationId);
    expect((await ask(app, key)).status).toBe(200);
    expect((await ask(app, other.key)).status).toBe(200);
  });

  test("is exact across two processes under ten times as many requests", async () => {
    const limit = 10; // few enough that a busy machine answers all requests within the minute
    const pools = [createPool({ url: database.url, applicationName: "one" }), createPool({ url: database.url, applicationName: "two" })];
    try {
      const apps = pools.map((pool) => createShell(pool, { routes: [whoAmI], rateLimitPerMinute: limit }));
      const keys = [await insertOrganisation(database.pool), await insertOrganisation(database.pool)];
      const asks = Array.from({ length: limit * 10 }, (_, index) =>
        keys.map(async ({ key }) => (await ask(apps[index % 2] as Hono<AppEnv>, key)).status),
      );
      for (const index of keys.keys()) {
        const statuses = await Promise.all(asks.map((each) => each[index]));
        expect(statuses.filter((status) => status === 200)).toHaveLength(limit);
        expect(statuses.filter((status) => status === 429)).toHaveLength(limit * 9);
      }
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
    }
  });

  test("does not count requests with a revoked key", async () => {
    const { key, keyId } = await insertOrganisation(database.pool);
    await database.pool.query("update api_keys set revoked_at = now() where key_id = $1", [keyId]);
    expect((await ask(shell(5), key)).status).toBe(401);
    expect((await database.pool.query("select 1 from rate_windows where key_id = $1", [keyId])).rowCount).toBe(0);
  });
});

describe("look-ups", () => {
  const use: KeyUse = {
    organisationId: "o",
    keyId: "k",
    keyPrefix: "p",
    catalogueVersion: 1,
    scopes: null,
    now: new Date(0),
    used: 0,
    secondsLeft: 60,
  };

  test("of requests at the same time share one query, and each gets its own count", async () => {
    const asked: ReadonlyMap<string, number>[] = [];
    const lookUp = coalesceLookUps(async (requests) => {
      asked.push(requests);
      return new Map([["a", { ...use, used: 10 }]]);
    });
    const answers = await Promise.all([lookUp("a"), lookUp("b"), lookUp("a"), lookUp("a")]);
    expect(asked).toEqual([
      new Map([
        ["a", 3],
        ["b", 1],
      ]),
    ]);
    expect(answers.map((answer) => answer?.used)).toEqual([8, undefined, 9, 10]);
  });

  test("that fail, fail every request that shared them, and the next request queries again", async () => {
    let calls = 0;
    const lookUp = coalesceLookUps(async () => {
      calls++;
      if (calls === 1) throw new Error("gone");
      return new Map([["a", use]]);
    });
    const first = await Promise.allSettled([lookUp("a"), lookUp("b")]);
    expect(first.map((each) => each.status)).toEqual(["rejected", "rejected"]);
    expect(await lookUp("a")).toMatchObject({ keyId: "k" });
  });

  test("never answer a request from a query sent before it arrived", async () => {
    const started: (() => void)[] = [];
    let sent = 0;
    const lookUp = coalesceLookUps(async () => {
      sent++;
      await new Promise<void>((resolve) => started.push(resolve));
      return new Map();
    });
    const early = [lookUp("a")];
    await expect.poll(() => sent).toBe(1);
    early.push(lookUp("a"));
    await expect.poll(() => sent).toBe(2);
    const late = lookUp("a");
    for (const release of started.splice(0)) release();
    await Promise.all(early);
    await expect.poll(() => sent).toBe(3);
    for (const release of started.splice(0)) release();
    expect(await late).toBeUndefined();
  });
});

describe("a database that is away", () => {
  test("is answered 503 with Retry-After, whether it refuses connections or is silent", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const pool = createPool({ url: `postgres://u:p@127.0.0.1:${port}/x`, applicationName: "test" });
    const refusing = createPool({ url: "postgres://u:p@127.0.0.1:1/x", applicationName: "test" });
    try {
      for (const each of [pool, refusing]) {
        const response = await ask(createShell(each, { routes: [whoAmI] }), makeApiKey(randomBytes));
        expect(response.status).toBe(503);
        expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
        expect(await response.json()).toMatchObject({ statusCode: 503, error: "Service Unavailable" });
      }
    } finally {
      silent.close();
      await Promise.all([pool.end(), refusing.end()]);
    }
  }, 60_000);
});

test("only the hash of a key is stored", async () => {
  const { key } = await insertOrganisation(database.pool);
  const { rows } = await database.pool.query("select * from api_keys where sha256 = $1", [hashApiKey(key)]);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(key);
});
