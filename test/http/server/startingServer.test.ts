// A server that listens before its app is there.
import { once } from "node:events";
import { connect } from "node:net";
import { Hono } from "hono";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { openServer } from "../../../src/http/server/startServer.js";

async function opened() {
  const server = await openServer({ host: "127.0.0.1", port: 0, logger: pino({ level: "silent" }) });
  onTestFinished(server.stop);
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, init);
  return { server, ask };
}

test("until its app is there a server is alive, is not ready, and answers all else with the contract's 503 and when to come back", async () => {
  const { ask } = await opened();
  const alive = await ask("/healthz");
  expect([alive.status, await alive.json()]).toEqual([200, { status: "ok" }]);
  const ready = await ask("/readyz");
  expect([ready.status, await ready.json()]).toEqual([503, { status: "unavailable", checks: { start: "failed" } }]);
  for (const [path, init] of [
    ["/v1/org/import/shipments", {}],
    ["/v1/org/shipments", { method: "POST", body: "x".repeat(1_000_000) }],
    ["/portal", {}],
    ["/", { method: "OPTIONS" }],
  ] as const) {
    const response = await ask(path, init);
    expect([response.status, response.headers.get("retry-after"), response.headers.get("cache-control")]).toEqual([503, "2", "no-store"]);
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await response.json()).toEqual({
      statusCode: 503,
      message: "The service is starting, try again shortly",
      error: "Service Unavailable",
    });
  }
});

test("the app answers as soon as it is there, also on a connection from before", async () => {
  const { server } = await opened();
  const socket = connect(server.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const get = async () => {
    socket.write("GET /v1/thing HTTP/1.1\r\nhost: x\r\n\r\n");
    const [answer] = await once(socket, "data");
    return String(answer);
  };
  expect(await get()).toContain("HTTP/1.1 503 ");
  server.serve(new Hono().get("/v1/thing", (c) => c.text("here")) as never);
  expect(await get()).toContain("HTTP/1.1 200 ");
});

test("a server whose app never came stops", async () => {
  const { server, ask } = await opened();
  expect((await ask("/healthz")).status).toBe(200);
  await server.stop();
  await expect(ask("/healthz")).rejects.toThrow();
});
