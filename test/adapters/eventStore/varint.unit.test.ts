import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_INT64, varintBytes, writeVarint } from "../../../src/adapters/eventStore/protocol/protobuf.js";

/** Seven bits a byte, the lowest first, and all but the last byte marked. */
function sevenBitsEach(value: bigint): number[] {
  const rest = value >> 7n;
  return rest === 0n ? [Number(value)] : [Number(value & 127n) | 128, ...sevenBitsEach(rest)];
}

test("a number of any size is written seven bits a byte, and its stated length is the number of bytes written", () => {
  const edges = [7, 14, 21, 28, 31, 32, 35, 42, 49].flatMap((bits) => [2 ** bits - 1, 2 ** bits, 2 ** bits + 1]);
  const numbers = fc.oneof(
    fc.constantFrom(0, ...edges, Number.MAX_SAFE_INTEGER, MAX_INT64, MAX_INT64 + 2048, 2 ** 64),
    fc.maxSafeNat(),
    fc.nat(),
  );
  fc.assert(
    fc.property(numbers, fc.nat(5), (value, at) => {
      const target = Buffer.alloc(20);
      const end = writeVarint(target, at, value);
      expect([...target.subarray(at, end)]).toEqual(sevenBitsEach(value >= MAX_INT64 ? 2n ** 63n - 1n : BigInt(value)));
      expect(end - at).toBe(varintBytes(value));
      expect(target.subarray(end).some((byte) => byte !== 0)).toBe(false);
    }),
  );
});
