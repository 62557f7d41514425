import { randomUUID } from "node:crypto";
import { v5 } from "uuid";
import { expect, test } from "vitest";
import { rowEventIds } from "../../../src/workers/imports/importing/recordRows.js";

test("row ids are UUIDv5 of the import's id and the row's ordinal", () => {
  const importId = "018f0000-0000-7000-8000-000000000001";
  const idOf = rowEventIds(importId);
  for (const ordinal of [0, 1, 9, 10, 99_999, 1_048_575, 3]) expect(idOf(ordinal)).toBe(v5(String(ordinal), importId));
});

test("ids of many rows equal those of the uuid library, and do not change when later ids are made", () => {
  for (const importId of [randomUUID(), randomUUID()]) {
    const idOf = rowEventIds(importId);
    const ordinals = Array.from({ length: 3_000 }, (_, index) => index * 419);
    const ids = ordinals.map(idOf);
    expect(ids).toEqual(ordinals.map((ordinal) => v5(String(ordinal), importId)));
    expect(idOf(Number.MAX_SAFE_INTEGER)).toBe(v5(String(Number.MAX_SAFE_INTEGER), importId));
  }
});
