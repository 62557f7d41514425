import { EventEmitter } from "node:events";
import fc from "fast-check";
import { expect, test } from "vitest";
import { newClient } from "../../../src/adapters/eventStore/connection.js";
import { framePrefix, groupFrames } from "../../../src/adapters/eventStore/protocol/frames.js";
import { encodeMessage, MalformedMessage } from "../../../src/adapters/eventStore/protocol/protobuf.js";
import { type ReadReply, type ReplyGroup, replyGroupReader } from "../../../src/adapters/eventStore/protocol/readReply.js";
import { streamRequest } from "../../../src/adapters/eventStore/protocol/readRequest.js";
import { closeClient, groupMessages, openReadCall } from "../../../src/adapters/eventStore/vendor.js";
import { noStream } from "../../../src/ports/eventStore.js";
import { startHostedEventStore } from "../../support/stores/hostedEventStore.js";
import { connect, newStream, someEvents } from "./support.js";

function frame(message: Buffer, compressed = 0): Buffer {
  const prefix = Buffer.from([compressed, 0, 0, 0, 0]);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

const checkpoint = (commit: number): Buffer =>
  encodeMessage([
    [
      3,
      [
        [1, commit],
        [2, commit],
      ],
    ],
  ]);

/** gRPC removes the prefix of a frame before it hands the frame on. */
const withoutPrefix = (given: Buffer): Buffer => given.subarray(framePrefix);

function readAll(replies: ReplyGroup): ReadReply[] {
  const found: ReadReply[] = [];
  while (replies.hasMore()) found.push(replies.next());
  return found;
}

test("messages are the same however the network splits the bytes", () => {
  const sizes = fc.array(fc.nat(300), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(sizes, fc.array(fc.nat(2000), { maxLength: 20 }), (commits, cuts) => {
      const bytes = Buffer.concat(commits.map((commit) => frame(checkpoint(commit))));
      const write = groupFrames(-1);
      const read = replyGroupReader();
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((to, index) => bytes.subarray(places[index], to));
      const found = chunks.flatMap((chunk) => write(chunk).flatMap((given) => readAll(read(withoutPrefix(given)))));
      expect(found).toEqual(commits.map((n) => ({ kind: "checkpoint", position: { commit: BigInt(n), prepare: BigInt(n) } })));
    }),
  );
});

test("messages that arrive together are handed over together, or one by one when one of them is compressed", () => {
  const write = groupFrames(-1);
  const [one, two, compressed] = [frame(checkpoint(1)), frame(checkpoint(2)), frame(Buffer.from("?"), 1)];
  expect(write(Buffer.concat([one, two, one.subarray(0, 3)])).map(withoutPrefix)).toEqual([Buffer.concat([one, two])]);
  expect(write(Buffer.concat([one.subarray(3), compressed, two]))).toEqual([one, compressed, two]);
  expect(write(two).map(withoutPrefix)).toEqual([two]);
  const read = replyGroupReader();
  expect(readAll(read(withoutPrefix(one)))).toMatchObject([{ kind: "checkpoint", position: { commit: 1n } }]);
});

test("a message over the limit is refused as soon as its length is known, before its bytes arrive", () => {
  const write = groupFrames(100);
  expect(write(frame(Buffer.alloc(100)))).toHaveLength(1);
  expect(write(frame(Buffer.alloc(101)).subarray(0, framePrefix - 1))).toEqual([]);
  expect(() => write(frame(Buffer.alloc(101)).subarray(framePrefix - 1, framePrefix))).toThrow("larger than max (101 vs 100)");
});

test("a message whose field runs past its end is malformed: the field does not go on in the next message", () => {
  const cut = checkpoint(1).subarray(0, -1);
  const replies = replyGroupReader()(Buffer.concat([frame(cut), frame(checkpoint(2))]));
  expect(() => replies.next()).toThrow(MalformedMessage);
});

test("a call without the gRPC internals that grouping needs is left as it is", () => {
  const call = Object.assign(new EventEmitter(), { call: { call: { child: null } } });
  groupMessages(call);
  expect(() => call.emit("metadata")).not.toThrow();
});

test("the installed gRPC library has these internals: a stream arrives in fewer pieces than it has events", async () => {
  const node = await startHostedEventStore();
  const client = newClient(node.address);
  const store = connect(node.address);
  try {
    const stream = newStream();
    await store.append(stream, someEvents(200), noStream);
    let [pieces, events] = [0, 0];
    for await (const replies of await openReadCall(client, streamRequest(stream, undefined, { backwards: false, max: 1000 }), true)) {
      pieces += 1;
      events += readAll(replies as ReplyGroup).filter(({ kind }) => kind === "event").length;
    }
    expect(events).toBe(200);
    expect(pieces).toBeLessThan(50);
  } finally {
    await store.close();
    await closeClient(client);
    await node.stop();
  }
});
