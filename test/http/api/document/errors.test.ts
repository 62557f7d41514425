// Provokes the errors that the document shows for every operation, and compares the answers with the document's examples.
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { createKey } from "../../../../src/commands/organisations/keys.js";
import { describeApi } from "../../../../src/http/api/document/describeApi.js";
import { defineRoute } from "../../../../src/http/api/route.js";
import { routes } from "../../../../src/http/api/routes/list.js";
import { StoreUnavailable } from "../../../../src/portErrors.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";
import { startApi } from "../../../support/startApi.js";

type Json = Record<string, unknown>;
interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
}

const document = describeApi(routes, "https://waybill.example.net") as unknown as { paths: Record<string, Record<string, Operation>> };
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

const shown = (operationId: string, status: number): unknown =>
  operations.find((each) => each.operationId === operationId)?.responses[status]?.content?.["application/json"]?.example;

/** A route whose handler fails with this error. */
const failing = (error: () => Error, path: string) =>
  defineRoute({
    ...{ method: "GET", path, operationId: path.slice(1), summary: "x", tag: "x", scope: "read", request: {} },
    responses: { 200: { description: "x", schema: z.object({}) } },
    handler: () => Promise.reject(error()),
  });

let service: TestService;
let organisation: TestOrganisation;
let small: Awaited<ReturnType<typeof startApi>>;

beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  small = await startApi({
    ...{ deps: { ...service.deps, limits: { ...service.deps.limits, rateLimitPerMinute: 1 } }, logger: service.deps.logger },
    ...{ host: "127.0.0.1", port: 0, timeouts: { silenceMs: 200 } },
    routes: [
      ...routes.filter(({ operationId }) => operationId === "generateQuotes" || operationId === "listQuotes"),
      failing(() => new Error("a fault"), "/broken"),
      failing(() => new StoreUnavailable("event store", "away"), "/away"),
    ],
  });
});
afterAll(async () => {
  await small?.stop();
  await service?.close();
});

const bodyOf = async (response: Response) => [response.status, (await response.json()) as Json];
const ask = (path: string, init: RequestInit = {}, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${small.port}${path}`, { ...init, headers: { "x-api-key": organisation.key, ...headers } });

/** Writes the request to a socket as it is. Returns the status and the body of the answer. */
async function raw(request: string): Promise<[number, Json]> {
  const socket = connect(small.port, "127.0.0.1");
  socket.write(request);
  const answered = await text(socket);
  return [Number(answered.split(" ")[1]), JSON.parse(answered.slice(answered.indexOf("{"), answered.lastIndexOf("}") + 1)) as Json];
}

test("errors that a request causes are answered as the document shows them", async () => {
  const key = `x-api-key: ${organisation.key}\r\n`;
  expect(await bodyOf(await organisation.get("/v1/org/quotes?a=%00"))).toEqual([400, shown("fetchQuote", 400)]);
  expect(await bodyOf(await fetch(`${service.url}/v1/org/quotes`))).toEqual([401, shown("listQuotes", 401)]);
  const wanted = { organisationId: organisation.id, name: "no reading", scopes: ["quotes", "shipments", "activities"] };
  const { key: limited } = await createKey(service.portal.organisations, wanted, {
    by: { kind: "cli", id: "test" },
    correlationId: "test",
  });
  expect(await bodyOf(await fetch(`${service.url}/v1/org/quotes`, { headers: { "x-api-key": limited } }))).toEqual([
    ...[403, shown("listQuotes", 403)],
  ]);
  const put = await fetch(`${service.url}/v1/org/quotes`, { method: "PUT", headers: { "x-api-key": organisation.key } });
  expect(await bodyOf(put)).toEqual([405, shown("listQuotes", 405)]);
  expect(await bodyOf(await organisation.post("/v1/org/quote/getQuote", " ".repeat(2 * 1024 * 1024 + 1)))).toEqual([
    ...[413, shown("generateQuotes", 413)],
  ]);
  expect(await bodyOf(await organisation.post("/v1/org/quote/getQuote", "x", { "content-type": "text/plain" }))).toEqual([
    ...[415, shown("generateQuotes", 415)],
  ]);
  const file = new File([new Uint8Array(52_428_801)], "large.csv");
  expect(await bodyOf(await organisation.upload("/v1/org/shipments/imports/file", file))).toEqual([413, shown("uploadShipments", 413)]);
  expect(await raw(`GET /v1/org/quotes HTTP/1.1\r\nhost: x\r\n${key}expect: much\r\n\r\n`)).toEqual([417, shown("listQuotes", 417)]);
  expect(await raw(`GET /v1/org/quotes HTTP/1.1\r\nhost: x\r\nx-long: ${"x".repeat(17_000)}\r\n\r\n`)).toEqual([
    431,
    shown("listQuotes", 431),
  ]);
});

test("faults of the service, a body that stops arriving and a used-up rate limit are answered as the document shows them", async () => {
  const other = async () => ({ "x-api-key": (await service.organisation()).key });
  expect(await bodyOf(await ask("/broken", {}, await other()))).toEqual([500, shown("listQuotes", 500)]);
  expect(await bodyOf(await ask("/away", {}, await other()))).toEqual([503, shown("listQuotes", 503)]);
  const { "x-api-key": key } = await other();
  const head = `POST /v1/org/quote/getQuote HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n`;
  expect(await raw(`${head}{`)).toEqual([408, shown("generateQuotes", 408)]);
  await ask("/v1/org/quotes");
  const [status, body] = (await bodyOf(await ask("/v1/org/quotes"))) as [number, { message: string }];
  const withoutNumbers = (value: unknown) => JSON.stringify(value).replaceAll(/\d+/g, "n");
  expect([status, withoutNumbers(body)]).toEqual([429, withoutNumbers(shown("listQuotes", 429))]);
});
