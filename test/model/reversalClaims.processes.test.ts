import { expect, test } from "vitest";
import { raceClaims } from "./reversalClaims.js";

test("a reversal and a claim of the same rows have one order: what goes on counting is named in the answer", {
  timeout: 600_000,
}, async () => {
  const seen = await raceClaims({ firstSeed: 1, rounds: 4 });
  expect(seen).toContain("conflict");
});
