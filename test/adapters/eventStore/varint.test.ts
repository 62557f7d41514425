import fc from "fast-check";
import { expect, test } from "vitest";
import { encode, MAX_INT64 } from "../../../src/adapters/eventStore/protobuf.js";
import { varintBytes, writeVarint } from "../../../src/adapters/eventStore/varint.js";

test("a number is written as in a message, at any size, and takes the bytes that it says", () => {
  const edges = [7, 14, 21, 28, 31, 32, 35, 42, 49].flatMap((bits) => [2 ** bits - 1, 2 ** bits, 2 ** bits + 1]);
  const numbers = fc.oneof(fc.constantFrom(0, ...edges, Number.MAX_SAFE_INTEGER, MAX_INT64), fc.maxSafeNat(), fc.nat());
  fc.assert(
    fc.property(numbers, fc.nat(5), (value, at) => {
      const target = Buffer.alloc(20);
      const end = writeVarint(target, at, value);
      const [, ...expected] = encode([[1, value]]);
      expect([...target.subarray(at, end)]).toEqual(expected);
      expect(end - at).toBe(varintBytes(value));
      expect(target.subarray(end).some((byte) => byte !== 0)).toBe(false);
    }),
  );
});
