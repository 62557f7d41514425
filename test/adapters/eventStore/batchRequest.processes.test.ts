import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeAppend } from "../../../src/adapters/eventStore/protocol/batchMessages.js";
import { replyReader } from "../../../src/adapters/eventStore/protocol/readReply.js";
import { headRequest, streamRequest, subscribeRequest } from "../../../src/adapters/eventStore/protocol/readRequest.js";
import { decodeBatchReply } from "../../../src/adapters/eventStore/vendor.js";

const text = fc.string({ unit: "binary" });
const event = fc.record({
  id: fc.uuid(),
  type: text,
  json: fc.jsonValue().map((value) => JSON.stringify(value)),
  metadata: fc.record({ organisation: text, actor: text, $correlationId: text, v: fc.nat() }),
});

test("any append is, byte for byte, what the vendor's generated code understands", () => {
  fc.assert(
    fc.property(text, fc.array(event, { minLength: 1 }), fc.bigInt({ min: -1n, max: 2n ** 63n - 1n }), (stream, events, expected) => {
      const request = encodeAppend(stream, events, expected, 1e9);
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
        events.map(({ id, type, json, metadata }) => ({
          id,
          type: Buffer.from(type).toString(),
          contentType: "application/json",
          data: Buffer.from(json).toString(),
          metadata: JSON.stringify(metadata),
        })),
      );
    }),
  );
});

test("data that is JSON text already is sent as it is", () => {
  const metadata = { organisation: "", actor: "", $correlationId: "", v: 1 };
  const sent = encodeAppend("s", [{ id: "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50", type: "t", json: '{"ä":1}', metadata }], -1n, 1e9);
  const [message] = streams.BatchAppendReq.deserializeBinary(sent?.bytes as Buffer).getProposedMessagesList();
  expect(Buffer.from(message?.getData_asU8() ?? []).toString()).toBe('{"ä":1}');
});

test("any read of a stream is what the vendor's generated code understands", () => {
  const revision = fc.option(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), { nil: undefined });
  fc.assert(
    fc.property(text, revision, fc.boolean(), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (stream, from, backwards, max) => {
      const options = streams.ReadReq.deserializeBinary(streamRequest(stream, from, { backwards, max })).getOptions();
      const which = options?.getStream();
      expect(Buffer.from(which?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(Buffer.from(stream).toString());
      if (from === undefined) expect([which?.hasStart(), which?.hasEnd()]).toEqual([!backwards, backwards]);
      else expect(which?.getRevision()).toBe(String(from));
      expect(options?.getReadDirection()).toBe(backwards ? 1 : 0);
      expect(options?.getCount()).toBe(String(max));
      expect([options?.hasNoFilter(), options?.getUuidOption()?.hasString(), options?.getResolveLinks()]).toEqual([true, true, false]);
    }),
  );
});

const bigNumber = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test("the read of the log's end is what the vendor's generated code understands", () => {
  const options = streams.ReadReq.deserializeBinary(headRequest()).getOptions();
  expect([options?.getAll()?.hasEnd(), options?.getReadDirection(), options?.getCount()]).toEqual([true, 1, "1"]);
  expect([options?.hasNoFilter(), options?.getUuidOption()?.hasString(), options?.getResolveLinks()]).toEqual([true, true, false]);
});

test("any subscription is what the vendor's generated code understands", () => {
  const position = fc.option(fc.record({ commit: bigNumber, prepare: bigNumber }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(text), position, (prefixes, from) => {
      const options = streams.ReadReq.deserializeBinary(subscribeRequest({ prefixes }, from)).getOptions();
      const which = options?.getAll();
      expect(which?.hasStart()).toBe(from === undefined);
      if (from) {
        const at = which?.getPosition();
        expect([at?.getCommitPosition(), at?.getPreparePosition()]).toEqual([String(from.commit), String(from.prepare)]);
      }
      const filter = options?.getFilter();
      expect(filter?.getStreamIdentifier()?.getPrefixList()).toEqual(prefixes.map((prefix) => Buffer.from(prefix).toString()));
      expect([filter?.getMax(), filter?.getCheckpointintervalmultiplier()]).toEqual([1024, 1]);
      expect([options?.hasSubscription(), options?.getUuidOption()?.hasString()]).toEqual([true, true]);
    }),
  );
});

test("any checkpoint is read, and so are caught up, fell behind, stream not found and other replies", () => {
  const read = (fill: (reply: InstanceType<typeof streams.ReadResp>) => void) => {
    const reply = new streams.ReadResp();
    fill(reply);
    return replyReader()(Buffer.from(reply.serializeBinary()));
  };
  fc.assert(
    fc.property(bigNumber, bigNumber, (commit, prepare) => {
      const checkpoint = new streams.ReadResp.Checkpoint();
      checkpoint.setCommitPosition(String(commit));
      checkpoint.setPreparePosition(String(prepare));
      expect(read((reply) => reply.setCheckpoint(checkpoint))).toEqual({ kind: "checkpoint", position: { commit, prepare } });
    }),
  );
  expect(read((reply) => reply.setCaughtUp(new streams.ReadResp.CaughtUp()))).toEqual({ kind: "caughtUp" });
  expect(read((reply) => reply.setFellBehind(new streams.ReadResp.FellBehind()))).toEqual({ kind: "fellBehind" });
  const missing = new streams.ReadResp.StreamNotFound();
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from("import-1"));
  missing.setStreamIdentifier(name);
  expect(read((reply) => reply.setStreamNotFound(missing))).toEqual({ kind: "streamNotFound" });
  expect(read((reply) => reply.setFirstStreamPosition("7"))).toEqual({ kind: "other" });
});

test("any acknowledgement that the vendor's generated code writes is read, with its id as text or as two numbers", () => {
  fc.assert(
    fc.property(
      fc.uuid({ version: 4 }),
      bigNumber,
      fc.option(fc.record({ commit: bigNumber, prepare: bigNumber }), { nil: undefined }),
      (id, revision, position) => {
        const reply = new streams.BatchAppendResp();
        const correlation = new shared.UUID();
        correlation.setString(id);
        reply.setCorrelationId(correlation);
        const success = new streams.BatchAppendResp.Success();
        success.setCurrentRevision(String(revision));
        if (position) {
          const at = new shared.AllStreamPosition();
          at.setCommitPosition(String(position.commit));
          at.setPreparePosition(String(position.prepare));
          success.setPosition(at);
        } else success.setNoPosition(new shared.Empty());
        reply.setSuccess(success);
        const expected = { correlationId: id, acknowledged: { revision, position } };
        expect(decodeBatchReply(Buffer.from(reply.serializeBinary()))).toMatchObject(expected);

        const numbers = new shared.UUID.Structured();
        const digits = id.replaceAll("-", "");
        numbers.setMostSignificantBits(BigInt.asIntN(64, BigInt(`0x${digits.slice(0, 16)}`)).toString());
        numbers.setLeastSignificantBits(BigInt.asIntN(64, BigInt(`0x${digits.slice(16)}`)).toString());
        correlation.setStructured(numbers);
        expect(decodeBatchReply(Buffer.from(reply.serializeBinary()))).toMatchObject(expected);
      },
    ),
  );
});

test("an append beyond the limit is refused before it is sent, one at the limit is not", () => {
  const events = [
    {
      id: "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50",
      type: "t",
      json: JSON.stringify({ text: "x".repeat(1000) }),
      metadata: { organisation: "", actor: "", $correlationId: "", v: 1 },
    },
  ];
  const size = encodeAppend("s", events, -1n, 1e9)?.bytes.length as number;
  expect(encodeAppend("s", events, -1n, size)).toBeDefined();
  expect(encodeAppend("s", events, -1n, size - 1)).toBeUndefined();
});

test("garbled replies are read as something or throw an Error, and never loop for ever", () => {
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
