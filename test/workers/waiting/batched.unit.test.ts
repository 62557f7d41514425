import { expect, test } from "vitest";
import { batched } from "../../../src/workers/waiting/batched.js";

const outage = new Error("outage");
const options = { maxBatch: 3, isOutage: (error: unknown) => error === outage };

test("items that come together are written together, at most three at once, and each caller gets its own result", async () => {
  const written: number[][] = [];
  const write = batched(async (items: readonly number[]) => {
    written.push([...items]);
    return items.map((item) => item * 10);
  }, options);
  expect(await Promise.all([1, 2, 3, 4, 5].map(write))).toEqual([10, 20, 30, 40, 50]);
  expect(written).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test("an item that cannot be written does not fail the others", async () => {
  const write = batched(async (items: readonly string[]) => {
    if (items.includes("bad")) throw new Error("cannot be written");
    return items.map(() => "written");
  }, options);
  const outcomes = await Promise.allSettled(["a", "bad", "b"].map(write));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("an outage fails all items of its batch without another attempt, and later items are written", async () => {
  let calls = 0;
  const write = batched(async (items: readonly string[]) => {
    calls += 1;
    if (calls === 1) throw outage;
    return items;
  }, options);
  await expect(Promise.all(["a", "b"].map(write))).rejects.toBe(outage);
  expect(calls).toBe(1);
  expect(await write("c")).toBe("c");
});
