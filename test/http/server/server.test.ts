import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineRoute } from "../../../src/http/api/route.js";
import { boundUploads } from "../../../src/http/server/boundUploads.js";
import type { RunningServer } from "../../../src/http/server/startServer.js";
import { startApi } from "../../../src/http/startApi.js";
import { insertOrganisation, shellDeps } from "../../support/shell.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

const logger = pino({ level: "silent" });
const signals = new EventEmitter();
const arrived = once(signals, "arrived");
const released = once(signals, "release");

const describeOnly = { summary: "for a test", tag: "test", responses: {} };
const routes = [
  defineRoute({
    ...describeOnly,
    method: "GET",
    path: "/v1/slow",
    operationId: "slow",
    request: {},
    handler: async () => {
      signals.emit("arrived");
      await released;
      return { status: 200, body: { done: true } };
    },
  }),
  defineRoute({
    ...describeOnly,
    method: "GET",
    path: "/v1/never",
    operationId: "never",
    request: {},
    handler: () => new Promise(() => undefined), // a store that trickles
  }),
  defineRoute({
    ...describeOnly,
    method: "POST",
    path: "/v1/size",
    operationId: "size",
    maxBodyBytes: 100_000,
    request: { body: z.strictObject({ text: z.string() }) },
    handler: async ({ body }) => ({ status: 200, body: { length: body.text.length } }),
  }),
  defineRoute({
    ...describeOnly,
    method: "POST",
    path: "/v1/stream",
    operationId: "stream",
    request: { multipart: z.object({ file: z.string() }) },
    handler: async ({ incoming }) => {
      let bytes = 0;
      for await (const chunk of incoming ?? []) bytes += (chunk as Buffer).length;
      return { status: 200, body: { bytes } };
    },
  }),
];

let database: TestDatabase;
let api: RunningServer;
let key: string;
const start = () => startApi({ deps: shellDeps(database.pool), host: "127.0.0.1", port: 0, logger, routes });

beforeAll(async () => {
  database = await createTestDatabase();
  ({ key } = await insertOrganisation(database.pool));
  api = await start();
});
afterAll(async () => {
  await api?.stop();
  await database?.close();
});

const url = (path: string) => `http://127.0.0.1:${api.port}${path}`;

async function raw(bytes: string): Promise<string> {
  const socket = connect(api.port, "127.0.0.1");
  socket.write(bytes);
  return received(socket);
}

async function received(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  socket.on("error", () => undefined);
  await once(socket, "close");
  return text;
}

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) as unknown;

test.each([
  ["nonsense", "NONSENSE\r\n\r\n", 400, "Bad Request"],
  ["headers without end", `GET / HTTP/1.1\r\nhost: x\r\na: ${"b".repeat(20_000)}\r\n\r\n`, 431, "Request Header Fields Too Large"],
  ["a host that is none", "GET /healthz HTTP/1.1\r\nhost: a/b\r\nconnection: close\r\n\r\n", 400, "Bad Request"],
  ["a host that looks like an address", "GET /healthz HTTP/1.1\r\nhost: lo.1\r\nconnection: close\r\n\r\n", 400, "Bad Request"],
  ["no host at all", "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n", 400, "Bad Request"],
  ["an unknown expectation", "GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: foo\r\nconnection: close\r\n\r\n", 417, "Expectation Failed"],
  ["a backslash", "GET /a\\b HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", 400, "Bad Request"],
])("%s on the wire is answered in JSON", async (_, bytes, statusCode, error) => {
  const answer = await raw(bytes);
  expect(answer).toContain(`HTTP/1.1 ${statusCode} `);
  expect(answer).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/m);
  expect(bodyOf(answer)).toEqual({ statusCode, message: expect.any(String), error });
});

test.each(["", "host:\r\n", "host: x\r\n"])("HTTP/1.0 is answered with or without a host: %j", async (host) => {
  expect(await raw(`GET /healthz HTTP/1.0\r\n${host}\r\n`)).toContain("HTTP/1.1 200 ");
  const answer = await raw(`GET /v1/none HTTP/1.0\r\n${host}x-api-key: ${key}\r\n\r\n`);
  expect(bodyOf(answer)).toMatchObject({ statusCode: 404 });
});

test("a body that declares too much is refused before it is sent", async () => {
  const answer = await raw(
    `POST /v1/size HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 100001\r\nconnection: close\r\n\r\n`,
  );
  expect(answer).toContain("HTTP/1.1 413 ");
  expect(bodyOf(answer)).toMatchObject({ statusCode: 413, error: "Payload Too Large" });
});

test("a refused sender that goes on sending for a while sees why, and may use the connection again", async () => {
  const socket = connect(api.port, "127.0.0.1");
  let text = "";
  let failure: Error | undefined;
  socket
    .on("data", (chunk) => (text += chunk.toString()))
    .on("error", (error) => {
      failure = error;
    });
  const [pieces, size] = [12, 100_000];
  socket.write(`POST /v1/stream HTTP/1.1\r\nhost: x\r\nx-api-key: wrong\r\ncontent-length: ${pieces * size}\r\n\r\n`);
  for (let piece = 0; piece < pieces; piece += 1) {
    await pause(100);
    socket.write("x".repeat(size));
  }
  socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  await once(socket, "close");
  expect(failure).toBeUndefined();
  expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 200"]);
});

test("a body without a declared length is cut off at the bound", async () => {
  const post = (size: number) => {
    const stream = new Blob([JSON.stringify({ text: "a".repeat(size - 11) })]).stream();
    return fetch(url("/v1/size"), {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: stream,
      duplex: "half",
    } as RequestInit);
  };
  expect((await post(100_000)).status).toBe(200);
  expect((await post(100_001)).status).toBe(413);
});

test("a route that opts out of body parsing reads the raw request", async () => {
  const form = new FormData();
  form.append("file", new Blob(["x".repeat(300_000)]), "a.csv");
  const response = await fetch(url("/v1/stream"), { method: "POST", headers: { "x-api-key": key }, body: form });
  expect(response.status).toBe(200);
  expect(((await response.json()) as { bytes: number }).bytes).toBeGreaterThan(300_000);
});

test("an organisation has at most 60 uploads under way, and others are not held up by them", async () => {
  const other = await insertOrganisation(database.pool);
  const head = `POST /v1/stream HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-length: 9\r\n\r\n`;
  const slow = new Set<Socket>();
  const hold = () => {
    const socket = connect(api.port, "127.0.0.1").on("error", () => undefined);
    slow.add(socket);
    socket.write(head);
    socket.once("data", () => {
      // refused, since one of the uploads below had its place at that moment
      slow.delete(socket.destroy());
      hold();
    });
  };
  for (let each = 0; each < 60; each += 1) hold();
  const upload = (as: string) => fetch(url("/v1/stream"), { method: "POST", headers: { "x-api-key": as }, body: "x" });
  await expect.poll(async () => (await upload(key)).status).toBe(503);
  const refused = await upload(key);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ statusCode: 503, error: "Service Unavailable" });
  expect((await upload(other.key)).status).toBe(200);
  for (const socket of slow) socket.resetAndDestroy();
  await expect.poll(async () => (await upload(key)).status).toBe(200);
});

test("a process takes only so many uploads at once, of all organisations together", async () => {
  const withinUploads = boundUploads({ inAll: 2, perOrganisation: 2 });
  for (const organisationId of ["a", "b"]) void withinUploads(organisationId, () => released);
  await expect(withinUploads("c", async () => 1)).rejects.toMatchObject({ code: "unavailable" });
});

describe("a sender that takes its time is cut off", () => {
  const timeouts = { headersMs: 200, requestMs: 400, idleMs: 300, silenceMs: 100 };
  const partial = (head: string) => `${head}host: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 50\r\n`;
  const dribble = (socket: Socket) => {
    const timer = setInterval(() => socket.writable && socket.write("a"), 50);
    socket.on("close", () => clearInterval(timer));
  };
  let strict: RunningServer;
  beforeAll(async () => {
    strict = await startApi({ deps: shellDeps(database.pool), host: "127.0.0.1", port: 0, logger, routes, timeouts });
  });
  afterAll(() => strict?.stop());

  test("while it dribbles headers", async () => {
    const socket = connect(strict.port, "127.0.0.1");
    socket.write(`${partial("POST /v1/size HTTP/1.1\r\n")}x-a: `);
    dribble(socket);
    expect(bodyOf(await received(socket))).toMatchObject({ statusCode: 408, error: "Request Timeout" });
  });

  test("while it dribbles a body", async () => {
    const socket = connect(strict.port, "127.0.0.1");
    socket.write(`${partial("POST /v1/size HTTP/1.1\r\n")}\r\n{`);
    dribble(socket);
    expect(await received(socket)).toContain("HTTP/1.1 408 ");
  });

  test("when it falls silent in the middle of a body", async () => {
    const silence = { silenceMs: 100 }; // the only one that can run out
    const own = await startApi({ deps: shellDeps(database.pool), host: "127.0.0.1", port: 0, logger, routes, timeouts: silence });
    const socket = connect(own.port, "127.0.0.1");
    socket.write(`${partial("POST /v1/size HTTP/1.1\r\n")}\r\n{`);
    const answer = await received(socket);
    expect(answer).toMatch(/^HTTP\/1.1 408 .*^x-request-id: /ms);
    expect(bodyOf(answer)).toMatchObject({
      statusCode: 408,
      error: "Request Timeout",
      message: expect.stringContaining("stopped arriving"),
    });
    await own.stop();
  });
});

test("a read that a store does not answer in time is answered all the same", async () => {
  const response = await fetch(url("/v1/never"), { headers: { "x-api-key": key } });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ statusCode: 503, error: "Service Unavailable" });
});

test("pipelined requests whose connection is reset are forgotten, also those whose turn never came", async () => {
  const own = await start();
  const socket = connect(own.port, "127.0.0.1").on("error", () => undefined);
  socket.write(`GET /v1/never HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`);
  socket.write("GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(50));
  await expect.poll(() => own.running()).toBe(51);
  socket.resetAndDestroy();
  await expect.poll(() => own.running()).toBe(0);
  await own.stop();
});

test("HEAD is answered like GET without the body", async () => {
  const response = await fetch(url("/healthz"), { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("");
});

test("stopping lets a running request finish and takes no new one", async () => {
  const stopping = await start();
  const address = `http://127.0.0.1:${stopping.port}`;
  const slow = fetch(`${address}/v1/slow`, { headers: { "x-api-key": key } });
  await arrived;
  const stopped = stopping.stop();
  await expect(fetch(`${address}/healthz`)).rejects.toThrow();
  signals.emit("release");
  const answer = await slow;
  expect(answer.status).toBe(200);
  expect(answer.headers.get("connection")).toBe("close");
  expect(await answer.json()).toEqual({ done: true });
  await stopped;
});
