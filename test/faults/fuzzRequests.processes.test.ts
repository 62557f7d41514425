// Sends good requests with a few bytes changed to every route, and requests that fast-check generates.
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Route } from "../../src/http/api/route.js";
import { routes } from "../../src/http/api/routes/list.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { formOf, goodFile, json, placesIn, replaced, text, validBodies } from "./callers/generatedRequests.js";
import { mutated } from "./mutation.js";
import { manyAtOnce, paceOf, withoutGrowth } from "./pace.js";
import { seeded } from "./randomness.js";
import { firstSeed, runs } from "./scale.js";

let service: TestService;
let organisation: TestOrganisation;
beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 10_000_000 });
  organisation = await service.organisation();
});
afterAll(() => service?.close());

const fileFor = (path: string) => (path.includes("shipments") ? goodFile.shipments : goodFile.activities);

/** The bytes of a good request to every route. */
function wireRequests(): Buffer[] {
  return routes.map(({ method, path, operationId, request }) => {
    const address =
      path.replaceAll(/\{\w+\}/g, "0190a000-0000-7000-8000-000000000000") +
      (request.query && "limit" in request.query.shape ? "?limit=5" : "") +
      (request.query && "since" in request.query.shape ? "?since=2026-01-01" : "");
    const csvFile = fileFor(path);
    const form = `--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${csvFile}\r\n--b--\r\n`;
    const body = request.multipart ? form : method === "POST" ? JSON.stringify(validBodies[operationId] ?? {}) : "";
    const type = request.multipart ? "multipart/form-data; boundary=b" : "application/json";
    const head = [
      `${method} ${address} HTTP/1.1`,
      "host: localhost",
      `x-api-key: ${organisation.key}`,
      ...(method === "POST" ? [`content-type: ${type}`, `content-length: ${Buffer.byteLength(body)}`] : []),
      "connection: close",
    ];
    return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}

const patienceMs = 300;

/**
 * Sends the bytes and returns the answer up to the server's close. If the server sends nothing for a while, though it answers a later
 * request, it waits for bytes that were cut off: then the socket is ended.
 */
function exchange(bytes: Uint8Array, later?: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    const giveUp = async (question: Uint8Array) => {
      await exchange(question);
      socket.end();
    };
    const enough = later && setTimeout(() => void giveUp(later), patienceMs);
    const done = () => {
      clearTimeout(enough);
      socket.destroy();
      resolve(answer);
    };
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      answer += chunk;
    });
    socket.setTimeout(60_000, done).on("error", done).on("close", done);
    socket.write(bytes);
  });
}

/** On a busy machine a store may be late, and the answer is 503 with Retry-After: then the request is sent again. */
async function answerTo(sent: Uint8Array, later?: Uint8Array): Promise<string> {
  let answer = await exchange(sent, later);
  for (let again = 0; again < 20 && /^HTTP\/1\.1 503 .*\r\nretry-after: /is.test(answer); again += 1) {
    await pause(500);
    answer = await exchange(sent, later);
  }
  return answer;
}

const patience = { timeout: 24 * 3_600_000 };

test("requests with some bytes changed are never answered 5xx, on any route", patience, async () => {
  const good = wireRequests();
  for (const bytes of good) expect(await answerTo(bytes)).toMatch(/^HTTP\/1\.1 (200|202|404) /);
  expect(good).toHaveLength(routes.length);
  const unfinished = good.map((bytes) => bytes.subarray(0, -1)).filter((bytes) => bytes.toString().startsWith("POST"));
  const question = good.find((bytes) => bytes.subarray(0, 4).toString() === "GET ");
  for (const bytes of unfinished) await exchange(bytes, question); // a client that ends the connection early causes no error
  const random = seeded(firstSeed);
  const count = runs === undefined ? 200 : runs * 300;
  const told = paceOf("requests with bytes changed", count);
  let answered = 0;
  let done = 0;
  await withoutGrowth(count, (some) =>
    manyAtOnce(some, runs === undefined ? 40 : 100, async () => {
      const sent = mutated(random.pick(good), random);
      const answer = await answerTo(sent, question);
      if (answer !== "") answered += 1;
      done += 1;
      told(done);
      if (/^HTTP\/1\.1 5/.test(answer)) throw new Error(`${answer}\nto ${JSON.stringify(sent.toString("latin1"))}`);
    }),
  );
  expect(answered).toBeGreaterThan(count / 2);
  const { text } = await service.deps.metrics.render();
  expect(text.split("\n").filter((line) => /_count\{.*status="50[0-2]/.test(line))).toEqual([]); // no 5xx either for requests whose client had left
  expect(await answerTo(good[0] ?? Buffer.alloc(0))).toMatch(/^HTTP\/1\.1 200 /);
});

interface Answered {
  readonly status: number;
  readonly body: string;
}

/** On a busy machine a store may be late, and the answer is 503: then the request is sent again. */
async function ask(...request: Parameters<typeof askOnce>): Promise<Answered> {
  let answered = await askOnce(...request);
  for (let again = 0; again < 20 && answered.status === 503; again += 1) {
    await pause(500);
    answered = await askOnce(...request);
  }
  return answered;
}

/** Sends by Node's http client, since fetch would normalise malformed requests. */
function askOnce(
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

/** The number of properties below. In the long form they share 200 requests for each run. */
const properties = posts.length + uploads.length + withAddresses.length + 2;
const requestsEach = runs === undefined ? 40 : Math.ceil((200 * runs) / properties);
const toldGenerated = paceOf("requests by fast-check", properties * requestsEach);
let asked = 0;
const atOnce = 8;

/** Checks the answers to generated requests, eight of which are sent at once to save time. */
async function holds<Value>(arbitrary: fc.Arbitrary<Value>, request: (value: Value) => Promise<Answered>, count = requestsEach) {
  const some = fc.array(arbitrary, { minLength: atOnce, maxLength: atOnce });
  await fc.assert(
    fc.asyncProperty(some, async (values) => {
      for (const answered of await Promise.all(values.map(request))) expectSane(answered);
      asked += values.length;
      toldGenerated(asked);
    }),
    // To shrink a failing request takes minutes: only the long form does.
    { numRuns: Math.ceil(count / atOnce), ...(runs === undefined ? { endOnFailure: true } : { seed: firstSeed }) },
  );
}

describe.each(named(posts))("%s", (_, route) => {
  const post = (body: string) => ask(route.method, route.path, { headers: { "content-type": "application/json" }, body });

  test("answers a valid body with any one value replaced, or the whole body, without a 5xx", patience, async () => {
    const body = validBodies[route.operationId];
    const answered = await post(JSON.stringify(body));
    // A path with a parameter names an import that does not exist: the valid body is read, then the import is not found.
    if (route.path.includes("{")) expect(answered.status, answered.body).toBe(404);
    else expect(answered.status, answered.body).toBeLessThan(300);
    await holds(fc.tuple(fc.constantFrom(...placesIn(body)), json), ([at, value]) => post(JSON.stringify(replaced(body, at, value)) ?? ""));
  });
});

describe.each(named(uploads))("%s", (_, route) => {
  test("answers any form without a 5xx", patience, () =>
    holds(formOf(fileFor(route.path)), ({ type, body }) => ask(route.method, route.path, { headers: { "content-type": type }, body })),
  );
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
