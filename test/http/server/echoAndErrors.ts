// An API with a route that echoes the request and routes that each fail in one way, and an organisation with a key.
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import { Rejection, type RejectionCode } from "../../../src/domain/rejection.js";
import { defineRoute, type Route } from "../../../src/http/api/route.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
import { createShell, insertOrganisation } from "../../support/shell.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

const throwing = (path: string, error: unknown): Route =>
  defineRoute({
    method: "GET",
    path,
    operationId: path,
    summary: "throws",
    tag: "test",
    scope: "read",
    request: {},
    responses: {},
    handler: async () => {
      throw error;
    },
  });

const echo = defineRoute({
  method: "POST",
  path: "/v1/echo/{id}",
  operationId: "echo",
  summary: "answers what was sent",
  tag: "test",
  scope: "read",
  maxBodyBytes: 1000,
  request: {
    params: z.object({ id: z.string().max(50) }),
    query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(100) }),
    body: z.strictObject({
      text: z.string().min(1).max(5),
      items: z
        .array(z.strictObject({ quantity: z.number().int().min(1) }))
        .min(1)
        .max(3),
      fields: z.record(z.string(), z.string()).optional(),
    }),
  },
  responses: {},
  handler: async ({ params, query, body, caller }) => ({
    status: 200,
    body: { params, query, body, organisationId: caller.organisationId, catalogueVersion: caller.catalogueVersion },
  }),
});

const codes: RejectionCode[] = ["invalid", "forbidden", "notFound", "conflict", "tooLarge", "unprocessable", "queueFull"];
const routes = [
  echo,
  ...codes.map((code) => throwing(`/v1/reject/${code}`, new Rejection(code, "because"))),
  throwing("/v1/faults", new Rejection("invalid", "first", ["a is wrong", "b is wrong"])),
  throwing("/v1/bug", new Error("secret detail of the inside")),
  throwing("/v1/outage", new StoreUnavailable("event store", "nobody home")),
  throwing("/v1/misconfigured", new StoreUnavailable("object store", "at secret.host: wrong key", { fault: "misconfigured" })),
];

/** A valid body for the echo route. */
export const good = { text: "hello", items: [{ quantity: 1 }] };

/** Starts the stage for all tests of a file. */
export function useEchoAndErrors() {
  let database: TestDatabase;
  let app: ReturnType<typeof createShell>;
  let key: string;
  let organisationId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    ({ key, organisationId } = await insertOrganisation(database.pool));
    app = createShell(database.pool, { routes });
  });
  afterAll(() => database?.close());

  const get = (path: string) => app.request(path, { headers: { "x-api-key": key } });
  const post = (body: string | Uint8Array, options: { path?: string; headers?: Record<string, string> } = {}) =>
    app.request(options.path ?? "/v1/echo/x", {
      method: "POST",
      body,
      headers: { "x-api-key": key, "content-type": "application/json", ...options.headers },
    });

  return {
    get app() {
      return app;
    },
    get organisationId() {
      return organisationId;
    },
    ...{ get, post },
  };
}
