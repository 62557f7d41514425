// A small body is validated while its key is looked up, if the key's last request was admitted. The answers are those of any other body.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineRoute } from "../../../src/http/api/route.js";
import { insertOrganisation, shellDeps } from "../../support/shell.js";
import { startApi } from "../../support/startApi.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";
import { bodyOf, received } from "./socketStage.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

const limit = 40_000;

/** `steps`: what happened, in order. A look-up answers when the body was validated, or after `lookUpMs`. */
async function stage({ rateLimitPerMinute = 1_000 } = {}) {
  const steps: string[] = [];
  let validated: () => void = () => undefined;
  let lookUpMs = 50;
  const slowLookUps = {
    async query(text: string, values: unknown[]) {
      await Promise.race([new Promise<void>((resolve) => (validated = resolve)), pause(lookUpMs)]);
      steps.push("looked up");
      return database.pool.query(text, values);
    },
  };
  const text = z.string().refine((value) => {
    steps.push("validated");
    validated();
    return value !== "bad";
  }, "text must not be bad");
  const route = defineRoute({
    method: "POST",
    path: "/v1/text",
    operationId: "text",
    summary: "for a test",
    tag: "test",
    scope: "quotes",
    maxBodyBytes: limit,
    request: { body: z.strictObject({ text }) },
    responses: {},
    handler: async ({ body }) => ({ status: 200, body: { length: body.text.length } }),
  });
  const deps = shellDeps(database.pool, { rateLimitPerMinute, deps: { lookUpPool: slowLookUps as unknown as Pool } });
  const api = await startApi({ deps, host: "127.0.0.1", port: 0, logger: pino({ level: "silent" }), routes: [route] });
  onTestFinished(api.stop);
  const { key, keyId } = await insertOrganisation(database.pool);
  const post = async (body: string, headers: Record<string, string> = {}) => {
    steps.length = 0;
    const sent = { "x-api-key": key, "content-type": "application/json", ...headers };
    const answer = await fetch(`http://127.0.0.1:${api.port}/v1/text`, { method: "POST", headers: sent, body });
    return { status: answer.status, body: (await answer.json()) as unknown, steps: [...steps] };
  };
  return {
    ...{ post, key, keyId, port: api.port, steps },
    /** A body that is validated ahead is so long before; a look-up may take three seconds. */
    expectAhead: () => (lookUpMs = 2_500),
    expectBehind: () => (lookUpMs = 50),
  };
}

const ahead = ["validated", "looked up"];
const behind = ["looked up", "validated"];
const ofBytes = (bytes: number) => JSON.stringify({ text: "x".repeat(bytes - '{"text":""}'.length) });

test("a body is validated ahead once its key was admitted", async () => {
  const { post, expectAhead } = await stage();
  expect(await post('{"text":"abc"}')).toEqual({ status: 200, body: { length: 3 }, steps: behind });
  expectAhead();
  expect(await post('{"text":"abcd"}')).toEqual({ status: 200, body: { length: 4 }, steps: ahead });
});

test("what is wrong with a body that was validated ahead is answered as of any other", async () => {
  const { post, expectAhead, expectBehind } = await stage();
  const faulty = async () => [
    await post('{"text":"bad"}'),
    await post('{"text":'),
    await post("[]"),
    await post("x", { "content-type": "text/plain" }),
  ];
  const first = await faulty();
  expect(first.map(({ status }) => status)).toEqual([400, 400, 400, 415]);
  expectAhead();
  await post('{"text":"abc"}');
  expect((await post('{"text":"bad"}')).steps).toEqual(ahead);
  expectBehind();
  expect((await faulty()).map(({ status, body }) => ({ status, body }))).toEqual(first.map(({ status, body }) => ({ status, body })));
});

test("a revoked key is answered 401 whatever its body is, and its next bodies are not read", async () => {
  const { post, keyId, expectAhead, expectBehind } = await stage();
  await post('{"text":"abc"}');
  await database.pool.query("update api_keys set revoked_at = now() where key_id = $1", [keyId]);
  expectAhead();
  expect(await post('{"text":"bad"}')).toMatchObject({ status: 401, steps: ahead });
  expectBehind();
  expect(await post('{"text":"bad"}')).toMatchObject({ status: 401, steps: ["looked up"] });
});

test("once a key was told that its minute is used up, its next bodies are not read", async () => {
  const { post, expectAhead, expectBehind } = await stage({ rateLimitPerMinute: 2 });
  await post('{"text":"abc"}');
  await post('{"text":"abc"}');
  expectAhead();
  expect(await post('{"text":"bad"}')).toMatchObject({ status: 429, steps: ahead });
  expectBehind();
  expect(await post('{"text":"bad"}')).toMatchObject({ status: 429, steps: ["looked up"] });
});

test("a body of more than 16 KB, and one that is still arriving, waits for the key", async () => {
  const { post, key, port, steps, expectAhead, expectBehind } = await stage();
  await post('{"text":"abc"}');
  for (const [bytes, order] of [
    [16_383, ahead],
    [16_384, ahead],
    [16_385, behind],
  ] as const) {
    if (order === ahead) expectAhead();
    else expectBehind();
    expect(await post(ofBytes(bytes))).toEqual({ status: 200, body: { length: bytes - 11 }, steps: order });
  }
  expect((await post(ofBytes(limit + 1))).status).toBe(413);
  await post('{"text":"abc"}');
  steps.length = 0;
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const head = `POST /v1/text HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 14\r\n\r\n`;
  socket.write(`${head}{"text":`);
  const answer = received(socket);
  await expect.poll(() => steps).toContain("looked up");
  socket.write('"abc"}');
  expect(bodyOf(await answer)).toEqual({ length: 3 });
  expect(steps.indexOf("looked up")).toBeLessThan(steps.indexOf("validated"));
});
