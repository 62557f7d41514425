import { describe, expect, test } from "vitest";
import { recentLoads, recentValues } from "../src/recentValues.js";

describe("recent values", () => {
  test("are kept up to a number; those set or read longest ago go first", () => {
    const recent = recentValues<number>(2);
    recent.set("a", 1);
    recent.set("b", 2);
    expect(recent.get("a")).toBe(1);
    recent.set("c", 3);
    expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([1, undefined, 3]);
    recent.set("a", 4);
    recent.delete("c");
    recent.set("d", 5);
    expect(["a", "c", "d"].map((key) => recent.get(key))).toEqual([4, undefined, 5]);
  });

  test("are loaded once, also when they are wanted at the same time, and again after they have gone", async () => {
    const loaded: string[] = [];
    const recent = recentLoads<string>(1);
    const wanted = (key: string) => recent(key, async () => `${key}${loaded.push(key)}`);
    expect(await Promise.all([wanted("a"), wanted("a")])).toEqual(["a1", "a1"]);
    expect(await wanted("b")).toBe("b2");
    expect(await wanted("a")).toBe("a3");
  });

  test("whose load fails are loaded again", async () => {
    const recent = recentLoads<string>(5);
    await expect(recent("a", () => Promise.reject(new Error("down")))).rejects.toThrow("down");
    expect(await recent("a", async () => "up")).toBe("up");
  });
});
