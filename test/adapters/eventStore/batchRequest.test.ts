import streams from "@eventstore/db-client/generated/streams_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { batchRequest } from "../../../src/adapters/eventStore/batchRequest.js";
import { replyReader } from "../../../src/adapters/eventStore/readReply.js";

const text = fc.string({ unit: "binary" });
const event = fc.record({
  id: fc.uuid(),
  type: text,
  data: fc.jsonValue(),
  metadata: fc.record({ organisation: text, actor: text, $correlationId: text, v: fc.nat() }),
});

test("any append is, byte for byte, what the vendor's generated code understands", () => {
  fc.assert(
    fc.property(text, fc.array(event, { minLength: 1 }), fc.bigInt({ min: -1n, max: 2n ** 63n - 1n }), (stream, events, expected) => {
      const request = batchRequest(stream, events, expected, 1e9);
      const read = streams.BatchAppendReq.deserializeBinary(request?.bytes as Buffer);
      const options = read.getOptions();
      expect(read.getIsFinal()).toBe(true);
      expect(read.getCorrelationId()?.getString()).toBe(request?.correlationId);
      expect(Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(Buffer.from(stream).toString());
      expect(options?.hasNoStream()).toBe(expected === -1n);
      if (expected !== -1n) expect(options?.getStreamPosition()).toBe(String(expected));
      expect(
        read.getProposedMessagesList().map((message) => ({
          id: message.getId()?.getString(),
          type: message.getMetadataMap().get("type"),
          contentType: message.getMetadataMap().get("content-type"),
          data: Buffer.from(message.getData_asU8()).toString(),
          metadata: Buffer.from(message.getCustomMetadata_asU8()).toString(),
        })),
      ).toEqual(
        events.map(({ id, type, data, metadata }) => ({
          id,
          type: Buffer.from(type).toString(),
          contentType: "application/json",
          data: Buffer.from(JSON.stringify(data)).toString(),
          metadata: JSON.stringify(metadata),
        })),
      );
    }),
  );
});

test("an append beyond the limit is refused before it is sent, one at the limit is not", () => {
  const events = [
    {
      id: "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50",
      type: "t",
      data: { text: "x".repeat(1000) },
      metadata: { organisation: "", actor: "", $correlationId: "", v: 1 },
    },
  ];
  const size = batchRequest("s", events, -1n, 1e9)?.bytes.length as number;
  expect(batchRequest("s", events, -1n, size)).toBeDefined();
  expect(batchRequest("s", events, -1n, size - 1)).toBeUndefined();
});

test("garbled replies are an error, never an endless loop or a wrong event", () => {
  const read = replyReader();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        read(Buffer.from([0x0a, ...bytes]));
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
  );
});
