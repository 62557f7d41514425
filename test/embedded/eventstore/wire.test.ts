import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { frameSplitter } from "../../../src/embedded/eventstore/grpcCall.js";
import { readUuid, structuredUuid } from "../../../src/embedded/eventstore/uuids.js";
import {
  bytesField,
  cursorOver,
  eachField,
  MAX_INT64,
  readBytes,
  readVarint,
  textField,
  varintField,
  varintSize,
  WireError,
  writeVarint,
} from "../../../src/embedded/eventstore/wire.js";

describe("varints", () => {
  test("every whole number up to 2^53 comes back, and int64's maximum as itself", () => {
    const numbers = fc.oneof(fc.maxSafeNat(), fc.nat(300), fc.constantFrom(127, 128, 16_383, 16_384, 2 ** 32, MAX_INT64));
    fc.assert(
      fc.property(numbers, (value) => {
        const bytes = Buffer.alloc(10);
        const end = writeVarint(bytes, 0, value);
        expect(end).toBe(varintSize(value));
        expect(readVarint(cursorOver(bytes.subarray(0, end)))).toBe(value);
      }),
    );
  });

  test("are what protocol buffers say they are", () => {
    const bytes = Buffer.alloc(10);
    expect(bytes.subarray(0, writeVarint(bytes, 0, 300)).toString("hex")).toBe("ac02");
    expect(bytes.subarray(0, writeVarint(bytes, 0, MAX_INT64)).toString("hex")).toBe("ffffffffffffffff7f");
  });
});

test("arbitrary bytes are read as some message or refused, never anything else", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const cursor = cursorOver(Buffer.from(bytes));
      try {
        eachField(cursor, () => false);
        expect(cursor.at).toBe(bytes.length);
      } catch (error) {
        expect(error).toBeInstanceOf(WireError);
      }
    }),
  );
});

test("fields a reader does not know are passed over", () => {
  const message = Buffer.concat([
    varintField(9, 300),
    textField(2, "wanted"),
    bytesField(8, Buffer.from([1, 2])),
    Buffer.from([0x75, 1, 2, 3, 4]),
  ]);
  const cursor = cursorOver(message);
  const found: string[] = [];
  eachField(cursor, (field) => {
    if (field !== 2) return false;
    found.push(readBytes(cursor).toString());
    return true;
  });
  expect(found).toEqual(["wanted"]);
});

test("ids are the same in both of their forms, and always in lower case", () => {
  fc.assert(
    fc.property(fc.uuid(), fc.boolean(), (id, upper) => {
      expect(readUuid(cursorOver(structuredUuid(id)))).toBe(id);
      expect(readUuid(cursorOver(textField(2, upper ? id.toUpperCase() : id)))).toBe(id);
    }),
  );
  expect(() => readUuid(cursorOver(textField(2, "no-id")))).toThrow(WireError);
});

test("messages are whole however the bytes arrive", () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 });
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sent, cuts) => {
      const framed = Buffer.concat(
        sent.map((message) => {
          const prefix = Buffer.alloc(5);
          prefix.writeUInt32BE(message.length, 1);
          return Buffer.concat([prefix, message]);
        }),
      );
      const received: string[] = [];
      const push = frameSplitter((message) => received.push(message.toString("hex")));
      for (let at = 0, cut = 0; at < framed.length; cut++) {
        const size = cuts[cut % cuts.length] as number;
        push(framed.subarray(at, at + size));
        at += size;
      }
      expect(received).toEqual(sent.map((message) => Buffer.from(message).toString("hex")));
    }),
  );
});
