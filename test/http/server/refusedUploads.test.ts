// Senders that are refused before they have sent everything get the answer, whatever their connection header says.

import { once } from "node:events";
import { connect } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineRoute } from "../../../src/http/api/route.js";
import { Problem } from "../../../src/http/server/problem.js";
import type { RunningServer } from "../../../src/http/server/startServer.js";
import { insertOrganisation, shellDeps } from "../../support/shell.js";
import { startApi } from "../../support/startApi.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

const multipart = z.object({ file: z.string() });
const post = { method: "POST", summary: "for a test", tag: "test", scope: "activities", responses: {} } as const;
const routes = [
  defineRoute({
    ...post,
    path: "/v1/busy",
    operationId: "busy",
    request: { multipart },
    handler: async () => Promise.reject(new Problem("unavailable", "Too many uploads at the moment, try again shortly")),
  }),
  defineRoute({
    ...post,
    path: "/v1/slow",
    operationId: "slow",
    request: { multipart },
    handler: async ({ incoming }) => {
      for await (const _ of incoming ?? []);
      return { status: 200, body: {} };
    },
  }),
  defineRoute({
    ...post,
    path: "/v1/json",
    operationId: "json",
    maxBodyBytes: 100_000,
    request: { body: z.strictObject({}) },
    handler: async () => ({ status: 200, body: {} }),
  }),
];

let database: TestDatabase;
let api: RunningServer;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  ({ key } = await insertOrganisation(database.pool));
  api = await startApi({ deps: shellDeps(database.pool), host: "127.0.0.1", port: 0, logger: pino({ level: "silent" }), routes });
});
afterAll(async () => {
  await api?.stop();
  await database?.close();
});

const megabyte = Buffer.alloc(1_000_000, "x");

/** Sends everything before it reads the answer, as a proxy does, and stops at the first error. */
async function send(head: string, megabytes: number, after = ""): Promise<{ text: string; failure: string | undefined }> {
  const socket = connect(api.port, "127.0.0.1");
  let failure: string | undefined;
  socket.on("error", (error: NodeJS.ErrnoException) => {
    failure = error.code;
  });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(head);
  for (let sent = 0; sent < megabytes && failure === undefined; sent += 1) {
    if (!socket.write(megabyte)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
  }
  socket.write(after);
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  await closed;
  return { text, failure };
}

const megabytes = 20;
const headers = (fields: Record<string, string>) =>
  Object.entries({ host: "x", "content-length": String(megabytes * megabyte.length), ...fields })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
const form = { "content-type": "multipart/form-data; boundary=b" };
const refusals = () =>
  [
    ["/v1/busy", { ...form, "x-api-key": "wrong" }, 401],
    ["/v1/busy", { ...form, "x-api-key": key }, 503],
    ["/v1/json", { "content-type": "application/json", "x-api-key": key }, 413],
    ["/v1/json", { "content-type": "text/plain", "x-api-key": key }, 415],
    ["/v1/none", { "x-api-key": key }, 404],
  ] as const;

describe.each([
  ["HTTP/1.1", { connection: "close" }],
  ["HTTP/1.0", {}],
  ["HTTP/1.0", { connection: "close" }],
])("a refused upload of 20 MB by %s with %j", (version, connection) => {
  test("is answered, and the connection is closed after the answer", async () => {
    for (const [path, own, status] of refusals()) {
      const { text, failure } = await send(`POST ${path} ${version}\r\n${headers({ ...own, ...connection })}\r\n`, megabytes);
      expect([path, failure, text.slice(0, 12)]).toEqual([path, undefined, `HTTP/1.1 ${status}`]);
      expect(text.toLowerCase()).toContain("\r\nconnection: close\r\n");
      expect(text).toMatch(/\r\n\r\n\{.*\}$/s);
    }
  });
});

test("a refused sender that keeps its connection can send another request on it", async () => {
  const later = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
  const { text, failure } = await send(`POST /v1/busy HTTP/1.1\r\n${headers({ ...form, "x-api-key": key })}\r\n`, megabytes, later);
  expect(failure).toBeUndefined();
  expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 503", "HTTP/1.1 200"]);
});

test("a sender that takes too long is answered 408, and can go on sending without an error", async () => {
  const deps = shellDeps(database.pool);
  const timeouts = { headersMs: 200, requestMs: 400 };
  const strict = await startApi({ deps, host: "127.0.0.1", port: 0, logger: pino({ level: "silent" }), routes, timeouts });
  onTestFinished(strict.stop);
  const socket = connect({ port: strict.port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let failure: Error | undefined;
  let text = "";
  socket
    .on("data", (chunk) => (text += chunk.toString()))
    .on("error", (error) => {
      failure = error;
    });
  const head = { ...form, "x-api-key": key, "content-length": String(500 * megabyte.length) };
  socket.write(`POST /v1/slow HTTP/1.1\r\n${headers(head)}\r\n`);
  await expect.poll(() => text).toContain("HTTP/1.1 408 ");
  for (let sent = 0; sent < 20; sent += 1) {
    if (!socket.write(megabyte)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
  }
  await new Promise<void>((resolve) => socket.end(() => resolve()));
  expect(failure).toBeUndefined();
});

test("a sender that sends far more than any upload may have is cut off", async () => {
  const endless = `POST /v1/busy HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n40000000\r\n`;
  const { failure } = await send(endless, 1000);
  expect(failure).toMatch(/ECONNRESET|EPIPE/);
});
