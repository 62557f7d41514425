// The totals of a completed import, of rows as this and older versions have recorded them.
import { expect, test } from "vitest";
import type { StoredEvent } from "../../src/ports/eventStore.js";
import { activity, type Row, stored, tell } from "../support/importStory.js";
import { useBatches } from "./batchStage.js";

const { apply, places, rowsOf } = useBatches();

function eventsOf(rows: readonly Row[]): StoredEvent[] {
  const told = tell({ kind: "activities", rows });
  return stored(told, places(told.events.length));
}

const totals = async () => (await rowsOf("activity_totals")).map((total) => [total["quantity"], total["largest"], total["row_count"]]);

test.each([
  ["a time that no calendar has: it is in no total", { activityTimestamp: "2026-02-30T00:00:00Z" }, [["1", "1", 1]]],
  ["a time after the year 9999", { activityTimestamp: "9999-12-31T23:59:00-14:00" }, Array(2).fill(["1", "1", 1])],
  ["a code that is too long for the index", { warehouseCode: "W".repeat(3_000) }, Array(2).fill(["1", "1", 1])],
  ["a code that Postgres cannot store", { chargeCode: "A\0B" }, Array(2).fill(["1", "1", 1])],
  ["a code that is a number", { warehouseCode: 7 }, Array(2).fill(["1", "1", 1])],
])("are right where a row has %s", async (_, odd, expected) => {
  const time = { activityTimestamp: "2026-01-01T00:00:00Z", quantity: 1 };
  await apply(eventsOf([{ accept: activity(time) }, { accept: activity({ ...time, ...odd }) }]));
  expect(await totals()).toEqual(expected);
});

test("have a row once that is recorded twice, and the largest quantity of those that are there", async () => {
  const events = eventsOf([{ accept: activity({ quantity: 3 }) }, { reject: "x" }, { accept: activity({ quantity: 5 }) }]);
  const [first] = events.filter(({ type }) => type === "RowAccepted");
  const twice = events.map((event) => (event.type === "RowRejected" ? { ...event, type: "RowAccepted", data: first?.data } : event));
  for (const event of twice) await apply([event]);
  expect(await totals()).toEqual([["8", "5", 2]]);
});
