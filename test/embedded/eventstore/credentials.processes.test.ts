import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventStoreDBClient, START } from "@eventstore/db-client";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { connectEventStore } from "../../../src/adapters/eventStore/connect.js";
import { newCredentials, withCredentials } from "../../../src/embedded/eventstore/credentials.js";
import { type EventStoreNode, startEventStoreNode } from "../../../src/embedded/eventstore/node.js";
import { collect, numbered, openClient } from "./events.js";

const credentials = newCredentials();
const logger = pino({ level: "silent" });
const denied = { type: "access-denied" };
let folder: string;
let node: EventStoreNode;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waybill-credentials-"));
  node = await startEventStoreNode({ port: 0, dataDir: folder, credentials });
  const owner = EventStoreDBClient.connectionString(withCredentials(node.address, credentials));
  await owner.appendToStream("private", numbered(0, 3));
  await owner.dispose();
});
afterAll(async () => {
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("the unmodified client with the owner's address reads, appends, follows and deletes", async () => {
  const client = openClient(withCredentials(node.address, credentials));
  expect(await collect(client.readStream("private"))).toHaveLength(3);
  await client.appendToStream("own", numbered(0, 1));
  await client.appendToStream("own", numbered(1, 1), { credentials: { username: "classic", password: "path" } });
  for await (const { event } of client.subscribeToAll({ fromPosition: START })) if (event?.streamId === "own") break;
  await client.deleteStream("own");
});

const strangers: [string, () => string][] = [
  ["without credentials", () => node.address],
  ["with a wrong password", () => withCredentials(node.address, "waybill:wrong")],
  ["with a longer password", () => withCredentials(node.address, `${credentials}x`)],
  ["with the password alone", () => `${node.address}&connectionName=${credentials.split(":")[1]}`],
];

test.each(strangers)("a client %s is refused every call", async (_, address) => {
  const client = openClient(address());
  await expect(collect(client.readStream("private"))).rejects.toMatchObject(denied);
  await expect(collect(client.readAll())).rejects.toMatchObject(denied);
  await expect(client.appendToStream("private", numbered(3, 1))).rejects.toMatchObject(denied);
  await expect(
    client.appendToStream("private", numbered(3, 1), { credentials: { username: "admin", password: "changeit" } }),
  ).rejects.toMatchObject(denied);
  await expect(client.deleteStream("private")).rejects.toMatchObject(denied);
  await expect(client.tombstoneStream("private")).rejects.toMatchObject(denied);
  await expect(client.setStreamMetadata("private", { maxCount: 1 })).rejects.toMatchObject(denied);
  const subscription = client.subscribeToAll({ fromPosition: START });
  expect(await new Promise((settle) => subscription.on("error", settle))).toMatchObject(denied);
});

test("the refused calls have changed nothing", async () => {
  const store = connectEventStore({ address: withCredentials(node.address, credentials), logger });
  onTestFinished(store.close);
  expect((await store.last("private"))?.revision).toBe(2n);
});

test("the application's own connection says what to check when it is refused", async () => {
  const store = connectEventStore({ address: node.address, logger });
  onTestFinished(store.close);
  await expect(store.ping()).rejects.toThrow("Check the user and password in EVENTSTORE_URL");
});

test.each([
  ["BatchAppend", "/event_store.client.streams.Streams/BatchAppend"],
  ["a method that the node does not have", "/event_store.client.users.Users/Details"],
])("%s is refused by its headers alone, before a message is read", async (_, path) => {
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
  for (const headers of [{}, basic("waybill:wrong"), { authorization: "Basic ???" }, { authorization: credentials }])
    expect(await statusOf(path, headers)).toEqual({ status: "7", message: "Access Denied", exception: "access-denied" });
  const { status } = await statusOf(path, basic(credentials));
  expect(status).not.toBe("7");
});

/** Makes a call with these headers and without a message. */
async function statusOf(path: string, headers: Record<string, string>) {
  const session = connect(`http://127.0.0.1:${node.port}`);
  try {
    return await new Promise<Record<string, unknown>>((resolve, reject) => {
      const request = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", ...headers };
      const stream = session.request(request);
      const answer = (found: Record<string, unknown>) =>
        resolve({ status: found["grpc-status"], message: found["grpc-message"], exception: found["exception"] });
      stream.on("response", (found) => found["grpc-status"] !== undefined && answer(found));
      stream.on("trailers", answer).on("error", reject).resume();
      // The other calls must be refused although they have not ended.
      if ("authorization" in headers && headers["authorization"]?.length) stream.end();
    });
  } finally {
    session.destroy();
  }
}
