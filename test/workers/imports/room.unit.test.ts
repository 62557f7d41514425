import { describe, expect, test } from "vitest";
import { createRoom, type RoomVisit } from "../../../src/workers/imports/turns/room.js";

const mebibyte = 1024 * 1024;
const file = (size: number, format: "csv" | "xlsx" = "csv") => ({ key: "k", name: "n", sha256: "", size, format });

/** Takes room for a file. Undefined when there is no room. */
function take(room: ReturnType<typeof createRoom>, mebibytes: number, format: "csv" | "xlsx" = "csv"): RoomVisit | undefined {
  const visit = room.enter();
  if (visit.take(file(mebibytes * mebibyte, format))) return visit;
  visit.leave();
  return undefined;
}

test("there is room for one file of the largest size, and for the next one when the first has left", () => {
  const room = createRoom(4);
  const first = take(room, 50);
  expect(first).toBeDefined();
  expect(take(room, 50)).toBeUndefined();
  expect(take(room, 14)).toBeDefined();
  expect(take(room, 14)).toBeUndefined();
  first?.leave();
  expect(take(room, 50)).toBeDefined();
});

test("a workbook counts eight times its size, and the largest still has room", () => {
  const room = createRoom(4);
  const first = take(room, 50, "xlsx");
  expect(first).toBeDefined();
  expect(take(room, 5)).toBeUndefined();
  first?.leave();
  expect(take(room, 4, "xlsx")).toBeDefined();
  expect(take(room, 4, "xlsx")).toBeDefined();
});

test("small files have room of their own, whatever the large ones take", () => {
  const room = createRoom(4);
  expect(take(room, 50, "xlsx")).toBeDefined();
  for (let count = 0; count < 4; count += 1) expect(take(room, 4)).toBeDefined();
  expect(take(room, 0.001)).toBeUndefined();
});

test.each([
  [4 * mebibyte - 1, true],
  [4 * mebibyte, true],
  [4 * mebibyte + 1, false],
])("a file of %i bytes beside a large one has room: %s", (bytes, fits) => {
  const room = createRoom(4);
  take(room, 50, "xlsx");
  expect(room.enter().take(file(bytes))).toBe(fits);
});

test("large files never take all the slots", () => {
  const room = createRoom(4);
  expect([take(room, 5), take(room, 5), take(room, 5)].map((visit) => visit !== undefined)).toEqual([true, true, false]);
  expect(take(room, 1)).toBeDefined();
  const single = createRoom(1);
  expect(take(single, 5)).toBeDefined();
});

describe("giving way", () => {
  /** Gives way again and again until `until` holds. Returns how often it paused. */
  async function rests(visit: RoomVisit | undefined, until: () => boolean): Promise<number> {
    for (let count = 0; ; count += 1) {
      let pause: Promise<void> | undefined;
      while (!pause) pause = visit?.giveWay();
      if (until()) return count;
      await pause;
    }
  }

  test("a large import waits until the small one has left", async () => {
    const room = createRoom(4);
    const large = take(room, 50);
    const small = take(room, 1);
    let left = false;
    setTimeout(() => {
      left = true;
      small?.leave();
    }, 1);
    let pause: Promise<void> | undefined;
    while (!pause) pause = large?.giveWay();
    await pause;
    expect(left).toBe(true);
  });

  test("a large import goes on after a while although a small one is still there, and the small one goes on too", async () => {
    const room = createRoom(4);
    const large = take(room, 50);
    const small = take(room, 1);
    let rounds = 0;
    const beside = rests(small, () => ++rounds > 3);
    let progress = 0;
    await rests(large, () => ++progress > 3);
    await beside;
    small?.leave();
    large?.leave();
    expect(progress).toBe(4);
  });

  test("a turn counts as small until its file is known", async () => {
    const room = createRoom(4);
    const large = take(room, 50);
    const unknown = room.enter();
    let known = false;
    setTimeout(() => {
      known = true;
      unknown.take(file(50 * mebibyte));
    }, 1);
    let pause: Promise<void> | undefined;
    while (!pause) pause = large?.giveWay();
    await pause;
    expect(known).toBe(true);
  });
});
