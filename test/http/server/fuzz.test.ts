import { request as httpRequest } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Route } from "../../../src/http/api/route.js";
import { routes } from "../../../src/http/api/routes/list.js";
import { paceOf } from "../../faults/pace.js";
import { firstSeed, runs } from "../../faults/scale.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

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

/** Sends by Node's http client, since fetch would normalise malformed requests. */
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

/** The answer is JSON with a status below 500, whatever was sent. */
function expectSane({ status, body }: Answered): void {
  expect(status, body).toBeLessThan(500);
  const parsed = JSON.parse(body) as Record<string, unknown>;
  if (status >= 400) expect(parsed).toMatchObject({ statusCode: status, message: expect.anything(), error: expect.any(String) });
}

const named = (list: readonly Route[]) => list.map((route) => [`${route.method} ${route.path}`, route] as const);
const posts = routes.filter((route) => route.request.body !== undefined);
const uploads = routes.filter((route) => route.request.multipart);
const withAddresses = routes.filter((route) => route.method === "GET" || route.path.includes("{"));

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

/** The number of properties below. In the long form they share 200 requests for each run. */
const properties = 3 * posts.length + uploads.length + withAddresses.length + 2;
const requestsEach = runs === undefined ? 40 : Math.ceil((200 * runs) / properties);
const told = paceOf("requests by fast-check", properties * requestsEach);
let asked = 0;
const atOnce = 8;

/** Checks the answers to `count` generated requests, eight of which are sent at once to save time. */
async function holds<Value>(arbitrary: fc.Arbitrary<Value>, request: (value: Value) => Promise<Answered>, count = requestsEach) {
  const some = fc.array(arbitrary, { minLength: atOnce, maxLength: atOnce });
  await fc.assert(
    fc.asyncProperty(some, async (values) => {
      for (const answered of await Promise.all(values.map(request))) expectSane(answered);
      asked += values.length;
      told(asked);
    }),
    // To shrink a failing request takes minutes: only the long form does.
    { numRuns: Math.ceil(count / atOnce), ...(runs === undefined ? { endOnFailure: true } : { seed: firstSeed }) },
  );
}

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
  correctShipmentRows: { rows: [{ row: 2, values: { originPostCode: "2000", "customFields.project": "x" } }] },
  correctFulfilmentRows: { rows: [{ row: 1, values: { quantity: "1" } }] },
  reverseShipmentRows: { shipmentIds: ["S"], reason: "r", includeCorrections: true, preview: true },
  reverseFulfilmentRows: { rows: [1], reason: "r", includeCorrections: true, preview: true },
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

const patience = { timeout: 24 * 3_600_000 };

describe.each(named(posts))("%s", (_, route) => {
  const post = (body: string | Uint8Array) => ask(route.method, route.path, { headers: jsonHeaders, body });

  test("answers any JSON without a 5xx", patience, () => holds(json, (value) => post(JSON.stringify(value))));

  test("answers a valid body with any one value replaced without a 5xx", patience, async () => {
    const body = valid[route.operationId];
    const answered = await post(JSON.stringify(body));
    // A path with a parameter names an import that does not exist: the valid body is read, then the import is not found.
    if (route.path.includes("{")) expect(answered.status, answered.body).toBe(404);
    else expect(answered.status, answered.body).toBeLessThan(300);
    await holds(fc.tuple(fc.constantFrom(...placesIn(body)), json), ([at, value]) => post(JSON.stringify(replaced(body, at, value)) ?? ""));
  });

  test("answers any bytes without a 5xx", patience, () => holds(fc.uint8Array({ maxLength: 200 }), post));
});

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.uuid(),
  fc.constantFrom("0", "501", "1e3", "%", "..", "null", "\u0000"),
);

const goodFile = {
  shipments: "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType\nS,2000,Sydney,3000,Melbourne,Box\n",
  activities: "warehouseCode,chargeCode,quantity,activityTimestamp\nW,C,1,2026-01-01\n",
};

/** A part of a form, whose headers and content may be missing, repeated or nonsense. */
const formPart = (file: string) =>
  fc.record({
    headers: fc.array(
      fc.oneof(
        fc.constantFrom(
          ...['form-data; name="file"; filename="a.csv"', 'form-data; name="file"', 'form-data; name="sourceDetails"', "form-data"],
          ...["attachment", "form-data; name=\"file\"; filename*=utf-8''%ff.csv", 'form-data; name="file"; filename="../a\\".xlsx"'],
        ),
        fc.stringMatching(/^[ -~]{0,40}$/),
      ),
      { minLength: 0, maxLength: 2 },
    ),
    more: fc.constantFrom("", "content-type: text/csv\r\n", "content-transfer-encoding: base64\r\n", "content-type: ;;=\r\n", ":\r\n"),
    content: fc.oneof(fc.constant(Buffer.from(file)), fc.uint8Array({ maxLength: 100 }).map(Buffer.from), text.map(Buffer.from)),
  });

describe.each(named(uploads))("%s", (_, route) => {
  test("answers any form without a 5xx", patience, async () => {
    const file = route.path.includes("shipments") ? goodFile.shipments : goodFile.activities;
    const form = fc.record({
      parts: fc.array(formPart(file), { maxLength: 4 }),
      type: fc.constantFrom(...["boundary=b", "boundary=b", "boundary=b", 'boundary="b"', "boundary=", "boundary=c; charset=x", ""]),
      end: fc.constantFrom("--b--\r\n", "--b--\r\n", "--b\r\n", ""),
    });
    await holds(form, ({ parts, type, end }) => {
      const pieces = parts.flatMap(({ headers, more, content }) => [
        Buffer.from(`--b\r\n${headers.map((value) => `content-disposition: ${value}\r\n`).join("")}${more}\r\n`),
        content,
        Buffer.from("\r\n"),
      ]);
      const body = Buffer.concat([...pieces, Buffer.from(end)]);
      return ask(route.method, route.path, { headers: { "content-type": `multipart/form-data; ${type}` }, body });
    });
  });
});

describe.each(named(withAddresses))("%s", (_, route) => {
  test("answers any path and query without a 5xx", patience, async () => {
    const query = fc.dictionary(fc.constantFrom("cursor", "limit", "importId", "x"), text, { maxKeys: 3 });
    await holds(fc.tuple(text, query), ([value, search]) => {
      const path = route.path.replaceAll(/\{\w+\}/g, encodeURIComponent(value.toWellFormed()) || "x");
      return ask(route.method, `${path}?${new URLSearchParams(search)}`);
    });
  });
});

test("any printable address and method gets a JSON answer below 500", patience, async () => {
  const address = fc.stringMatching(/^[!-~]{0,60}$/).map((path) => `/${path}`);
  const method = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND");
  await holds(fc.tuple(method, address), ([verb, path]) => ask(verb, path), runs === undefined ? 200 : requestsEach);
});

test("any link to a file gets a JSON answer below 500", patience, async () => {
  const query = fc.dictionary(fc.constantFrom("expires", "name", "signature"), text, { maxKeys: 3 });
  await holds(fc.tuple(fc.array(text, { maxLength: 3 }), query), ([parts, search]) =>
    ask("GET", `/files/${parts.map((part) => encodeURIComponent(part.toWellFormed())).join("/")}?${new URLSearchParams(search)}`),
  );
});
