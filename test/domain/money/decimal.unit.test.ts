import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  centsToNumber,
  compare,
  decimal,
  multiply,
  percentOf,
  roundHalfUp,
  roundUp,
  subtract,
  toCents,
  toNumber,
  toText,
} from "../../../src/domain/exactDecimal.js";

describe("decimal numbers", () => {
  it("are read from their shortest text, so that 0.1 is one tenth", () => {
    expect(decimal(0.1)).toEqual({ coefficient: 1n, scale: 1 });
    expect(toText(multiply(decimal(1.1), decimal(1.1)))).toBe("1.21");
    expect(toText(subtract(decimal(0.3), decimal(0.1)))).toBe("0.2");
  });

  it("are read from exponent form, very small and very large", () => {
    expect(toText(decimal(1e-7))).toBe("0.0000001");
    expect(toText(decimal(1.5e21))).toBe("1500000000000000000000");
    expect(toText(decimal(5e-324))).toMatch(/^0\.0{323}5$/);
  });

  it("refuse what is not a number", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "", "1,5", "0x10", "1e9999"])
      expect(() => decimal(value)).toThrow(RangeError);
  });

  it("keep the value of any JSON number", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(toText(decimal(value)))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it("compare as the numbers they are written as", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.double({ noNaN: true, noDefaultInfinity: true }), (a, b) => {
        expect(compare(decimal(a), decimal(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });
});

describe("rounding", () => {
  it("goes half up to the cent", () => {
    expect(toCents(decimal("1.005"))).toBe(101n);
    expect(toCents(decimal("1.0049999"))).toBe(100n);
    expect(toCents(decimal("19.8225"))).toBe(1982n);
    expect(roundHalfUp(decimal("2.5"), 0)).toBe(3n);
  });

  it("kg goes up to the next whole number, and leaves a whole number as it is", () => {
    expect(roundUp(decimal("12.0000001"), 0)).toBe(13n);
    expect(roundUp(decimal("12.000"), 0)).toBe(12n);
    expect(roundUp(decimal("12"), 0)).toBe(12n);
  });

  it("a percentage happens once, on its result", () => {
    expect(percentOf(decimal(22.5), 8810n)).toBe(1982n);
    expect(percentOf(decimal(10), 10792n)).toBe(1079n);
  });

  it("leaves money with its two decimals as it is", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (cents) => {
        const text = `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;
        expect(centsToNumber(cents)).toBe(Number(text));
      }),
    );
    expect(toNumber(1_234n, 3)).toBe(1.234);
  });
});
