// Bodies as they arrive on a socket: too large, refused, many at a time, or slow.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { RunningServer } from "../../../src/http/server/startServer.js";
import { insertOrganisation } from "../../support/shell.js";
import { bodyOf, received, useServer } from "./socketStage.js";

const stage = useServer();
const { start, url, raw } = stage;

test("a body that declares too much is refused before it is sent", async () => {
  const answer = await raw(
    `POST /v1/size HTTP/1.1\r\nhost: x\r\nx-api-key: ${stage.key}\r\ncontent-type: application/json\r\ncontent-length: 100001\r\nconnection: close\r\n\r\n`,
  );
  expect(answer).toContain("HTTP/1.1 413 ");
  expect(bodyOf(answer)).toMatchObject({ statusCode: 413, error: "Payload Too Large" });
});

test("a refused sender that goes on sending for a while gets the answer, and can use the connection again", async () => {
  const socket = connect(stage.port, "127.0.0.1");
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

test("a body without a declared length is refused once it is larger than the bound", async () => {
  const post = (size: number) => {
    const stream = new Blob([JSON.stringify({ text: "a".repeat(size - 11) })]).stream();
    return fetch(url("/v1/size"), {
      method: "POST",
      headers: { "x-api-key": stage.key, "content-type": "application/json" },
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
  const response = await fetch(url("/v1/stream"), { method: "POST", headers: { "x-api-key": stage.key }, body: form });
  expect(response.status).toBe(200);
  expect(((await response.json()) as { bytes: number }).bytes).toBeGreaterThan(300_000);
});

test("an organisation has at most 60 uploads under way, and other organisations can upload meanwhile", async () => {
  const other = await insertOrganisation(stage.pool);
  const head = `POST /v1/stream HTTP/1.1\r\nhost: x\r\nx-api-key: ${stage.key}\r\ncontent-length: 9\r\n\r\n`;
  const slow = new Set<Socket>();
  const hold = () => {
    const socket = connect(stage.port, "127.0.0.1").on("error", () => undefined);
    slow.add(socket);
    socket.write(head);
    socket.once("data", () => {
      // refused, since one of the uploads below was counted at that moment: try again
      slow.delete(socket.destroy());
      hold();
    });
  };
  for (let each = 0; each < 60; each += 1) hold();
  const upload = (as: string) => fetch(url("/v1/stream"), { method: "POST", headers: { "x-api-key": as }, body: "x" });
  await expect.poll(async () => (await upload(stage.key)).status).toBe(503);
  const refused = await upload(stage.key);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ statusCode: 503, error: "Service Unavailable" });
  expect((await upload(other.key)).status).toBe(200);
  for (const socket of slow) socket.resetAndDestroy();
  await expect.poll(async () => (await upload(stage.key)).status).toBe(200);
});

describe("a slow sender is answered 408", () => {
  const timeouts = { headersMs: 200, requestMs: 400, idleMs: 300, silenceMs: 100 };
  const partial = (head: string) => `${head}host: x\r\nx-api-key: ${stage.key}\r\ncontent-type: application/json\r\ncontent-length: 50\r\n`;
  const dribble = (socket: Socket) => {
    const timer = setInterval(() => socket.writable && socket.write("a"), 50);
    socket.on("close", () => clearInterval(timer));
  };
  let strict: RunningServer;
  beforeAll(async () => {
    strict = await start(timeouts);
  });
  afterAll(() => strict?.stop());

  test("when its headers arrive byte by byte", async () => {
    const socket = connect(strict.port, "127.0.0.1");
    socket.write(`${partial("POST /v1/size HTTP/1.1\r\n")}x-a: `);
    dribble(socket);
    expect(bodyOf(await received(socket))).toMatchObject({ statusCode: 408, error: "Request Timeout" });
  });

  test("when its body arrives byte by byte", async () => {
    const socket = connect(strict.port, "127.0.0.1");
    socket.write(`${partial("POST /v1/size HTTP/1.1\r\n")}\r\n{`);
    dribble(socket);
    expect(await received(socket)).toContain("HTTP/1.1 408 ");
  });

  test("when its body stops arriving", async () => {
    const silence = { silenceMs: 100 }; // the only short timeout of this server
    const own = await start(silence);
    onTestFinished(own.stop);
    const socket = connect(own.port, "127.0.0.1");
    socket.write(`${partial("POST /v1/size HTTP/1.1\r\n")}\r\n{`);
    const answer = await received(socket);
    expect(answer).toMatch(/^HTTP\/1.1 408 .*^x-request-id: /ms);
    expect(bodyOf(answer)).toMatchObject({
      statusCode: 408,
      error: "Request Timeout",
      message: expect.stringContaining("stopped arriving"),
    });
  });
});
