import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  encodeMessage,
  MAX_INT64,
  MalformedMessage,
  type Message,
  messageReader,
  nestedReader,
  nestedText,
  readBigInt,
  readBytes,
  readInteger,
  readText,
  type WireField,
  whenPresent,
} from "../../../src/adapters/eventStore/protocol/protobuf.js";

interface Read {
  number: number;
  big: bigint;
  text: string;
  bytes: Buffer;
  inner: string;
  isThere: boolean;
}

const empty = (): Read => ({ number: 0, big: 0n, text: "", bytes: Buffer.alloc(0), inner: "", isThere: false });
const read = messageReader(empty, {
  1: ["number", readInteger],
  2: ["big", readBigInt],
  3: ["text", readText],
  4: ["bytes", readBytes],
  5: ["inner", nestedText(7)],
  6: ["isThere", whenPresent(true)],
});

describe("numbers", () => {
  test("every whole number up to 2^53, and int64's maximum, is read as it was written", () => {
    const numbers = fc.oneof(fc.maxSafeNat(), fc.nat(300), fc.constantFrom(0, 127, 128, 16_383, 16_384, 2 ** 32, MAX_INT64));
    fc.assert(
      fc.property(numbers, (value) => {
        expect(read(encodeMessage([[1, value]])).number).toBe(value);
      }),
    );
  });

  test("every unsigned 64-bit number is read as it was written, to the digit", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        expect(read(encodeMessage([[2, value]])).big).toBe(value);
      }),
    );
  });

  test("are encoded as protocol buffers define", () => {
    expect(encodeMessage([[1, 300]]).toString("hex")).toBe("08ac02");
    expect(encodeMessage([[1, MAX_INT64]]).toString("hex")).toBe("08ffffffffffffffff7f");
    expect(encodeMessage([[1, 0]]).toString("hex")).toBe("0800"); // 0 is written too: the field may be a member of a oneof
  });
});

test("text is read as it was written, with the replacement character for what UTF-8 cannot encode", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 100 }), (text) => {
      const written = Buffer.from(text).toString();
      expect(
        read(
          encodeMessage([
            [3, text],
            [5, [[7, text]]],
          ]),
        ),
      ).toMatchObject({ text: written, inner: written });
    }),
  );
});

test("fields a reader does not know are passed over, wherever they stand", () => {
  const message = Buffer.concat([
    encodeMessage([
      [9, 300],
      [3, "wanted"],
      [8, Buffer.from([1, 2])],
    ]),
    Buffer.from([0x75, 1, 2, 3, 4]), // field 14, four bytes
    encodeMessage([
      [6, []],
      [4, Buffer.from("bytes")],
    ]),
  ]);
  expect(read(message)).toMatchObject({ text: "wanted", isThere: true, bytes: Buffer.from("bytes") });
});

test("arbitrary bytes are read as some message or are malformed, never anything else", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        read(Buffer.from(bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedMessage);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("a message that is cut short anywhere inside of a field is malformed", () => {
  for (const whole of [
    encodeMessage([[3, "some text"]]),
    encodeMessage([[4, Buffer.alloc(20)]]),
    encodeMessage([[5, [[7, "inner"]]]]),
    encodeMessage([[2, 2n ** 63n]]),
  ])
    for (let length = 1; length < whole.length; length++) expect(() => read(whole.subarray(0, length))).toThrow(MalformedMessage);
});

test("a field that runs over the end of its message is malformed", () => {
  const readInner = nestedReader(() => ({ text: "" }), { 1: ["text", readText] });
  const readOuter = messageReader(() => ({ found: { text: "" } }), { 1: ["found", readInner] });
  const bytes = Buffer.from([0x0a, 3, 0x0a, 4, 97, 98, 99, 100]); // a message of three bytes whose text says four
  expect(() => readOuter(bytes)).toThrow(MalformedMessage);
});

test("an error that a field's reader throws is passed on unchanged", () => {
  class Refused extends Error {}
  const readRefusing = messageReader(() => ({ text: "" }), {
    1: [
      "text",
      () => {
        throw new Refused();
      },
    ],
  });
  expect(() => readRefusing(encodeMessage([[1, "x"]]))).toThrow(Refused);
});

const { message: anyMessage } = fc.letrec<{ field: WireField; message: Message }>((tie) => ({
  field: fc.tuple(
    fc.integer({ min: 1, max: 40 }),
    fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.maxSafeNat(),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: "binary", maxLength: 150 }),
      tie("message"),
    ),
  ),
  message: fc.array(tie("field"), { maxLength: 4 }),
}));

test("a message encoded as a whole equals its fields encoded one by one", () => {
  const inPieces = ([number, value]: WireField): Buffer =>
    Array.isArray(value) ? encodeMessage([[number, Buffer.concat((value as Message).map(inPieces))]]) : encodeMessage([[number, value]]);
  fc.assert(
    fc.property(anyMessage, (fields) => {
      expect(encodeMessage(fields).equals(Buffer.concat(fields.map(inPieces)))).toBe(true);
    }),
  );
});

test("a message larger than the buffer that is reused is written whole", () => {
  const long = "ü".repeat(500_000);
  expect(
    read(
      encodeMessage([
        [1, 7],
        [3, long],
        [5, [[7, long]]],
      ]),
    ),
  ).toMatchObject({ number: 7, text: long, inner: long });
});
