import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Rejection } from "../../src/domain/rejection.js";
import { readCursor, writeCursor } from "../../src/queries/rowPage.js";

const secret = "a secret that only tests know";
const scope = ["rejections", "acme", "018f3e2a-0000-7000-8000-000000000000"];

describe("a cursor", () => {
  test("comes back as it was written", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (place) => {
        expect(readCursor(secret, scope, writeCursor(secret, scope, place))).toEqual(place);
      }),
    );
  });

  test("is refused after any one bit of it was flipped", () => {
    const cursor = writeCursor(secret, scope, ["104"]);
    const bytes = Buffer.from(cursor, "latin1");
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => readCursor(secret, scope, changed.toString("latin1"))).toThrow(Rejection);
    }
  });

  test("is refused for another organisation, import, list or secret", () => {
    const cursor = writeCursor(secret, scope, ["104"]);
    for (const other of [
      ["rejections", "other", scope[2] ?? ""],
      ["rejections", "acme", "x"],
      ["activities", "acme", scope[2] ?? ""],
      scope.slice(0, 2),
    ]) {
      expect(() => readCursor(secret, other, cursor)).toThrow("malformed");
    }
    expect(() => readCursor("another secret", scope, cursor)).toThrow("malformed");
  });

  test("is refused when it is cut, lengthened, padded or made up", () => {
    const cursor = writeCursor(secret, scope, ["104"]);
    for (const wrong of [
      "",
      "x",
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      cursor.repeat(2),
      "null",
      "eyJyb3ciOjF9",
    ]) {
      expect(() => readCursor(secret, scope, wrong)).toThrow("malformed");
    }
  });
});
