import fc from "fast-check";
import { expect, test } from "vitest";
import { frame } from "../../../src/embedded/eventstore/grpcCall.js";
import { type Field, framed, type Message } from "../../../src/embedded/eventstore/messages.js";
import { bytesField, MAX_INT64, textField, varintField } from "../../../src/embedded/eventstore/wire.js";

const { message } = fc.letrec<{ field: Field; message: Message }>((tie) => ({
  field: fc.tuple(
    fc.integer({ min: 1, max: 40 }),
    fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.maxSafeNat(),
      fc.constant(MAX_INT64),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: "binary", maxLength: 150 }),
      tie("message"),
    ),
  ),
  message: fc.array(tie("field"), { maxLength: 4 }),
}));

function encodedInPieces([number, value]: Field): Buffer {
  if (typeof value === "number") return varintField(number, value);
  if (typeof value === "string") return textField(number, value);
  return Buffer.isBuffer(value) ? bytesField(number, value) : bytesField(number, ...value.map(encodedInPieces));
}

test("a message in one piece is what its fields are one by one", () => {
  fc.assert(
    fc.property(message, (fields) => {
      expect(framed(fields).equals(frame(Buffer.concat(fields.map(encodedInPieces))))).toBe(true);
    }),
  );
});
