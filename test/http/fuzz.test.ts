import { request as httpRequest } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Route } from "../../src/http/route.js";
import { routes } from "../../src/http/routes/list.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";

let service: TestService;
let organisation: TestOrganisation;
beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 1_000_000 });
  organisation = await service.organisation();
});
afterAll(() => service?.close());

interface Answered {
  readonly status: number;
  readonly body: string;
}

/** Node's own client, since fetch would tidy up what is meant to arrive untidy. */
function ask(
  method: string,
  path: string,
  options: { headers?: Record<string, string>; body?: string | Uint8Array } = {},
): Promise<Answered> {
  const { port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const headers = { "x-api-key": organisation.key, connection: "close", ...options.headers };
    const outgoing = httpRequest({ host: "127.0.0.1", port, method, path, headers }, (incoming) => {
      let body = "";
      incoming.setEncoding("utf8").on("data", (chunk) => (body += chunk));
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, body }));
    });
    outgoing.on("error", reject);
    outgoing.end(options.body);
  });
}

/** Whatever was sent: a JSON answer that blames the sender or thanks it, never a fault of ours. */
function expectSane({ status, body }: Answered): void {
  expect(status, body).toBeLessThan(500);
  const parsed = JSON.parse(body) as Record<string, unknown>;
  if (status >= 400) expect(parsed).toMatchObject({ statusCode: status, message: expect.anything(), error: expect.any(String) });
}

const named = (list: readonly Route[]) => list.map((route) => [`${route.method} ${route.path}`, route] as const);
const posts = routes.filter((route) => route.request.body !== undefined);
const withParameters = routes.filter((route) => route.method === "GET");

const words = [
  ..."general origin destination items filters customerIds postalCode countryCode quantity length weight __proto__ constructor".split(" "),
  ..."shipments activities sourceDetails shipmentId customFields itemQuantity activityTimestamp warehouseCode chargeCode".split(" "),
];
const json = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1e308, 0.1, "", "2000", "\u0000", "\ud800", "2026-01-01T00:00:00Z", "CUST-001"),
    fc.double({ noNaN: true }),
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 8 })), tie("any"), { maxKeys: 6 }),
  ),
})).any;

const parameters = { numRuns: 40 };

const item = { quantity: 1, length: 1, width: 1, height: 1, weight: 1, type: "Carton", itemValue: 1 };
const place = { postalCode: "2000", suburbName: "Sydney", countryCode: "AU" };
const valid: Record<string, unknown> = {
  generateQuotes: { general: { customerIds: ["CUST-001"] }, origin: place, destination: place, items: [item], filters: { carrierIds: [] } },
  pushShipments: {
    shipments: [
      { shipmentId: "S", quoteDate: "2026-01-01T00:00:00Z", customFields: { project: "x" }, items: [{ itemType: "Box", itemQuantity: 1 }] },
    ],
    sourceDetails: "fuzz",
  },
  pushActivities: {
    activities: [{ warehouseCode: "W", chargeCode: "C", quantity: 1, activityTimestamp: "2026-01-01T00:00:00Z", reference: "r" }],
    sourceDetails: "fuzz",
  },
};

/** Every place in a body, so that any one of them can be replaced. */
const placesIn = (value: unknown, path: string[] = []): string[][] =>
  typeof value !== "object" || value === null
    ? [path]
    : [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];

function replaced(body: unknown, [head, ...rest]: readonly string[], value: unknown): unknown {
  if (head === undefined) return value;
  const copy = (Array.isArray(body) ? [...body] : { ...(body as object) }) as Record<string, unknown>;
  copy[head] = replaced(copy[head], rest, value);
  return copy;
}

const jsonHeaders = { "content-type": "application/json" };

describe.each(named(posts))("%s", (_, route) => {
  test("answers any JSON without a fault of ours", async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) =>
        expectSane(await ask(route.method, route.path, { headers: jsonHeaders, body: JSON.stringify(value) })),
      ),
      parameters,
    );
  });

  test("answers a valid body with any one value replaced without a fault of ours", async () => {
    const body = valid[route.operationId];
    const answered = await ask(route.method, route.path, { headers: jsonHeaders, body: JSON.stringify(body) });
    expect(answered.status, answered.body).toBeLessThan(300);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...placesIn(body)), json, async (at, value) =>
        expectSane(await ask(route.method, route.path, { headers: jsonHeaders, body: JSON.stringify(replaced(body, at, value)) ?? "" })),
      ),
      { numRuns: 80 },
    );
  });

  test("answers any bytes without a fault of ours", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (body) =>
        expectSane(await ask(route.method, route.path, { headers: jsonHeaders, body })),
      ),
      parameters,
    );
  });
});

describe.each(named(withParameters))("%s", (_, route) => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.uuid(),
    fc.constantFrom("0", "501", "1e3", "%", "..", "null", "\u0000"),
  );

  test("answers any path and query without a fault of ours", async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.dictionary(fc.constantFrom("cursor", "limit", "importId", "x"), text, { maxKeys: 3 }),
        async (value, query) => {
          const path = route.path.replaceAll(/\{\w+\}/g, encodeURIComponent(value.toWellFormed()) || "x");
          const search = new URLSearchParams(query).toString();
          expectSane(await ask(route.method, `${path}?${search}`));
        },
      ),
      parameters,
    );
  });
});

test("any printable address and method gets a sane answer", async () => {
  const address = fc.stringMatching(/^[!-~]{0,60}$/).map((text) => `/${text}`);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"), address, async (method, path) => {
      expectSane(await ask(method, path));
    }),
    { numRuns: 200 },
  );
});
