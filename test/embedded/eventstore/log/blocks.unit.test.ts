import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, test } from "vitest";
import { splitFrames } from "../../../../src/adapters/eventStore/protocol/frames.js";
import { MAX_INT64 } from "../../../../src/adapters/eventStore/protocol/protobuf.js";
import { encodeBlocks, newEvent } from "../../../../src/embedded/eventstore/log/blockEncoder.js";
import { type Block, decodeBlock, endOf, eventIn } from "../../../../src/embedded/eventstore/log/blocks.js";

/** The client's generated reader, which must understand the stored frames. */
const { ReadResp } = createRequire(import.meta.url)("@eventstore/db-client/generated/streams_pb.js") as {
  ReadResp: {
    deserializeBinary(bytes: Uint8Array): {
      toObject(): ReadResponse;
      getEvent(): { getEvent(): { getMetadataMap(): Map<string, string> } };
    };
  };
};

interface ReadResponse {
  event: {
    commitPosition: string;
    event: {
      id: { string: string };
      streamRevision: string;
      commitPosition: string;
      preparePosition: string;
      data: string;
      customMetadata: string;
      streamIdentifier: { streamName: string };
    };
  };
}

const proposed = fc
  .record({
    id: fc.uuid(),
    type: fc.string({ minLength: 1 }),
    data: fc.uint8Array({ maxLength: 3_000 }),
    metadata: fc.uint8Array({ maxLength: 20 }),
  })
  .map((sent) => ({ ...sent, data: Buffer.from(sent.data), metadata: Buffer.from(sent.metadata) }));

test("the client's generated code reads stored events as they were proposed", () => {
  const proposals = fc.record({
    stream: fc.string({ unit: "grapheme", minLength: 1 }),
    revision: fc.oneof(
      fc.nat(),
      fc.maxSafeNat().map((n) => Math.floor(n / 2)),
    ),
    position: fc.oneof(
      fc.nat(),
      fc.maxSafeNat().map((n) => Math.floor(n / 2)),
    ),
    createdAt: fc.integer({ min: 1, max: 4e12 }),
    events: fc.array(proposed, { minLength: 1, maxLength: 60 }),
  });
  fc.assert(
    fc.property(proposals, (proposal) => {
      let { revision, position } = proposal;
      const events = [...proposal.events];
      for (const { types, bytes, ...block } of encodeBlocks({ ...proposal, events: events.map(newEvent) })) {
        expect({ ...decodeBlock(position, bytes) }).toEqual({ ...block, position });
        expect(types).toEqual(new Set(events.slice(0, block.count).map(({ type }) => type)));
        expect([block.revision, block.count]).toEqual([revision, splitFrames(block.frames).length]);
        for (const frame of splitFrames(block.frames)) {
          const event = events.shift() as (typeof events)[number];
          const response = ReadResp.deserializeBinary(frame.subarray(5));
          const { event: read, commitPosition } = response.toObject().event;
          expect(read).toMatchObject({
            id: { string: event.id },
            streamRevision: String(revision++),
            data: event.data.toString("base64"),
            customMetadata: event.metadata.toString("base64"),
          });
          expect([read.commitPosition, read.preparePosition, commitPosition]).toEqual(Array(3).fill(String(position)));
          expect(Buffer.from(read.streamIdentifier.streamName, "base64").toString()).toBe(proposal.stream);
          expect(response.getEvent().getEvent().getMetadataMap().get("created")).toBe(String(proposal.createdAt * 10_000));
          expect(eventIn(frame)).toEqual({ id: event.id, type: event.type, data: event.data });
          position += frame.length;
        }
        expect(position).toBe(endOf(block));
      }
      expect(events).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

test("a tombstone's revision is int64's maximum to the digit", () => {
  const event = newEvent({ id: "9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9c01", type: "$streamDeleted", data: Buffer.alloc(0) });
  const [block] = encodeBlocks({ stream: "s", revision: MAX_INT64, position: 1, createdAt: 1, events: [event] });
  const { event: read } = ReadResp.deserializeBinary((block as Block).frames.subarray(5)).toObject().event;
  expect(read.streamRevision).toBe("9223372036854775807");
});
