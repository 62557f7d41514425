// An API on a real socket, with routes that are slow or count what they are sent, and a client that writes to it byte by byte.
import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import { defineRoute } from "../../../src/http/api/route.js";
import type { RunningServer } from "../../../src/http/server/startServer.js";
import { insertOrganisation, shellDeps } from "../../support/shell.js";
import { type ApiOptions, startApi } from "../../support/startApi.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

const logger = pino({ level: "silent" });

const describeOnly = { summary: "for a test", tag: "test", scope: "read" as const, responses: {} };

/** `/v1/slow` emits "arrived" when it is requested and answers when `released` resolves. */
const routesWith = (signals: EventEmitter, released: Promise<unknown>) => [
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
    handler: () => new Promise(() => undefined), // as if a store never answered
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

export async function received(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  socket.on("error", () => undefined);
  await once(socket, "close");
  return text;
}

export const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) as unknown;

/** Starts the server for all tests of a file. */
export function useServer() {
  const signals = new EventEmitter();
  const arrived = once(signals, "arrived");
  const released = once(signals, "release");
  const routes = routesWith(signals, released);

  let database: TestDatabase;
  let api: RunningServer;
  let key: string;
  const start = (timeouts: NonNullable<ApiOptions["timeouts"]> = {}) =>
    startApi({ deps: shellDeps(database.pool), host: "127.0.0.1", port: 0, logger, routes, timeouts });

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

  return {
    get key() {
      return key;
    },
    get port() {
      return api.port;
    },
    get pool() {
      return database.pool;
    },
    /** For `/v1/slow`: it was requested, it may answer, and the call that lets it answer. */
    ...{ arrived, released, release: () => signals.emit("release") },
    ...{ start, url, raw },
  };
}
