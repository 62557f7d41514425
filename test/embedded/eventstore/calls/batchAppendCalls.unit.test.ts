import { expect, test } from "vitest";
import { encodeMessage, type WireField } from "../../../../src/adapters/eventStore/protocol/protobuf.js";
import { batchAppendCalls } from "../../../../src/embedded/eventstore/calls/appendCalls.js";
import type { Writer } from "../../../../src/embedded/eventstore/log/writer.js";
import type { Call } from "../../../../src/embedded/eventstore/protocol/grpc.js";

const dataBytes = 1_000_000;
const property = (key: string, value: string): WireField => [
  2,
  [
    [1, key],
    [2, value],
  ].map(([field, text]) => [Number(field), String(text)]),
];
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const event = (n: number): WireField => [
  3,
  [[1, [[2, idOf(n)]]], property("type", "t"), property("content-type", "x"), [4, Buffer.alloc(dataBytes)]],
];
const options: WireField = [
  2,
  [
    [1, [[3, "s"]]],
    [3, []],
  ],
];

test.each([
  ["in one message", (n: number): WireField[][] => [[options, event(n), [4, 1]]]],
  ["in two, the second of which only says that it is the last", (n: number): WireField[][] => [[options, event(n)], [[4, 1]]]],
])("the client has to wait once 16 MiB of appends are not durable yet: each is sent %s", async (_, messagesOf) => {
  let durable = () => undefined as unknown;
  const disk = new Promise((settle) => {
    durable = () => settle(undefined);
  });
  const written = { kind: "written", revision: 0, position: 1 } as const;
  const writer = { append: () => disk.then(() => written) } as unknown as Writer;
  const said: string[] = [];
  const call = {
    pause: () => said.push("pause"),
    resume: () => said.push("resume"),
    send: () => said.push("answer"),
    end: () => undefined,
  };
  const handler = batchAppendCalls(writer)(call as unknown as Call);
  const answered: unknown[] = [];
  const appendsBefore = Math.floor((16 * 1024 * 1024) / dataBytes);
  for (let n = 0; n < appendsBefore + 1; n += 1) {
    expect(said).toEqual([]);
    for (const message of messagesOf(n)) answered.push(handler.message(encodeMessage([[1, [[2, idOf(n)]]], ...message])));
  }
  expect(said).toEqual(["pause"]);
  durable();
  await Promise.all(answered);
  expect(said.filter((each) => each === "answer")).toHaveLength(appendsBefore + 1);
  expect(said.at(-1)).toBe("resume");
});
