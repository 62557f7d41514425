import { expect, test } from "vitest";
import { raceClaims } from "./reversalClaims.js";

test("200 rounds of a reversal against a claim, in both orders, for each kind of row", { timeout: 1_800_000 }, async () => {
  const seen = await raceClaims({ firstSeed: 1_000, rounds: 200 });
  expect(new Set(seen)).toEqual(new Set(["conflict", "correction named", "correction refused"]));
});
