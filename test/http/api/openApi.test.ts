import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../../src/http/api/routes/list.js";
import { type SecuritySubject, securityCases } from "../../support/securityCases.js";
import { createShell, insertOrganisation } from "../../support/shell.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; schema: Record<string, unknown> }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, { description: string; headers: Record<string, { $ref: string }>; content?: unknown }>;
  "x-extension"?: boolean;
}

let database: TestDatabase;
let subject: SecuritySubject;
let paths: Record<string, Record<string, Operation>>;
let headers: Record<string, { schema: { type: string } }>;

beforeAll(async () => {
  database = await createTestDatabase();
  const app = createShell(database.pool);
  const { key, organisationId } = await insertOrganisation(database.pool);
  subject = { pool: database.pool, organisationId, key, request: (path, init) => app.request(path, init) };
  const response = await app.request("/openapi.json");
  const document = (await response.json()) as { openapi: string; paths: typeof paths; components: { headers: typeof headers } };
  expect(document.openapi).toBe("3.1.0");
  paths = document.paths;
  headers = document.components.headers;
});
afterAll(() => database?.close());

test("the document describes every route and nothing else", () => {
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
});

test("a page's limit is a whole number with its bounds", () => {
  const errors = paths["/v1/org/shipments/imports/{importId}/errors"]?.["get"];
  const limit = errors?.parameters.find(({ name }) => name === "limit");
  expect(limit).toMatchObject({ in: "query", required: false, schema: { type: "integer", minimum: 1, maximum: 500, default: 100 } });
});

test("every operation names its path parameters and its answers, and has a unique id", () => {
  const operations = Object.entries(paths).flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, operation })));
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(inPath);
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["400", "401", "429"]));
    expect(Object.keys(operation.responses).some((status) => status.startsWith("2"))).toBe(true);
    if (operation.requestBody?.content["application/json"]) {
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["413", "415"]));
    }
  }
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
});

const filled = (path: string, value: string) => path.replaceAll(/\{\w+\}/g, value);

test("an address that cannot be decoded is answered 400 by every operation", async () => {
  for (const { method, path } of routes) {
    const { key } = subject;
    const answers = [`${filled(path, "x")}?a=%00`, ...["%ff", "%00"].map((value) => filled(path, value)).filter((each) => each !== path)];
    for (const address of answers) expect((await subject.request(address, { method, headers: { "x-api-key": key } })).status).toBe(400);
  }
});

test("an answer has the headers that the document names", async () => {
  const hurried = createShell(subject.pool, { rateLimitPerMinute: 1 });
  const path = "/v1/org/quote/getQuote/{quoteId}";
  const ask = (key: string) => hurried.request(filled(path, "x"), { headers: { "x-api-key": key } });
  const { key } = await insertOrganisation(subject.pool);
  const answers = [await ask(""), await ask(key), await ask(key), await ask(key)];
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 404, 429]));
  for (const answer of answers) {
    const named = paths[path]?.["get"]?.responses[answer.status]?.headers ?? {};
    expect(Object.keys(headers).filter((name) => answer.headers.has(name))).toEqual(Object.keys(named));
    for (const [name, { $ref }] of Object.entries(named)) {
      expect($ref).toBe(`#/components/headers/${name}`);
      expect(answer.headers.get(name)).toMatch(headers[name]?.schema.type === "integer" ? /^\d+$/ : /^\S+$/);
    }
  }
  expect(Object.keys(paths[path]?.["get"]?.responses["503"]?.headers ?? {})).toContain("Retry-After");
});

test("an operation is marked as an extension exactly when it is not in the contract", () => {
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
