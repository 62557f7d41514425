import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { displayPrefix, hashApiKey, isApiKey, makeApiKey } from "../../src/domain/apiKey.js";

describe("an API key", () => {
  test("is the live prefix, thirty random characters and six of checksum", () => {
    const key = makeApiKey(randomBytes);
    expect(key).toMatch(/^wb_live_[0-9A-Za-z]{36}$/);
    expect(isApiKey(key)).toBe(true);
    expect(displayPrefix(key)).toBe(key.slice(0, 12));
    expect(hashApiKey(key)).toMatch(/^[0-9a-f]{64}$/);
    expect(makeApiKey(randomBytes)).not.toBe(key);
  });

  test("with one character changed is not valid", () => {
    const alphabet = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 43 }), fc.constantFrom(...alphabet), (place, character) => {
        const key = makeApiKey(randomBytes);
        fc.pre(key[place] !== character);
        expect(isApiKey(key.slice(0, place) + character + key.slice(place + 1))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is not valid as its prefix alone, shortened, lengthened, with another beginning, or as any other text", () => {
    const key = makeApiKey(randomBytes);
    for (const text of ["", "wb_live_", displayPrefix(key), `${key}0`, ` ${key}`, key.replace("wb_live_", "wb_test_"), key.slice(0, -1)]) {
      expect(isApiKey(text)).toBe(false);
    }
    fc.assert(fc.property(fc.string(), (text) => !isApiKey(text)));
  });

  test("uses every character about equally often", () => {
    let fed = 0;
    const everyByte = (count: number) => Uint8Array.from({ length: count }, () => fed++ % 256);
    const counts = new Map<string, number>();
    for (let made = 0; made < 62 * 4; made++)
      for (const character of makeApiKey(everyByte).slice(8, 38)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThan(30);
  });
});
