// Cases that every authenticated route must pass, run over the list of routes so that a new one cannot be forgotten.
import type pg from "pg";
import { describe, expect, test } from "vitest";
import { hashApiKey } from "../../src/domain/apiKey.js";
import { keyScopes, neededScopes } from "../../src/domain/keyScopes.js";
import type { Route } from "../../src/http/api/route.js";
import { insertKey } from "./shell.js";

export interface SecuritySubject {
  readonly pool: pg.Pool;
  readonly organisationId: string;
  readonly key: string;
  readonly request: (path: string, init: RequestInit) => Response | Promise<Response>;
}

/** A path and body that reach the route; authentication comes before anything in them is looked at. */
const requestFor = (route: Route, key: string | undefined): [string, RequestInit] => [
  route.path.replaceAll(/\{\w+\}/g, "made-up"),
  {
    method: route.method,
    headers: { ...(key === undefined ? {} : { "x-api-key": key }), "content-type": "application/json" },
    ...(route.method === "POST" ? { body: "{}" } : {}),
  },
];

/** `wb_live_...` with one character changed to another of the same kind, at each end and in the middle. */
const changedKeys = (key: string): string[] =>
  [8, Math.floor(key.length / 2), key.length - 1].map(
    (index) => key.slice(0, index) + (key[index] === "a" ? "b" : "a") + key.slice(index + 1),
  );

export function securityCases(routes: readonly Route[], subject: () => SecuritySubject): void {
  describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", (_, route) => {
    const status = async (key: string | undefined) => {
      const response = await subject().request(...requestFor(route, key));
      if (response.status === 401) expect(Object.keys((await response.json()) as object)).toContain("message");
      return response.status;
    };

    test("is 401 without a key, with a part of the key, and with one character added or changed", async () => {
      const { key } = subject();
      for (const wrong of [undefined, "", "wb_live_", key.slice(0, 12), key.slice(0, -1), `${key}a`, ...changedKeys(key)]) {
        expect(await status(wrong)).toBe(401);
      }
      expect(await status(key)).not.toBe(401);
    });

    test.each([
      ["the key was revoked", "revoked_at"],
      ["the key's end", "expires_at"],
      ["the end of a replaced secret", "valid_until"],
    ])("is 401 on the very next request after %s", async (_, column) => {
      const { pool, organisationId } = subject();
      const { key } = await insertKey(pool, organisationId);
      expect(await status(key)).not.toBe(401);
      await pool.query(`update api_keys set ${column} = now() where sha256 = $1`, [hashApiKey(key)]);
      expect(await status(key)).toBe(401);
    });

    test("is 403 for a key that has every scope but the needed one, before anything that was sent is looked at", async () => {
      const { pool, organisationId, request } = subject();
      const needed = neededScopes(route.scope);
      const scopes = keyScopes.filter((scope) => !needed.includes(scope));
      const { key } = await insertKey(pool, organisationId, { scopes });
      const response = await request(...requestFor(route, key));
      expect(response.status).toBe(403);
      expect(response.headers.get("ratelimit-remaining")).toMatch(/^\d+$/);
      expect(await response.json()).toEqual({
        statusCode: 403,
        message: `This API key may not do this. It has: ${scopes.join(", ")}.`,
        error: "Forbidden",
      });
    });

    test("is reached by a key that has only the needed scope", async () => {
      const { pool, organisationId, key: all } = subject();
      for (const scope of neededScopes(route.scope)) {
        const { key } = await insertKey(pool, organisationId, { scopes: [scope] });
        expect(await status(key)).toBe(await status(all));
      }
    });
  });
}
