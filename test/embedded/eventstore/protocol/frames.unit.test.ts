import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeMessage } from "../../../../src/adapters/eventStore/protocol/protobuf.js";
import { frameOf, frameSplitter } from "../../../../src/embedded/eventstore/protocol/grpc.js";

test("messages are whole however the bytes arrive", () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 });
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sent, cuts) => {
      const frames = Buffer.concat(sent.map((message) => frameOf([[1, message]])));
      const received: string[] = [];
      const push = frameSplitter((message) => received.push(message.toString("hex")));
      for (let at = 0, cut = 0; at < frames.length; cut++) {
        const size = cuts[cut % cuts.length] as number;
        push(frames.subarray(at, at + size));
        at += size;
      }
      expect(received).toEqual(sent.map((message) => encodeMessage([[1, message]]).toString("hex")));
    }),
  );
});
