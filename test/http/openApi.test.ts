import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../src/http/routes/list.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres.js";
import { type SecuritySubject, securityCases } from "../support/securityCases.js";
import { createShell, insertOrganisation } from "../support/shell.js";

interface Operation {
  operationId: string;
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, { description: string; content?: unknown }>;
  "x-extension"?: boolean;
}

let database: TestDatabase;
let subject: SecuritySubject;
let paths: Record<string, Record<string, Operation>>;

beforeAll(async () => {
  database = await createTestDatabase();
  const app = createShell(database.pool);
  const { key, organisationId } = await insertOrganisation(database.pool);
  subject = { pool: database.pool, organisationId, key, request: (path, init) => app.request(path, init) };
  const response = await app.request("/openapi.json");
  const document = (await response.json()) as { openapi: string; paths: typeof paths };
  expect(document.openapi).toBe("3.1.0");
  paths = document.paths;
});
afterAll(() => database?.close());

test("the document describes every route and nothing else", () => {
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
});

test("every operation names its parameters, its answers and itself, once", () => {
  const operations = Object.entries(paths).flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, operation })));
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(inPath);
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["401", "429"]));
    expect(Object.keys(operation.responses).some((status) => status.startsWith("2"))).toBe(true);
    if (operation.requestBody?.content["application/json"]) {
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["400", "413", "415"]));
    }
  }
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
});

test("only what goes beyond the contract is marked as an extension", () => {
  for (const route of routes) {
    expect(paths[route.path]?.[route.method.toLowerCase()]?.["x-extension"] ?? false).toBe(!contract.has(`${route.method} ${route.path}`));
  }
});

const contract = new Set([
  "POST /v1/org/quote/getQuote",
  "GET /v1/org/quote/getQuote/{quoteId}",
  "POST /v1/org/shipments/imports",
  "POST /v1/org/shipments/imports/file",
  "GET /v1/org/shipments/imports/{importId}",
  "GET /v1/org/shipments/imports/{importId}/errors",
  "POST /v1/org/fulfilment/activities",
  "POST /v1/org/fulfilment/activities/file",
  "GET /v1/org/fulfilment/imports/{importId}",
  "GET /v1/org/fulfilment/imports/{importId}/errors",
]);

securityCases(routes, () => subject);
