// When the client sends a request again, and when it does not. The tests make the answers, since a healthy service does not give them.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { ConnectionError, RateLimitedError, ServerError, UnavailableError, Waybill } from "../../packages/client/src/index.js";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const accepted = { importId: "1", status: "queued", statusUrl: "/1", source: "data", activitiesReceived: 1 };
const activities = [{ warehouseCode: "SYD1", chargeCode: "PICK", quantity: 3, activityTimestamp: "2026-07-01T09:30:00Z" }];

/** Gives the answers one after the other, and then the last one again and again. */
function answering(...answers: [status: number, headers?: Record<string, string>][]) {
  const keys: (string | null)[] = [];
  const times: number[] = [];
  const send: typeof fetch = async (_, init) => {
    keys.push(new Headers(init?.headers).get("idempotency-key"));
    times.push(performance.now());
    const [status, headers = {}] = answers[Math.min(keys.length, answers.length) - 1] ?? [200];
    return Response.json(status < 300 ? accepted : { message: "no" }, { status, headers });
  };
  return { keys, times, client: new Waybill({ baseUrl: "http://localhost", apiKey: "key", fetch: send, firstDelay: 1 }) };
}

test.each([408, 429, 502, 503, 504])("a push answered %i is sent again with the same Idempotency-Key", async (status) => {
  const { client, keys } = answering([status], [status], [202]);
  expect(await client.activities.push({ activities })).toEqual(accepted);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});

test("two pushes have two Idempotency-Keys", async () => {
  const { client, keys } = answering([202]);
  await client.activities.push({ activities });
  await client.activities.push({ activities });
  expect(new Set(keys).size).toBe(2);
});

test.each([400, 401, 403, 404, 409, 413, 422, 500])("a push answered %i is not sent again", async (status) => {
  const { client, keys } = answering([status], [202]);
  await expect(client.activities.push({ activities })).rejects.toMatchObject({ status });
  expect(keys).toHaveLength(1);
});

test("attempts are bounded, and the last error is thrown with the key of the push", async () => {
  const { client, keys } = answering([503]);
  const error = await client.activities.push({ activities }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnavailableError);
  expect(error).not.toBeInstanceOf(ServerError);
  expect((error as UnavailableError).idempotencyKey).toBe(keys[0]);
  expect(keys).toHaveLength(5);
});

test("the client waits as long as Retry-After says, and throws when that is longer than its longest delay", async () => {
  const { client, times } = answering([429, { "retry-after": "1" }], [202]);
  await client.activities.push({ activities });
  expect(Number(times[1]) - Number(times[0])).toBeGreaterThan(990);
  const long = answering([429, { "retry-after": "61" }]);
  const error = await long.client.activities.push({ activities }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RateLimitedError);
  expect(error).toMatchObject({ retryAfter: 61 });
  expect(long.keys).toHaveLength(1);
});

test("an aborted call ends while it waits for its next attempt", async () => {
  const { client, keys } = answering([503, { "retry-after": "30" }]);
  const control = new AbortController();
  const pushed = client.activities.push({ activities }, { signal: control.signal });
  await expect.poll(() => keys.length).toBe(1);
  control.abort(new Error("enough"));
  await expect(pushed).rejects.toThrow("enough");
  expect(keys).toHaveLength(1);
});

async function listen(handle: Parameters<typeof createServer>[1]): Promise<string> {
  server = createServer({}, handle);
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a request without an answer fails at its timeout, and a redirect is an error", async () => {
  const baseUrl = await listen((request, response) => {
    if (request.url?.includes("totals")) response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const client = new Waybill({ baseUrl, apiKey: "key", attempts: 1, timeout: 100 });
  await expect(client.quotes.get("1")).rejects.toThrow("no answer within 100 ms");
  await expect(client.activities.ledger.totals()).rejects.toThrow(ConnectionError);
});

test("a stream is read no faster than it is sent", async () => {
  let waiting = false;
  const baseUrl = await listen((request) => {
    request.pause();
    waiting = true;
  });
  const chunk = new Uint8Array(1024 * 1024);
  let read = 0;
  async function* endless() {
    for (; read < 1000; read++) yield chunk;
  }
  const control = new AbortController();
  onTestFinished(() => control.abort(new Error("enough")));
  const client = new Waybill({ baseUrl, apiKey: "key" });
  const sent = client.activities.upload(endless(), { name: "large.csv", signal: control.signal });
  const failed = expect(sent).rejects.toThrow("enough");
  await expect.poll(() => waiting && read > 0).toBe(true);
  const seen: number[] = [];
  await expect.poll(() => seen.push(read) > 1 && seen.at(-1) === seen.at(-2), { interval: 100 }).toBe(true);
  expect(read).toBeLessThan(50);
  control.abort(new Error("enough"));
  await failed;
});

test.each([
  ["shipments", ["/v1/org/shipments/imports/1", "/v1/org/shipments/imports/1"]],
  ["fulfilment", ["/v1/org/shipments/imports/1", "/v1/org/fulfilment/imports/1", "/v1/org/fulfilment/imports/1"]],
])("an import of %s whose kind is not known is asked for once per look", async (kind, asked) => {
  const paths: string[] = [];
  const send: typeof fetch = async (url) => {
    const { pathname } = new URL(String(url));
    paths.push(pathname);
    if (!pathname.includes(kind)) return Response.json({ message: "no" }, { status: 404 });
    return Response.json({ importId: "1", status: paths.length < asked.length ? "processing" : "completed" });
  };
  const client = new Waybill({ baseUrl: "http://localhost", apiKey: "key", fetch: send });
  expect(await client.imports.wait("1", { firstInterval: 1 })).toMatchObject({ status: "completed" });
  expect(paths).toEqual(asked);
});
