import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BACKWARDS, END, type EventData, EventStoreDBClient, jsonEvent, START, streamNameFilter } from "@eventstore/db-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { frameSplitter } from "../../../src/embedded/eventstore/grpcCall.js";
import { type EventStoreNode, startEventStoreNode } from "../../../src/embedded/eventstore/node.js";
import { readUuid, structuredUuid } from "../../../src/embedded/eventstore/uuids.js";
import {
  bytesField,
  type Cursor,
  cursorOver,
  emptyField,
  readMessage,
  readVarint,
  textField,
  varintField,
} from "../../../src/embedded/eventstore/wire.js";
import { collect, numbered, numberOf } from "./events.js";

// What the client never sends, only other clients do, or a real server answers in another way.
const STREAMS = "/event_store.client.streams.Streams";
const ID = "9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9c01";

let folder: string;
let store: EventStoreNode;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waybill-protocol-"));
  store = await startEventStoreNode({ port: 0, dataDir: folder });
});

afterAll(async () => {
  await store?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const framed = (message: Buffer): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
};

interface Answer {
  messages: Buffer[];
  status: string;
  message: string;
}

async function call(path: string, ...bodies: Buffer[]): Promise<Answer> {
  const session = connect(store.address.replace("esdb:", "http:").replace(/\?.*/, ""));
  try {
    return await new Promise((resolve, reject) => {
      const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" });
      const messages: Buffer[] = [];
      let trailers: Record<string, unknown> = {};
      const split = frameSplitter((message) => messages.push(message));
      stream.on("response", (headers) => {
        trailers = headers; // some servers send an error there at once
      });
      stream.on("data", split);
      stream.on("trailers", (headers) => {
        trailers = headers;
      });
      stream.on("error", reject);
      stream.on("close", () =>
        resolve({ messages, status: String(trailers["grpc-status"]), message: String(trailers["grpc-message"] ?? "") }),
      );
      for (const body of bodies) stream.write(body);
      stream.end();
    });
  } finally {
    session.close();
  }
}

const stream = (field: number, name: string): Buffer => bytesField(field, textField(3, name));
const property = (key: string, value: string): Buffer => bytesField(2, textField(1, key), textField(2, value));
const proposed = (id: Buffer, ...parts: Buffer[]): Buffer => Buffer.concat([bytesField(1, id), ...parts]);
const typed = [property("type", "t"), property("content-type", "application/json")];

test("a method that is not offered is unimplemented", async () => {
  expect(await call("/event_store.client.projections.Projections/Create", framed(Buffer.alloc(0)))).toMatchObject({ status: "12" });
});

test("bytes that are no message, an oversized one and a compressed one are refused; the node goes on", async () => {
  expect(await call(`${STREAMS}/Read`, framed(Buffer.from([0x0a, 0x7f])))).toMatchObject({ status: "3" });
  expect(await call(`${STREAMS}/Append`, framed(Buffer.from([0xff, 0xff])))).toMatchObject({ status: "3" });
  expect(await call(`${STREAMS}/Append`, Buffer.from([0, 0x7f, 0xff, 0xff, 0xff]))).toMatchObject({ status: "8" });
  expect(await call(`${STREAMS}/Append`, Buffer.from([1, 0, 0, 0, 0]))).toMatchObject({ status: "12" });
  expect(await call(`${STREAMS}/Append`)).toMatchObject({ status: "3" });
  const client = EventStoreDBClient.connectionString(store.address);
  await client.appendToStream("still-here", numbered(0, 1));
  await client.dispose();
});

test("an event without a type is refused by itself: the other appends on the call are answered", async () => {
  const options = (name: string): Buffer => bytesField(2, stream(1, name), emptyField(3));
  const correlation = (n: number): Buffer => textField(2, `00000000-0000-4000-8000-00000000000${n}`);
  const faulty = proposed(textField(2, ID), property("content-type", "application/json"));
  const sound = proposed(textField(2, ID), ...typed);
  const past = bytesField(6, varintField(1, 1), varintField(2, 0));
  const { messages, status } = await call(
    `${STREAMS}/BatchAppend`,
    framed(Buffer.concat([bytesField(1, correlation(1)), options("untyped"), bytesField(3, faulty), varintField(4, 1)])),
    framed(Buffer.concat([bytesField(1, correlation(2)), options("typed"), bytesField(3, sound), varintField(4, 1)])),
    framed(
      Buffer.concat([
        bytesField(1, correlation(3)),
        bytesField(2, stream(1, "late"), emptyField(3), past),
        bytesField(3, sound),
        varintField(4, 1),
      ]),
    ),
  );
  expect(status).toBe("0");
  const answers = messages.map((message) => {
    const cursor = cursorOver(message);
    readVarint(cursor);
    const id = readUuid(readMessage(cursor)).at(-1);
    return `${id}: ${readVarint(cursor) >>> 3 === 3 ? "appended" : (/client\.(\w+)/.exec(message.toString("latin1"))?.[1] ?? "?")}`;
  });
  expect(answers.toSorted()).toEqual(["1: BadRequest", "2: appended", "3: Timeout"]);
});

test.each<[string, object]>([
  ["batch", {}],
  ["classic", { credentials: { username: "admin", password: "changeit" } }],
])("an event without type or id and a stream without name are refused by themselves, on the %s path", async (path, options) => {
  const client = EventStoreDBClient.connectionString(store.address);
  const event = (given: { type?: string; id?: string } = {}) => jsonEvent({ type: "t", data: {}, ...given });
  const nil = event({ id: "00000000-0000-0000-0000-000000000000" });
  const stream = `refusals-${path}`;
  const answers = await Promise.allSettled(
    [
      [stream, event({ type: "" })],
      [stream, nil],
      [stream, [event(), nil]],
      [stream, event({ id: "no-id" })],
      ["", event()],
      [stream, event()],
    ].map(([name, events]) => client.appendToStream(name as string, events as EventData, options)),
  );
  expect(answers.map((answer) => (answer.status === "rejected" ? answer.reason.type : "appended"))).toEqual([
    ...Array(5).fill("unknown"),
    "appended",
  ]);
  expect(await collect(client.readStream(stream))).toHaveLength(1);
  await client.dispose();
});

test("ids as two numbers, as other clients send and want them", async () => {
  const append = [
    framed(bytesField(1, stream(1, "structured"), emptyField(3))),
    framed(bytesField(2, proposed(structuredUuid(ID), ...typed, bytesField(4, Buffer.from('{"n":7}'))))),
  ];
  expect(await call(`${STREAMS}/Append`, ...append)).toMatchObject({ status: "0" });

  const client = EventStoreDBClient.connectionString(store.address);
  const [asText] = await collect(client.readStream("structured"));
  await client.dispose();
  expect([asText?.id, asText && numberOf(asText)]).toEqual([ID, 7]);

  const uuidOption = bytesField(9, emptyField(1));
  const read = framed(bytesField(1, bytesField(1, stream(1, "structured"), emptyField(3)), varintField(5, 10), emptyField(8), uuidOption));
  const { messages } = await call(`${STREAMS}/Read`, read);
  const recorded = messages.map((message) => inner(inner(cursorOver(message))))[0] as Cursor;
  readVarint(recorded);
  const id = readMessage(recorded);
  expect(id.bytes[0]).toBe(0x0a); // the structured form
  expect(readUuid(id)).toBe(ID);
});

/** The message in the first field. */
function inner(cursor: Cursor): Cursor {
  readVarint(cursor);
  return readMessage(cursor);
}

test("a cluster of one is discovered", async () => {
  const client = EventStoreDBClient.connectionString(store.address.replace("esdb:", "esdb+discover:"));
  await client.appendToStream("discovered", numbered(0, 2));
  expect(await collect(client.readStream("discovered"))).toHaveLength(2);
  await client.dispose();
});

test("user names and passwords are taken and ignored", async () => {
  const client = EventStoreDBClient.connectionString(store.address.replace("esdb://", "esdb://admin:changeit@"));
  await client.appendToStream("with-user", numbered(0, 1));
  expect(await collect(client.readStream("with-user"))).toHaveLength(1);
  await client.dispose();
});

test("a filter that is no regular expression is refused", async () => {
  const client = EventStoreDBClient.connectionString(store.address);
  const subscription = client.subscribeToAll({ fromPosition: START, filter: streamNameFilter({ regex: "([" }) });
  const error = await new Promise<{ code?: number }>((resolve) => subscription.on("error", (fault) => resolve(fault as { code?: number })));
  await client.dispose();
  expect(error.code).toBe(2); // as the server does, which compiles it without a look
});

test.each(["Grüße 世界 🚚", "a b/c?d=e&f#g%20", "control\u0001\u007fand nul\u0000", "n".repeat(5_000)])(
  "a deleted stream is told as such whatever its name (%#)",
  async (name) => {
    const client = EventStoreDBClient.connectionString(store.address);
    await client.appendToStream(name, numbered(0, 1));
    await client.tombstoneStream(name);
    await expect(collect(client.readStream(name))).rejects.toMatchObject({ type: "stream-deleted" });
    await expect(client.appendToStream(name, numbered(0, 1))).rejects.toMatchObject({ type: "stream-deleted", streamName: name });
    await client.dispose();
  },
);

test("a tombstone in $all is an event without data at the last revision there is", async () => {
  const client = EventStoreDBClient.connectionString(store.address);
  await client.appendToStream("buried", numbered(0, 1));
  await client.tombstoneStream("buried");
  const [last] = await collect(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }));
  await client.dispose();
  expect(last).toMatchObject({ streamId: "buried", type: "$streamDeleted", isJson: false, revision: 2n ** 63n - 1n });
  expect(last?.data).toHaveLength(0);
});
