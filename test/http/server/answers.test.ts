import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { Rejection, type RejectionCode } from "../../../src/domain/rejection.js";
import { defineRoute, type Route } from "../../../src/http/api/route.js";
import { parseJson } from "../../../src/http/server/parseJson.js";
import { createBodyReader, uncountedBytes } from "../../../src/http/server/readBody.js";
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
const listOf = (count: number, value: unknown) => Array.from({ length: count }, () => value);
const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, "x"]));
const good = { text: "hello", items: [{ quantity: 1 }] };

describe("errors have the contract's body", () => {
  test.each([
    ["invalid", 400, "Bad Request"],
    ["queueFull", 400, "Bad Request"],
    ["forbidden", 403, "Forbidden"],
    ["notFound", 404, "Not Found"],
    ["conflict", 409, "Conflict"],
    ["tooLarge", 413, "Payload Too Large"],
    ["unprocessable", 422, "Unprocessable Entity"],
  ])("a rejection as %s is answered %i", async (code, statusCode, error) => {
    const response = await get(`/v1/reject/${code}`);
    expect(response.status).toBe(statusCode);
    expect(await response.json()).toEqual({ statusCode, message: "because", error });
  });

  test("several faults are a list", async () => {
    const response = await get("/v1/faults");
    expect(await response.json()).toEqual({ statusCode: 400, message: ["a is wrong", "b is wrong"], error: "Bad Request" });
  });

  test("a crash is answered 500 without a word about the inside", async () => {
    const response = await get("/v1/bug");
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ statusCode: 500, error: "Internal Server Error" });
    expect(text).not.toContain("secret detail");
  });

  test("an outage of a store is answered 503 with the time to come back", async () => {
    const response = await get("/v1/outage");
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ statusCode: 503, error: "Service Unavailable" });
  });

  test("a store that the operator has to mend is answered 503 without a promise that it passes, and without its address", async () => {
    const [outage, fault] = [await get("/v1/outage"), await get("/v1/misconfigured")];
    expect(fault.status).toBe(503);
    const { message } = (await fault.json()) as { message: string };
    expect(message).toContain("operator");
    expect(message).not.toMatch(/shortly|secret/);
    expect(Number(fault.headers.get("retry-after"))).toBeGreaterThan(10 * Number(outage.headers.get("retry-after")));
  });

  test("an unknown path is 404, with or without a key", async () => {
    for (const response of [await get("/nowhere"), await app.request("/v1/org/nowhere", { method: "DELETE" })]) {
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ statusCode: 404, error: "Not Found" });
    }
  });

  test("a wrong method is 405 and names the right ones", async () => {
    const response = await app.request("/v1/echo/x", { method: "PUT" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
    expect(await response.json()).toMatchObject({ statusCode: 405, error: "Method Not Allowed" });
    expect((await app.request("/healthz", { method: "POST" })).headers.get("allow")).toBe("GET, HEAD");
  });

  test.each(["/v1/echo/%E0%A4%A", "/v1/echo/a%00b", "/v1/echo/a?limit=%00"])("the address %s is 400", async (path) => {
    const response = await post(JSON.stringify(good), { path });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ statusCode: 400, error: "Bad Request" });
  });
});

describe("a request body", () => {
  test("may hold brackets in its texts", async () => {
    const response = await post(JSON.stringify({ ...good, fields: { a: '\\"'.repeat(9) + "[{".repeat(99), '"[[': "\\" } }));
    expect(response.status).toBe(200);
  });

  test("that fits is handed to the route with the caller", async () => {
    const response = await post(JSON.stringify({ ...good, fields: { a: "b" } }), { path: "/v1/echo/a%2Fb%20c?limit=500" });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      params: { id: "a/b c" },
      query: { limit: 500 },
      body: { ...good, fields: { a: "b" } },
      organisationId,
      catalogueVersion: 7,
    });
  });

  test.each<[string, unknown, string[]]>([
    ["no items", { text: "a", items: [] }, ["items must contain at least 1 element"]],
    ["one item too many", { text: "a", items: Array(4).fill({ quantity: 1 }) }, ["items must contain at most 3 elements"]],
    ["an unknown field", { ...good, colour: 1 }, ["colour is not a recognised field"]],
    ["an unknown field inside", { text: "a", items: [{ quantity: 1, size: 2 }] }, ["items.0.size is not a recognised field"]],
    ["missing fields", { items: [{}] }, ["text is required", "items.0.quantity is required"]],
    ["wrong types", { text: 1, items: "x" }, ["text must be a string", "items must be an array"]],
    ["a fraction", { text: "a", items: [{ quantity: 1.5 }] }, ["items.0.quantity must be a whole number"]],
    ["zero", { text: "a", items: [{ quantity: 0 }] }, ["items.0.quantity must be at least 1"]],
    ["an empty text", { ...good, text: "" }, ["text must not be empty"]],
    ["a long text", { ...good, text: "abcdef" }, ["text must be at most 5 characters long"]],
    ["a list", [], ["body must be an object"]],
    ["null", null, ["body must be an object"]],
  ])("with %s is refused by path", async (_, body, message) => {
    const response = await post(JSON.stringify(body));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ statusCode: 400, message, error: "Bad Request" });
  });

  test.each([
    ["at the top", '{"__proto__":{"x":1},"text":"a","items":[{"quantity":1}]}', "__proto__ is not a recognised field"],
    ["in an item", '{"text":"a","items":[{"quantity":1,"__proto__":{}}]}', "items.0.__proto__ is not a recognised field"],
    ["among free keys", '{"text":"a","items":[{"quantity":1}],"fields":{"__proto__":"x"}}', "fields.__proto__ is not a recognised field"],
    ["in disguise", '{"text":"a","items":[{"quantity":1}],"fields":{"\\u005f_proto__":"x"}}', "fields.__proto__ is not a recognised field"],
  ])("with a __proto__ key %s is refused by path", async (_, body, message) => {
    expect(await (await post(body)).json()).toEqual({ statusCode: 400, message: [message], error: "Bad Request" });
  });

  test.each<[string, string | Uint8Array, RegExp]>([
    ["nothing", "", /nothing was sent/],
    ["broken JSON", '{"text":', /must be valid JSON/],
    ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /UTF-8/],
    ["a nest that hides behind quotes", `["\\\\",${"[".repeat(40)}${"]".repeat(40)}]`, /nested deeper/],
    ["a deep nest", "[".repeat(400) + "]".repeat(400), /nested deeper/],
  ])("that is %s is 400", async (_, body, message) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ statusCode: 400, message: [expect.stringMatching(message)], error: "Bad Request" });
  });

  test("may have 300,000 fields, which is more than any push has, and not one more", () => {
    const body = (fields: number) => Buffer.from(`{${'"":"::",'.repeat(fields - 1)}"":0}`);
    expect(parseJson(body(300_000))).toEqual({ "": 0 });
    expect(() => parseJson(body(300_001))).toThrow("body must have at most 300000 fields in all");
  });

  test("may have 600,000 values, and not one more", () => {
    const body = (values: number) => Buffer.from(`[${'"[,",'.repeat(values - 1)}0]`); // one opening, the rest commas
    expect(parseJson(body(600_000))).toHaveLength(600_000);
    expect(() => parseJson(body(600_001))).toThrow("body must have at most 600000 values in all");
    expect(() => parseJson(Buffer.from(`[${"{},".repeat(300_000)}{}]`))).toThrow("values in all");
  });

  test.each<[string, unknown]>([
    [
      "shipments",
      { shipments: listOf(1_000, { ...named(14), customFields: named(200), items: listOf(10, named(3)) }), sourceDetails: "x" },
    ],
    ["activities", { activities: listOf(10_000, named(7)), sourceDetails: "x" }],
    [
      "quotes",
      {
        general: { customerIds: listOf(50, "x") },
        origin: named(8),
        destination: named(8),
        items: listOf(1_000, named(7)),
        filters: Object.fromEntries(Object.keys(named(5)).map((name) => [name, listOf(500, "x")])),
      },
    ],
  ])("of the most %s that the contract allows is parsed", (_, body) => {
    expect(parseJson(Buffer.from(JSON.stringify(body)))).toBeTypeOf("object");
  });

  test("may be exactly as large as its bound and not one byte larger, declared or not", async () => {
    const json = JSON.stringify(good);
    const sized = (size: number) => json + " ".repeat(size - json.length);
    for (const [size, status] of [
      [999, 200],
      [1000, 200],
      [1001, 413],
    ] as const) {
      expect((await post(sized(size))).status).toBe(status);
      expect((await post(sized(size), { headers: { "content-length": String(size) } })).status).toBe(status);
    }
    const refused = await post(sized(1001));
    expect(await refused.json()).toEqual({ statusCode: 413, message: expect.stringContaining("1000 bytes"), error: "Payload Too Large" });
  });

  test.each([
    ["text/plain", {}],
    ["multipart/form-data; boundary=x", {}],
    ["application/json; charset=latin1", {}],
    ["application/json", { "content-encoding": "gzip" }],
  ])("sent as %s %j is 415", async (type, headers) => {
    const response = await post(JSON.stringify(good), { headers: { "content-type": type, ...headers } });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ statusCode: 415, error: "Unsupported Media Type" });
  });

  test("with very many faults lists a hundred and counts the rest", async () => {
    const keys = Object.fromEntries(Array.from({ length: 105 }, (_, index) => [`k${index}`, 1]));
    const { message } = (await (await post(JSON.stringify({ ...good, ...keys }))).json()) as { message: string[] };
    expect(message).toHaveLength(101);
    expect(message.at(-1)).toBe("... and 5 more");
  });
});

describe("a process holds only so many bytes of bodies at once", () => {
  const counted = (size: number) => uncountedBytes + size;
  const sized = (size: number) =>
    new Request("http://x", { method: "POST", body: "x".repeat(size), headers: { "content-length": String(size) } });
  const chunked = (body: ReadableStream) => new Request("http://x", { method: "POST", body, duplex: "half" } as RequestInit);
  const lengthOf = async ({ byteLength }: Uint8Array) => byteLength;
  const limit = counted(200);
  const bounds = { limit, organisationId: "a" };

  test("and takes more as soon as it has let go of some", async () => {
    const withBody = createBodyReader({ inAll: 250 });
    const signals = new EventEmitter();
    const holding = withBody(sized(counted(150)), bounds, async (bytes) => {
      await once(signals, "release");
      return bytes.byteLength;
    });
    await expect.poll(() => signals.listenerCount("release")).toBe(1);
    await expect(withBody(sized(counted(101)), bounds, lengthOf)).rejects.toMatchObject({ code: "unavailable" });
    await expect(withBody(chunked(new Blob(["x".repeat(counted(101))]).stream()), bounds, lengthOf)).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(await withBody(sized(counted(100)), bounds, lengthOf)).toBe(counted(100));
    signals.emit("release");
    expect(await holding).toBe(counted(150));
    expect(await withBody(sized(counted(101)), bounds, lengthOf)).toBe(counted(101));
  });

  test("towards which small bodies, and bytes that have not arrived, do not count", async () => {
    const withBody = createBodyReader({ inAll: 200 });
    const slow = new TransformStream<Uint8Array, Uint8Array>();
    const dribbling = withBody(chunked(slow.readable), bounds, lengthOf);
    const writer = slow.writable.getWriter();
    await writer.write(Buffer.from("x"));
    expect(await withBody(sized(limit), bounds, lengthOf)).toBe(limit);
    await writer.write(Buffer.alloc(limit - 1));
    await expect(withBody(sized(counted(1)), bounds, lengthOf)).rejects.toMatchObject({ code: "unavailable" });
    expect(await withBody(sized(uncountedBytes), bounds, lengthOf)).toBe(uncountedBytes);
    await writer.close();
    expect(await dribbling).toBe(limit);
  });

  test("and an organisation only its own part of them", async () => {
    const withBody = createBodyReader({ inAll: 250, perOrganisation: 100 });
    const signals = new EventEmitter();
    const hold = (organisationId: string, size: number) =>
      withBody(sized(counted(size)), { limit, organisationId }, () => once(signals, "release"));
    const refused = (organisationId: string, size: number) =>
      expect(withBody(sized(counted(size)), { limit, organisationId }, lengthOf)).rejects.toMatchObject({ code: "unavailable" });
    const holding = [hold("a", 60), hold("a", 40)];
    await expect.poll(() => signals.listenerCount("release")).toBe(2);
    await refused("a", 1);
    await refused("b", 101);
    holding.push(hold("b", 99), hold("c", 51));
    await expect.poll(() => signals.listenerCount("release")).toBe(4);
    await refused("b", 1); // of its own part it has one byte left, but nothing is left in all
    signals.emit("release");
    await Promise.all(holding);
    expect(await withBody(sized(counted(100)), bounds, lengthOf)).toBe(counted(100));
  });

  test("and waits a minute for the whole of a body, however often something of it arrives", async () => {
    vi.useFakeTimers();
    try {
      const endless = new ReadableStream({
        pull: (controller) => new Promise<void>((resolve) => setTimeout(() => resolve(controller.enqueue(Buffer.from("x"))), 25_000)),
      });
      const refused = expect(createBodyReader()(chunked(endless), bounds, lengthOf)).rejects.toMatchObject({ code: "requestTimeout" });
      await vi.advanceTimersByTimeAsync(60_000);
      await refused;
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("query parameters", () => {
  test.each([
    ["0", "limit must be at least 1"],
    ["501", "limit must be at most 500"],
    ["x", "limit must be a number"],
    ["1.5", "limit must be a whole number"],
  ])("limit=%s is refused", async (limit, message) => {
    const response = await post(JSON.stringify(good), { path: `/v1/echo/x?limit=${limit}` });
    expect(await response.json()).toEqual({ statusCode: 400, message: [message], error: "Bad Request" });
  });

  test("given twice is refused", async () => {
    expect((await post(JSON.stringify(good), { path: "/v1/echo/x?limit=1&limit=2" })).status).toBe(400);
  });
});

describe("every answer", () => {
  test.each(["/nowhere", "/healthz", "/v1/bug", "/v1/echo/x", "/v1/reject/notFound"])(
    "of %s has a request id and security headers",
    async (path) => {
      const response = await get(path);
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("content-type")).toContain("application/json");
    },
  );

  test("to a known key tells its limit, also when it is an error", async () => {
    for (const path of ["/v1/bug", "/v1/reject/notFound", "/v1/faults"])
      expect((await get(path)).headers.get("ratelimit-limit")).toBe("1000000");
    expect((await post("{}")).headers.get("ratelimit-remaining")).toMatch(/^\d+$/);
  });

  test("keeps a sane request id and replaces any other", async () => {
    const ask = async (id: string) => (await app.request("/healthz", { headers: { "x-request-id": id } })).headers.get("x-request-id");
    expect(await ask("order-17.b:3")).toBe("order-17.b:3");
    expect(await ask("with space")).not.toBe("with space");
    expect(await ask("x".repeat(129))).not.toBe("x".repeat(129));
  });
});
