import { expect, test } from "vitest";
import { lookUntilFound } from "../src/timeLimit.js";

test("looks again until it finds something", async () => {
  const found = [undefined, undefined, "found", "later"];
  expect(await lookUntilFound(60_000, async () => found.shift(), 1)).toBe("found");
});

test("looks once although there is no time, and gives up then", async () => {
  let looks = 0;
  const look = async () => {
    looks += 1;
    return undefined;
  };
  expect(await lookUntilFound(-1, look, 1)).toBeUndefined();
  expect(looks).toBe(1);
});
