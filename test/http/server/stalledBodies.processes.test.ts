// Large JSON bodies that stop arriving hold memory for a short time only, and only their own organisation's share.
import { connect } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineRoute } from "../../../src/http/api/route.js";
import type { Problem } from "../../../src/http/server/problem.js";
import { withArrivalLimit } from "../../../src/http/server/readBody.js";
import type { RunningServer } from "../../../src/http/server/startServer.js";
import { insertOrganisation, shellDeps } from "../../support/shell.js";
import { startApi } from "../../support/startApi.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

const routes = [
  defineRoute({
    method: "POST",
    path: "/v1/size",
    operationId: "size",
    summary: "for a test",
    tag: "test",
    scope: "read",
    responses: {},
    request: { body: z.strictObject({ text: z.string() }) },
    handler: async ({ body }) => ({ status: 200, body: { length: body.text.length } }),
  }),
];

let database: TestDatabase;
let api: RunningServer;
let greedy: string;
let other: string;

beforeAll(async () => {
  database = await createTestDatabase();
  ({ key: greedy } = await insertOrganisation(database.pool));
  ({ key: other } = await insertOrganisation(database.pool));
  const bodyLimits = { maxHeld: 1_000_000, maxPerOwner: 600_000 };
  const deps = shellDeps(database.pool);
  api = await startApi({
    deps,
    host: "127.0.0.1",
    port: 0,
    logger: pino({ level: "silent" }),
    routes,
    bodyLimits,
    timeouts: { silenceMs: 3_000 },
  });
});
afterAll(async () => {
  await api?.stop();
  await database?.close();
});

const push = (key: string, size: number) =>
  fetch(`http://127.0.0.1:${api.port}/v1/size`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ text: "x".repeat(size) }),
  });

/** Declares a body of 300 kB and sends its first `sent` bytes. */
function stall(sent: number): Promise<string> {
  const socket = connect(api.port, "127.0.0.1").on("error", () => undefined);
  socket.write(
    `POST /v1/size HTTP/1.1\r\nhost: x\r\nx-api-key: ${greedy}\r\ncontent-type: application/json\r\ncontent-length: 300000\r\n\r\n`,
  );
  socket.write("x".repeat(sent));
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}

test("stalled bodies do not keep out other organisations' requests, are answered 408, and then free their share", async () => {
  const stalled: Promise<string>[] = [];
  let underWay = 0;
  /** Keeps six bodies stalled: on a busy machine some are given up before the others have begun. */
  const stallSix = () => {
    for (; underWay < 6; underWay += 1) stalled.push(stall(299_000).finally(() => (underWay -= 1)));
  };
  const pushWhileStalled = async () => {
    stallSix();
    return (await push(greedy, 250_000)).status;
  };
  await expect.poll(pushWhileStalled).toBe(503);
  expect((await push(other, 250_000)).status).toBe(200);
  expect((await push(greedy, 1_000)).status).toBe(200); // a small body is never refused because of large ones
  const answers = await Promise.all(stalled);
  expect(new Set(answers.map((answer) => answer.slice(0, 12)))).toEqual(new Set(["HTTP/1.1 408", "HTTP/1.1 503"]));
  for (const answer of answers) expect(JSON.parse(answer.slice(answer.indexOf("{")))).toMatchObject({ message: expect.any(String) });
  expect((await push(greedy, 250_000)).status).toBe(200);
});

describe("a body is watched while it arrives", () => {
  /** Lets `perSecond` bytes arrive every second for half a minute. Resolves with the outcome: arrived, or why it was given up. */
  async function arriving(perSecond: number, large: boolean): Promise<string> {
    vi.useFakeTimers();
    try {
      let bytes = 1_000;
      const sending = setInterval(() => (bytes += perSecond), 1_000);
      const whole = new Promise<string>((resolve) => setTimeout(() => resolve("arrived"), 30_500));
      const outcome = withArrivalLimit({ silenceMs: 5_000, bytesRead: () => bytes, isLarge: large }, (inTime) => inTime(whole)).catch(
        (error: Problem) => `${error.code}: ${error.message}`,
      );
      await vi.advanceTimersByTimeAsync(31_000);
      clearInterval(sending);
      return await outcome;
    } finally {
      vi.useRealTimers();
    }
  }
  const givenUp = "requestTimeout: The body stopped arriving before its end, send the request again";

  test.each([
    ["a small one, silent", 0, false, givenUp],
    ["a small one, a byte a second", 1, false, "arrived"],
    ["a large one, silent", 0, true, givenUp],
    ["a large one, a byte a second", 1, true, givenUp],
    ["a large one, 4 KiB a second", 4096, true, "arrived"],
  ])("%s", async (_, perSecond, large, outcome) => {
    expect(await arriving(perSecond, large)).toBe(outcome);
  });
});
