// The server on a socket: malformed requests, requests without an answer, and how it stops.
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { bodyOf, useServer } from "./socketStage.js";

const stage = useServer();
const { start, url, raw } = stage;

test.each([
  ["nonsense", "NONSENSE\r\n\r\n", 400, "Bad Request"],
  ["headers without end", `GET / HTTP/1.1\r\nhost: x\r\na: ${"b".repeat(20_000)}\r\n\r\n`, 431, "Request Header Fields Too Large"],
  ["a malformed host", "GET /healthz HTTP/1.1\r\nhost: a/b\r\nconnection: close\r\n\r\n", 400, "Bad Request"],
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
  const answer = await raw(`GET /v1/none HTTP/1.0\r\n${host}x-api-key: ${stage.key}\r\n\r\n`);
  expect(bodyOf(answer)).toMatchObject({ statusCode: 404 });
});

test("a read that a store does not answer in time is answered 503", async () => {
  const response = await fetch(url("/v1/never"), { headers: { "x-api-key": stage.key } });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ statusCode: 503, error: "Service Unavailable" });
});

test("when a connection is reset, its pipelined requests are dropped, also those that had not begun", async () => {
  const own = await start();
  onTestFinished(own.stop);
  const socket = connect(own.port, "127.0.0.1").on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /v1/never HTTP/1.1\r\nhost: x\r\nx-api-key: ${stage.key}\r\n\r\n`);
  socket.write("GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(50));
  await expect.poll(() => own.countRunning()).toBe(51);
  socket.resetAndDestroy();
  await expect.poll(() => own.countRunning()).toBe(0);
});

test("HEAD is answered like GET without the body", async () => {
  const response = await fetch(url("/healthz"), { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("");
});

test("stopping lets a running request finish and accepts no new one", async () => {
  const stopping = await start();
  onTestFinished(stopping.stop);
  onTestFinished(() => void stage.release()); // before the stop, which waits for the running request
  const address = `http://127.0.0.1:${stopping.port}`;
  const slow = fetch(`${address}/v1/slow`, { headers: { "x-api-key": stage.key } });
  await stage.arrived;
  const stopped = stopping.stop();
  await expect(fetch(`${address}/healthz`)).rejects.toThrow();
  stage.release();
  const answer = await slow;
  expect(answer.status).toBe(200);
  expect(answer.headers.get("connection")).toBe("close");
  expect(await answer.json()).toEqual({ done: true });
  await stopped;
});
