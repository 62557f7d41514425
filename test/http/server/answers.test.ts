import { describe, expect, test } from "vitest";
import { good, useEchoAndErrors } from "./echoAndErrors.js";

const stage = useEchoAndErrors();
const { get, post } = stage;

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

  test("an unexpected error is answered 500 without its message", async () => {
    const response = await get("/v1/bug");
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ statusCode: 500, error: "Internal Server Error" });
    expect(text).not.toContain("secret detail");
  });

  test("an outage of a store is answered 503 with Retry-After", async () => {
    const response = await get("/v1/outage");
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ statusCode: 503, error: "Service Unavailable" });
  });

  test("a misconfigured store is answered 503 with a long Retry-After, a message about the operator, and without the store's address", async () => {
    const [outage, fault] = [await get("/v1/outage"), await get("/v1/misconfigured")];
    expect(fault.status).toBe(503);
    const { message } = (await fault.json()) as { message: string };
    expect(message).toContain("operator");
    expect(message).not.toMatch(/shortly|secret/);
    expect(Number(fault.headers.get("retry-after"))).toBeGreaterThan(10 * Number(outage.headers.get("retry-after")));
  });

  test("an unknown path is 404, with or without a key", async () => {
    for (const response of [await get("/nowhere"), await stage.app.request("/v1/org/nowhere", { method: "DELETE" })]) {
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ statusCode: 404, error: "Not Found" });
    }
  });

  test("a wrong method is 405 and names the right ones", async () => {
    const response = await stage.app.request("/v1/echo/x", { method: "PUT" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
    expect(await response.json()).toMatchObject({ statusCode: 405, error: "Method Not Allowed" });
    expect((await stage.app.request("/healthz", { method: "POST" })).headers.get("allow")).toBe("GET, HEAD");
  });

  test.each(["/v1/echo/%E0%A4%A", "/v1/echo/a%00b", "/v1/echo/a?limit=%00"])("the address %s is 400", async (path) => {
    const response = await post(JSON.stringify(good), { path });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ statusCode: 400, error: "Bad Request" });
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

  test("to a known key has the rate limit headers, also when it is an error", async () => {
    for (const path of ["/v1/bug", "/v1/reject/notFound", "/v1/faults"])
      expect((await get(path)).headers.get("ratelimit-limit")).toBe("1000000");
    expect((await post("{}")).headers.get("ratelimit-remaining")).toMatch(/^\d+$/);
  });

  test("keeps a well-formed request id of the client and replaces any other", async () => {
    const ask = async (id: string) =>
      (await stage.app.request("/healthz", { headers: { "x-request-id": id } })).headers.get("x-request-id");
    expect(await ask("order-17.b:3")).toBe("order-17.b:3");
    expect(await ask("with space")).not.toBe("with space");
    expect(await ask("x".repeat(129))).not.toBe("x".repeat(129));
  });
});
