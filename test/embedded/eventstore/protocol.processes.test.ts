import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BACKWARDS, END, type EventData, jsonEvent } from "@eventstore/db-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Message, messageReader, nestedText, type WireField } from "../../../src/adapters/eventStore/protocol/protobuf.js";
import { type EventStoreNode, startEventStoreNode } from "../../../src/embedded/eventstore/node.js";
import { frameOf, frameSplitter } from "../../../src/embedded/eventstore/protocol/grpc.js";
import { collect, numbered, openClient } from "./events.js";

// Requests that the vendor's client never sends, and answers in which the node differs from a real server.
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

/** A frame with these bytes, which need not be a message. */
const rawFrame = (bytes: Buffer): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
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
        trailers = headers; // a server may send an error in the headers already
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

const stream = (field: number, name: string): WireField => [field, [[3, name]]];
const property = (key: string, value: string): WireField => [
  2,
  [
    [1, key],
    [2, value],
  ],
];
const proposed = (...parts: WireField[]): Message => [[1, [[2, ID]]], ...parts];
const typed = [property("type", "t"), property("content-type", "application/json")];
const noStream: WireField = [3, []];

test("a method that is not offered is unimplemented", async () => {
  expect(await call("/event_store.client.projections.Projections/Create", frameOf([]))).toMatchObject({ status: "12" });
});

test("bytes that are no message, an oversized message and a compressed one are refused, and the node goes on", async () => {
  expect(await call(`${STREAMS}/Read`, rawFrame(Buffer.from([0x0a, 0x7f])))).toMatchObject({ status: "3" });
  expect(await call(`${STREAMS}/Append`, rawFrame(Buffer.from([0xff, 0xff])))).toMatchObject({ status: "3" });
  expect(await call(`${STREAMS}/Append`, Buffer.from([0, 0x7f, 0xff, 0xff, 0xff]))).toMatchObject({ status: "8" });
  expect(await call(`${STREAMS}/Append`, Buffer.from([1, 0, 0, 0, 0]))).toMatchObject({ status: "12" });
  expect(await call(`${STREAMS}/Append`)).toMatchObject({ status: "3" });
  const client = openClient(store.address);
  await client.appendToStream("still-here", numbered(0, 1));
});

const readCorrelation = messageReader(() => ({ id: "" }), { 1: ["id", nestedText(2)] });

test("an event without a type is refused by itself: the other appends on the call are answered", async () => {
  const options = (name: string, ...more: WireField[]): WireField => [2, [stream(1, name), noStream, ...more]];
  const correlation = (n: number): WireField => [1, [[2, `00000000-0000-4000-8000-00000000000${n}`]]];
  const isFinal: WireField = [4, 1];
  const faulty: WireField = [3, proposed(property("content-type", "application/json"))];
  const sound: WireField = [3, proposed(...typed)];
  const past: WireField = [
    6,
    [
      [1, 1],
      [2, 0],
    ],
  ];
  const { messages, status } = await call(
    `${STREAMS}/BatchAppend`,
    frameOf([correlation(1), options("untyped"), faulty, isFinal]),
    frameOf([correlation(2), options("typed"), sound, isFinal]),
    frameOf([correlation(3), options("late", past), sound, isFinal]),
  );
  expect(status).toBe("0");
  const answers = messages.map((message) => {
    const { id } = readCorrelation(message);
    return `${id.at(-1)}: ${/client\.(\w+)/.exec(message.toString("latin1"))?.[1] ?? "appended"}`;
  });
  expect(answers.toSorted()).toEqual(["1: BadRequest", "2: appended", "3: Timeout"]);
});

test.each<[string, object]>([
  ["batch", {}],
  ["classic", { credentials: { username: "admin", password: "changeit" } }],
])("an event without type or id and a stream without name are refused by themselves, on the %s path", async (path, options) => {
  const client = openClient(store.address);
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
});

test("requests to resolve links or to give ids as numbers are refused with a message that only EventStoreDB does this", async () => {
  const read = (...options: WireField[]) =>
    call(`${STREAMS}/Read`, frameOf([[1, [[1, [stream(1, "any")]], [5, 10], [8, []], ...options]]]));
  expect(await read([4, 1])).toMatchObject({ status: "12", message: "This node does not resolve links; EventStoreDB does." });
  expect(await read([9, [[1, []]]])).toMatchObject({ status: "12", message: "This node does not give ids as numbers; EventStoreDB does." });
  expect(await read([9, [[2, []]]])).toMatchObject({ status: "0" });
  const append = [
    frameOf([[1, [stream(1, "structured"), noStream]]]),
    frameOf([
      [
        2,
        [
          [
            1,
            [
              [
                1,
                [
                  [1, 1],
                  [2, 2],
                ],
              ],
            ],
          ],
          ...typed,
        ],
      ],
    ]),
  ];
  expect(await call(`${STREAMS}/Append`, ...append)).toMatchObject({ status: "3" });
});

test("a cluster of one is discovered", async () => {
  const client = openClient(store.address.replace("esdb:", "esdb+discover:"));
  await client.appendToStream("discovered", numbered(0, 2));
  expect(await collect(client.readStream("discovered"))).toHaveLength(2);
});

test("user names and passwords are ignored", async () => {
  const client = openClient(store.address.replace("esdb://", "esdb://admin:changeit@"));
  await client.appendToStream("with-user", numbered(0, 1));
  expect(await collect(client.readStream("with-user"))).toHaveLength(1);
});

test.each(["Grüße 世界 🚚", "a b/c?d=e&f#g%20", "control\u0001\u007fand nul\u0000", "n".repeat(5_000)])(
  "a deleted stream is reported as deleted whatever its name (%#)",
  async (name) => {
    const client = openClient(store.address);
    await client.appendToStream(name, numbered(0, 1));
    await client.tombstoneStream(name);
    await expect(collect(client.readStream(name))).rejects.toMatchObject({ type: "stream-deleted" });
    await expect(client.appendToStream(name, numbered(0, 1))).rejects.toMatchObject({ type: "stream-deleted", streamName: name });
  },
);

test("a tombstone in $all is an event without data at revision 2^63 - 1", async () => {
  const client = openClient(store.address);
  await client.appendToStream("buried", numbered(0, 1));
  await client.tombstoneStream("buried");
  const [last] = await collect(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }));
  expect(last).toMatchObject({ streamId: "buried", type: "$streamDeleted", isJson: false, revision: 2n ** 63n - 1n });
  expect(last?.data).toHaveLength(0);
});
