import { expect, test } from "vitest";
import { createRoom } from "../../src/workers/room.js";

const mebibyte = 1024 * 1024;
const file = (size: number, format: "csv" | "xlsx" = "csv") => ({ key: "k", name: "n", sha256: "", size: size * mebibyte, format });

test("one large file and some small ones are in hand at once, and two large ones are not", () => {
  const room = createRoom();
  const leave = room.take(file(50));
  expect(leave).toBeDefined();
  expect(room.take(file(50))).toBeUndefined();
  expect(room.take(file(10))).toBeDefined();
  expect(room.take(file(10))).toBeUndefined();
  leave?.();
  expect(room.take(file(50))).toBeDefined();
});

test("a workbook counts for what it unpacks to, and the largest still has room alone", () => {
  const room = createRoom();
  const leave = room.take(file(50, "xlsx"));
  expect(leave).toBeDefined();
  expect(room.take(file(1))).toBeUndefined();
  leave?.();
  expect(room.take(file(4, "xlsx"))).toBeDefined();
  expect(room.take(file(4, "xlsx"))).toBeDefined();
  expect(room.take(file(1))).toBeUndefined();
});
